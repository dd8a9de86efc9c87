"""What dtypes hold, and which dtype several give together, by PyTorch's rules."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._typing import DTypeLike, Number, TensorLike

__all__ = ["can_cast", "finfo", "iinfo", "promote_types", "result_type"]

# bfloat16, which NumPy does not know: eps, the smallest and the largest number, digits that are kept.
_BFLOAT16 = (2.0 ** -7, 2.0 ** -126, (2 - 2.0 ** -7) * 2.0 ** 127, 0.01)
_REAL_OF = {_C.complex64: _C.float32, _C.complex128: _C.float64}


def _name(dtype):
    return str(dtype).rpartition(".")[2]


class finfo:
    """What a floating dtype holds: `bits`, `eps` (from 1 to the next number), `min`, `max`, `tiny` = `smallest_normal`, `resolution`,
    and `dtype`, its name; of a complex one, its parts'. Without an argument, of the default dtype.

    Errors: TypeError for other dtypes."""

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: _C.dtype | None = None) -> None:  # noqa: A002  (PyTorch's name)
        of = _C._get_default_dtype(False) if type is None else type
        of = _REAL_OF.get(of, of) if isinstance(of, _C.dtype) else of
        if of not in (_C.float16, _C.bfloat16, _C.float32, _C.float64):
            raise TypeError(f"torch_np.finfo() requires a floating point input type. Use torch_np.iinfo to handle '{type}'")
        self.dtype = _name(of)
        if of is _C.bfloat16:
            self.bits, (self.eps, self.tiny, self.max, self.resolution) = 16, _BFLOAT16
        else:
            info = _numpy.finfo(self.dtype)
            self.bits, self.eps, self.tiny = int(info.bits), float(info.eps), float(info.tiny)
            self.max, self.resolution = float(info.max), float(str(info.resolution))
        self.min, self.smallest_normal = -self.max, self.tiny

    def __repr__(self) -> str:
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(("finfo", self.dtype))


class iinfo:
    """What an integer dtype holds: `bits`, `min`, `max`, and `dtype`, its name. Errors: TypeError for other dtypes."""

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: _C.dtype) -> None:  # noqa: A002
        try:
            info = _numpy.iinfo(_name(type)) if isinstance(type, _C.dtype) else None
        except ValueError:
            info = None
        if info is None:
            raise TypeError(f"torch_np.iinfo() requires an integer input type. Use torch_np.finfo to handle '{type}'")
        self.bits, self.min, self.max, self.dtype = int(info.bits), int(info.min), int(info.max), _name(type)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(("iinfo", self.dtype))


def promote_types(type1: DTypeLike, type2: DTypeLike) -> _C.dtype:
    """The smallest dtype of the kind of both that holds them. Errors: TypeError for what is no dtype."""
    return _C._promote_types(type1, type2)


def result_type(tensor1: TensorLike | Number, tensor2: TensorLike | Number) -> _C.dtype:
    """The dtype that an operator computes two tensors or numbers in: numbers, and 0-d tensors beside others, count by their kind only.

    Shapes: any; only whether they have axes counts.
    Errors: TypeError for what is neither.
    """
    for value in (tensor1, tensor2):
        if not (_C._is_array(value) or isinstance(value, (int, float, complex))):
            raise TypeError(f"result_type(): expected a Tensor or a number, not {type(value).__name__}")
    return _C._result_type((tensor1, tensor2))


_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _kind(dtype: Any) -> int:
    name = _name(dtype)
    return 2 if name == "bfloat16" else _KINDS[_numpy.dtype(name).kind]


def can_cast(from_: DTypeLike, to: DTypeLike) -> bool:
    """Whether PyTorch casts the dtype `from_` to `to` by itself: not from complex to real, floating to integer, or any number to bool.

    Errors: TypeError for what is no dtype.
    """
    for value in (from_, to):
        if not isinstance(value, _C.dtype):
            raise TypeError(f"can_cast(): expected a dtype, not {type(value).__name__}")
    return _kind(from_) <= _kind(to)
