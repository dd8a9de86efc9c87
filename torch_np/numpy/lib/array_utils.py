"""numpy.lib.array_utils: helpers for the argument `axis`, and for addresses."""
from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

if TYPE_CHECKING:
    from torch_np._C import ndarray

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]


def byte_bounds(a: ndarray) -> tuple[int, int]:
    """Returns the lowest address of an array's memory, and the address after the highest.

    Args:
      a: The array.

    Shapes: any.
    """
    address = low = high = a._torch().data_ptr()
    if a.size == 0:
        return address, address
    for n, stride in zip(a.shape, a.strides):
        low, high = (low + (n - 1) * stride, high) if stride < 0 else (low, high + (n - 1) * stride)
    return low, high + a.itemsize
