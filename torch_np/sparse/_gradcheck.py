"""Checks of the derivatives of functions of sparse tensors."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import BLOCKED, alias, axes_of, blocksize_of
from torch_np.sparse._parts import LAYOUTS, make, parts_of, size_of
from torch_np.sparse._to_dense import dense_of


class _Pattern:
    """A sparse tensor without its values, which are an argument of their own."""

    def __init__(self, x: Tensor) -> None:
        self.parts, self.size = parts_of(x), size_of(x)

    def with_values(self, values: Tensor) -> Tensor:
        return make(self.parts._replace(values=alias(values)), self.size)


def _is_input(x: Any) -> bool:
    return _is_sparse(x) and parts_of(x).values.requires_grad


def _completed(x: Tensor) -> Tensor:
    """The tensor with all elements specified."""
    parts = parts_of(x)
    dense = axes_of(parts).dense
    block = blocksize_of(parts) if parts.layout in BLOCKED else None
    full = torch_np.ones(size_of(x), dtype=torch_np.bool, device=x.device)
    mask = full.to_sparse(layout=LAYOUTS[parts.layout], blocksize=block, dense_dim=dense)
    return dense_of(x.detach()).sparse_mask(mask)


def _in_dense_parts(inputs: Any, is_masked: bool) -> list[Any]:
    """The inputs, with a pattern and values in place of a sparse tensor."""
    found: list[Any] = []
    for x in inputs if isinstance(inputs, (list, tuple)) else (inputs,):
        if not _is_input(x):
            found.append(x)
            continue
        whole = x if is_masked else _completed(x)
        found += [_Pattern(whole), parts_of(whole).values.detach().clone().requires_grad_()]
    return found


def _restored(arguments: tuple[Any, ...]) -> Iterator[Any]:
    """The inputs again."""
    items = iter(arguments)
    for item in items:
        yield item.with_values(next(items)) if isinstance(item, _Pattern) else item


def _with_dense_outputs(result: Any) -> Any:
    several = isinstance(result, (list, tuple))
    dense = tuple(dense_of(x) if _is_input(x) else x for x in (result if several else (result,)))
    return dense if several else dense[0]


def _with_checked_outputs(result: Any) -> Any:
    if any(_is_sparse(x) for x in (result if isinstance(result, (list, tuple)) else (result,))):
        raise ValueError("Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn for gradcheck.")
    return result


def _checked(gradcheck: Callable[..., Any], func: Callable[..., Any], inputs: Any, is_masked: bool, convert: Callable[[Any], Any],
             options: dict[str, Any]) -> Any:
    return gradcheck(lambda *arguments: convert(func(*_restored(arguments))), tuple(_in_dense_parts(inputs, is_masked)), **options)


def check_sparse(gradcheck: Callable[..., Any], func: Callable[..., Any], inputs: Any, masked: bool | None, **options: Any) -> Any:
    """gradcheck, or gradgradcheck, of a function of sparse tensors with dense results.

    Args:
      gradcheck: the check for dense tensors
      func: the function
      inputs: its arguments
      masked: whether only elements that are specified are inputs; otherwise all are
      options: other arguments of the check
    """
    return _checked(gradcheck, func, inputs, bool(masked), _with_checked_outputs, options)


def as_sparse_gradcheck(gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function as `gradcheck` that takes functions of sparse tensors, and functions that return
    sparse tensors, too. It has the argument `masked`: whether only elements that are specified are inputs;
    otherwise all elements are, which is the default.

    Args:
      gradcheck: torch_np.autograd.gradcheck, or a function with its arguments.
    """
    def gradcheck_with_sparse_support(func: Callable[..., Any], inputs: Any, **kwargs: Any) -> Any:
        is_masked = bool(kwargs.pop("masked", False))
        return _checked(gradcheck, func, inputs, is_masked, _with_dense_outputs, kwargs)

    return gradcheck_with_sparse_support
