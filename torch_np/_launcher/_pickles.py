"""Pickles under the launcher: Python's `pickle` writes tensors, parameters and storages as PyTorch
does, so that PyTorch reads them, and reads the pickles that PyTorch wrote.
"""
from __future__ import annotations

import copyreg
from typing import Any

from torch_np import _C, _tensor, _utils, storage
from torch_np._torch.storage import TypedStorage, UntypedStorage
from torch_np.serialization import _rebuild


def register() -> None:
    """Makes `pickle` describe tensors and storages by PyTorch's functions."""
    for name, module in (("torch._utils", _utils), ("torch._tensor", _tensor), ("torch.storage", storage)):
        for function in vars(module).values():
            if getattr(function, "__module__", None) == _rebuild.__name__:
                function.__module__ = name
    for kind in (TypedStorage, UntypedStorage):
        kind.__module__ = "torch.storage"
        copyreg.pickle(kind, _rebuild.reduce_storage)  # type: ignore[arg-type]
    setattr(_C.Tensor, "__reduce_ex__", _reduce_ex)


def _reduce_ex(self: Any, protocol: Any) -> tuple[Any, ...]:
    return _rebuild.reduce_tensor(self)
