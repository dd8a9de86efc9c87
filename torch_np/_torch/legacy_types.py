"""PyTorch's legacy tensor types, each with a dtype: `LongTensor([1, 2])`, `FloatTensor(2, 3)`,
`isinstance(x, LongTensor)`.
"""
from __future__ import annotations

from typing import Any

from torch_np import _C

__all__ = ["BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor",
           "ShortTensor"]


class _TypeWithDtype(type):
    dtype: _C.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor) and instance.dtype == cls.dtype

    def __call__(cls, *args: Any) -> _C.Tensor:
        """Makes a tensor from data, or an uninitialised tensor from sizes."""
        if len(args) == 1 and not isinstance(args[0], int):
            return _C._torch.tensor(args[0], dtype=cls.dtype)
        return _C._torch.empty(args or (0,), dtype=cls.dtype)


def _make(name: str, dtype: _C.dtype) -> Any:
    return _TypeWithDtype(name, (), {"dtype": dtype, "__module__": "torch_np", "__doc__": f"Tensors of {dtype}."})


FloatTensor = _make("FloatTensor", _C.float32)
DoubleTensor = _make("DoubleTensor", _C.float64)
HalfTensor = _make("HalfTensor", _C.float16)
BFloat16Tensor = _make("BFloat16Tensor", _C.bfloat16)
ByteTensor = _make("ByteTensor", _C.uint8)
CharTensor = _make("CharTensor", _C.int8)
ShortTensor = _make("ShortTensor", _C.int16)
IntTensor = _make("IntTensor", _C.int32)
LongTensor = _make("LongTensor", _C.int64)
BoolTensor = _make("BoolTensor", _C.bool)
