"""Indices of non-zero elements."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor, _torch

_matrix = _torch.nonzero


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:  # noqa: A002
    """Returns the indices of the non-zero elements of `input`, in row-major order.

    Args:
      input: Input tensor.
      out: Tensor that receives the result; only without `as_tuple`.
      as_tuple: Whether to return a tuple of 1-d tensors, one for each dimension, which can index
        `input`; otherwise each row of the result is an index.

    Shapes: (n, dimensions of `input`) for n non-zero elements; with `as_tuple` (n,) each, and a 0-d
    tensor counts as 1-d.
    """
    if as_tuple:
        return _torch.where(input != 0)
    return _matrix(input) if out is None else _matrix(input, out=out)


def _method(self: Tensor, *, as_tuple: bool = False) -> Any:
    """Returns the indices of the non-zero elements; see torch_np.nonzero()."""
    return _torch.where(self != 0) if as_tuple else _matrix(self)


_method.__name__, _method.__qualname__ = "nonzero", "Tensor.nonzero"
Tensor.nonzero = _method  # type: ignore[method-assign]
