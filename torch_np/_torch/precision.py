"""How precisely float32 matrices are multiplied on hardware that has something faster than float32."""
from torch_np import _C

__all__ = ["get_float32_matmul_precision", "set_float32_matmul_precision"]


def set_float32_matmul_precision(precision: str) -> None:
    """How precisely GPUs multiply float32 matrices, and complex64 ones, in this process. 'highest', as it is at first: in float32.
    'high': the factors rounded to TF32, which has float32's range and 10 bits of mantissa, the sums in float32; several times as
    fast. 'medium': to bfloat16 where there is no TF32; on GPUs the same as 'high'. Changes nothing on the CPU.

    Errors: ValueError for another word, TypeError for what is none."""
    _C._set_float32_matmul_precision(precision)


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` has set: 'highest', 'high' or 'medium'."""
    return _C._get_float32_matmul_precision()
