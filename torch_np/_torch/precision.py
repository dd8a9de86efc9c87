"""Precision of float32 matrix products on GPUs."""
from torch_np import _C

__all__ = ["get_float32_matmul_precision", "set_float32_matmul_precision"]


def set_float32_matmul_precision(precision: str) -> None:
    """Sets the precision in which GPUs multiply float32 and complex64 matrices, for this process.
    It has no effect on the CPU.

    Args:
      precision: 'highest' (the default) multiplies in float32. 'high' rounds the factors to TF32,
        which has float32's range and 10 bits of mantissa, and adds in float32; it is several times
        as fast. 'medium' is the same as 'high'.

    Errors: ValueError for a string that is not one of these three, TypeError if `precision` is not
    a string.
    """
    _C._set_float32_matmul_precision(precision)


def get_float32_matmul_precision() -> str:
    """Returns the precision that `set_float32_matmul_precision` set: 'highest', 'high' or 'medium'.
    """
    return _C._get_float32_matmul_precision()
