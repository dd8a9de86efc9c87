"""PyTorch's legacy tensor types, each with a dtype: `LongTensor([1, 2])`, `FloatTensor(2, 3)`,
`isinstance(x, LongTensor)`.
"""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._torch.dtype_names import BY_LEGACY_NAME
from torch_np._torch.storage import TypedStorage

__all__ = ["BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor",
           "ShortTensor"]


class _TypeWithDtype(type):
    dtype: _C.dtype

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if bases:
            raise TypeError(f"type 'torch.{bases[0].__name__}' is not an acceptable base type")
        return super().__new__(mcs, name, bases, namespace)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor) and instance.dtype == cls.dtype

    def __call__(cls, *args: Any, device: Any = None) -> _C.Tensor:
        """Makes a tensor from data, or an uninitialised tensor from sizes. A tensor or
        storage of this dtype gives a view of it. Errors: RuntimeError for a device other than the CPU."""
        if device is not None and _C.device(device).type != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {_C.device(device).type} was passed")
        if len(args) == 1 and isinstance(args[0], cls) and args[0].is_cpu:
            return args[0].detach()
        if len(args) == 1 and isinstance(args[0], TypedStorage) and args[0].dtype == cls.dtype:
            return _C._torch.empty((0,), dtype=cls.dtype, device=args[0].device).set_(args[0])
        if len(args) == 1 and isinstance(args[0], _C.Size):
            return _C._torch.empty(args[0], dtype=cls.dtype)
        if len(args) == 1 and not isinstance(args[0], int):
            return _C._torch.tensor(args[0], dtype=cls.dtype)
        return _C._torch.empty(args or (0,), dtype=cls.dtype)


def _make(name: str) -> Any:
    dtype = BY_LEGACY_NAME[name]
    return _TypeWithDtype(f"{name}Tensor", (), {"dtype": dtype, "__module__": "torch_np", "__doc__": f"Tensors of {dtype}."})


FloatTensor = _make("Float")
DoubleTensor = _make("Double")
HalfTensor = _make("Half")
BFloat16Tensor = _make("BFloat16")
ByteTensor = _make("Byte")
CharTensor = _make("Char")
ShortTensor = _make("Short")
IntTensor = _make("Int")
LongTensor = _make("Long")
BoolTensor = _make("Bool")
