"""Helpers for code that takes an `axis` argument."""
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple  # noqa: F401


def byte_bounds(a):
    """The lowest address of the array's memory, and one past the highest."""
    address = low = high = a.__array_interface__["data"][0]
    if a.size == 0:
        return address, address
    for n, stride in zip(a.shape, a.strides):
        low, high = (low + (n - 1) * stride, high) if stride < 0 else (low, high + (n - 1) * stride)
    return low, high + a.itemsize
