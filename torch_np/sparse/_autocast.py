"""Automatic mixed precision in products of sparse and dense tensors."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import torch_np
from torch_np import Tensor
from torch_np._C import _is_autocast_on, _is_sparse

_F = TypeVar("_F", bound=Callable[..., Any])


def _is_cast(x: Any) -> bool:
    return isinstance(x, Tensor) and x.is_floating_point() and x.dtype != torch_np.float64


def lower_precision(function: _F) -> _F:
    """Decorates a product: where autocast is on, it casts its operands, unless all of them are sparse."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _is_autocast_on():
            return function(*args, **kwargs)
        tensors = [x for x in args if isinstance(x, Tensor)]
        kind = tensors[0].device.type if tensors else "cpu"
        if not torch_np.is_autocast_enabled(kind) or all(map(_is_sparse, tensors)) or kwargs.get("out") is not None:
            return function(*args, **kwargs)
        dtype = torch_np.get_autocast_dtype(kind)
        return function(*(x.to(dtype) if _is_cast(x) else x for x in args), **{k: x.to(dtype) if _is_cast(x) else x for k, x in kwargs.items()})

    result: Any = call
    return result
