"""Coordinate grids, broadcasting of several tensors, and indices of flattened tensors."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_np import _C
from torch_np._C import Tensor, _torch


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Returns the coordinates of the points of a grid, one tensor for each of the given 1-d
    tensors. The results are views.

    Args:
      tensors: Coordinates along each axis: 1-d tensors, 0-d tensors that count as one element, or
        one list of them.
      indexing: 'ij' or None, or 'xy', which exchanges the first two axes.

    Shapes: all results (n1, ..., nk), where ni is the length of tensor i; with `indexing='xy'` (n2,
    n1, ..., nk).
    Errors: RuntimeError without tensors, for tensors of more than one dimension or of different
    dtypes, and for an unknown `indexing`; TypeError if an argument is not a Tensor.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    for t in tensors:
        if not isinstance(t, _C.Tensor):
            raise TypeError(f"meshgrid(): argument 'tensors' must be Tensors, not {type(t).__name__}")
    if not tensors:
        raise RuntimeError("meshgrid(): expects a non-empty TensorList")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'meshgrid(): indexing must be one of "xy" or "ij", but received: {indexing}')
    if any(t.ndim > 1 for t in tensors):
        raise RuntimeError(
            f"meshgrid(): Expected 0D or 1D tensor in the tensor list but got the shapes {[tuple(t.shape) for t in tensors]}")
    if len({t.dtype for t in tensors}) > 1:
        raise RuntimeError(
            f"meshgrid(): expects all tensors to have the same dtype, got {[t.dtype for t in tensors]}")
    swaps = indexing == "xy" and len(tensors) > 1
    lines = [t.reshape(-1) for t in tensors]
    if swaps:
        lines[:2] = lines[1::-1]
    sizes = [len(t) for t in lines]
    grids = [t.reshape([-1 if i == d else 1 for i in range(len(lines))]).expand(sizes) for d, t in enumerate(lines)]
    if swaps:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Returns views of all tensors, expanded to their common shape.

    Args:
      tensors: Tensors, or one list of them.

    Shapes: all broadcast; the results have the common shape.
    Errors: RuntimeError if the shapes do not broadcast.
    """
    return tuple(_torch.broadcast_tensors(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors))


def atleast_1d(*tensors: Any) -> Any:
    """Returns each tensor with at least one dimension; a 0-d tensor gets an axis of size 1. The
    result is a Tensor for one tensor, and a tuple for several, or for a list of them.

    Args:
      tensors: Tensors, or one list of them.

    Shapes: () becomes (1,); other shapes are kept.
    """
    return _each(_torch.atleast_1d, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Returns each tensor with at least two dimensions; new axes are added in front. The result is
    a Tensor for one tensor, and a tuple for several, or for a list of them.

    Args:
      tensors: Tensors, or one list of them.

    Shapes: () becomes (1, 1), and (n,) becomes (1, n); other shapes are kept.
    """
    return _each(_torch.atleast_2d, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """Returns each tensor with at least three dimensions. The result is a Tensor for one tensor,
    and a tuple for several, or for a list of them.

    Args:
      tensors: Tensors, or one list of them.

    Shapes: () becomes (1, 1, 1), (n,) becomes (1, n, 1), and (n, m) becomes (n, m, 1); other shapes
    are kept.
    """
    return _each(_torch.atleast_3d, tensors)


def _each(function: Any, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and not isinstance(tensors[0], (list, tuple)):
        return function(tensors[0])
    return tuple(map(function, tensors[0] if len(tensors) == 1 else tensors))


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Converts indices into a flattened tensor to coordinates in a tensor of `shape`: one tensor
    for each dimension. Indices that are out of range wrap around.

    Args:
      indices: Integer indices into the flattened tensor.
      shape: Shape of the tensor; an int is a 1-d shape.

    Shapes: all results as `indices`.
    Errors: TypeError if `indices` are not integers, or `shape` is not of ints; ValueError for
    negative sizes.
    """
    if not isinstance(indices, _C.Tensor) or indices.dtype.is_floating_point or indices.dtype.is_complex or indices.dtype == _C.bool:
        what = indices.dtype if isinstance(indices, _C.Tensor) else type(indices).__name__
        raise TypeError(f"unravel_index(): indices must be a tensor of integers, not {what}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if not all(isinstance(n, int) for n in sizes):
        raise TypeError(f"unravel_index(): shape must be of ints, not {shape!r}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"unravel_index(): shape must not have negative sizes, but is {tuple(sizes)}")
    coordinates = []
    for n in reversed(sizes):
        coordinates.append(_torch.remainder(indices, n))
        indices = _torch.floor_divide(indices, n)
    return tuple(reversed(coordinates))
