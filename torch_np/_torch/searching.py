"""Where the elements are that are not zero, as a matrix or as a tuple."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor, _torch

_matrix = _torch.nonzero


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:  # noqa: A002
    """The indices of the elements of `input` that are not zero, in row-major order: a row for each; or, if `as_tuple`, a tuple of 1-d
    tensors, one for each dimension, by which `input` can be indexed.

    Shapes: (number of them, dimensions of `input`). A number counts as a line of one element in a tuple.
    """
    if as_tuple:
        return _torch.where(input != 0)
    return _matrix(input) if out is None else _matrix(input, out=out)


def _method(self: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero; see torch_np.nonzero()."""
    return _torch.where(self != 0) if as_tuple else _matrix(self)


_method.__name__, _method.__qualname__ = "nonzero", "Tensor.nonzero"
Tensor.nonzero = _method  # type: ignore[method-assign]
