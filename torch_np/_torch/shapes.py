"""Computations with shapes."""
from __future__ import annotations

from collections.abc import Sequence

from torch_np._C import Size

__all__ = ["broadcast_shapes"]


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """Returns the shape to which tensors of the given shapes broadcast.

    Args:
      shapes: Shapes; an int is a 1-d shape.

    Errors: RuntimeError if the shapes do not broadcast, or for a negative length.
    """
    listed = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    result = [1] * max(map(len, listed), default=0)
    for shape in listed:
        for k in range(-1, -1 - len(shape), -1):
            if shape[k] < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({shape[k]}): ({shape[k]})")
            if shape[k] not in (1, result[k]):
                if result[k] != 1:
                    raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
                result[k] = shape[k]
    return Size(result)
