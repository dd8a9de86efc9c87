"""Fake tensors of PyTorch, by name. Tensors on the device 'meta' have shapes and dtypes without memory."""
from __future__ import annotations

from torch_np._absent import absent_names

_REASON = "fake tensors are not implemented; create tensors on device='meta'"


class UnsupportedFakeTensorException(RuntimeError):
    """PyTorch's error for an operator without a shape function."""


class DynamicOutputShapeException(RuntimeError):
    """PyTorch's error for a shape that depends on values."""


__all__ = ["DynamicOutputShapeException", "UnsupportedFakeTensorException", *absent_names(
    globals(), _REASON, classes="CrossRefFakeMode FakeTensor FakeTensorMode")]
