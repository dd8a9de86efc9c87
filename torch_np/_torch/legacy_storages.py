"""PyTorch's legacy storage types, each with a dtype: `FloatStorage(3)`, `FloatStorage([1, 2])`."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._torch.dtype_names import BY_LEGACY_NAME
from torch_np._torch.storage import TypedStorage

__all__ = ["BFloat16Storage", "BoolStorage", "ByteStorage", "CharStorage", "ComplexDoubleStorage", "ComplexFloatStorage", "DoubleStorage", "FloatStorage", "HalfStorage", "IntStorage",
           "LongStorage", "ShortStorage",
           "Storage"]


class _StorageType(type):
    dtype: _C.dtype

    @property
    def _dtype(cls) -> _C.dtype:
        return cls.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype == cls.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        """Makes a storage from its length or from its elements."""
        return TypedStorage(*args, dtype=cls.dtype, **kwargs)

    def from_buffer(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        """Returns a storage with a copy of the elements in a buffer; TypedStorage.from_buffer describes the arguments."""
        return TypedStorage.from_buffer(*args, dtype=cls.dtype, **kwargs)

    _from_buffer = from_buffer

    def from_file(cls, filename: str, shared: bool = False, size: int = 0) -> TypedStorage:
        """Returns a storage over a memory-mapped file; TypedStorage.from_file describes the arguments."""
        return TypedStorage.from_file(filename, shared, size, dtype=cls.dtype)


def _make(name: str) -> Any:
    dtype = BY_LEGACY_NAME[name]
    return _StorageType(f"{name}Storage", (), {"dtype": dtype, "__module__": "torch_np", "__doc__": f"Storages of {dtype}."})


FloatStorage = _make("Float")
DoubleStorage = _make("Double")
HalfStorage = _make("Half")
BFloat16Storage = _make("BFloat16")
ByteStorage = _make("Byte")
CharStorage = _make("Char")
ShortStorage = _make("Short")
IntStorage = _make("Int")
LongStorage = _make("Long")
BoolStorage = _make("Bool")
ComplexFloatStorage = _make("ComplexFloat")
ComplexDoubleStorage = _make("ComplexDouble")
Storage = FloatStorage
