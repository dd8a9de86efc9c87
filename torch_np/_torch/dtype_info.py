"""Properties of dtypes, and type promotion by PyTorch's rules."""
from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._typing import DTypeLike, Number, TensorLike

__all__ = ["can_cast", "finfo", "iinfo", "promote_types", "result_type"]

# bfloat16, which NumPy does not have: eps, the smallest normal number, the largest number,
# resolution.
_BFLOAT16 = (2.0 ** -7, 2.0 ** -126, (2 - 2.0 ** -7) * 2.0 ** 127, 0.01)
# Formats of eight bits, whose tensors are not implemented: eps, the smallest normal number, the
# smallest and the largest number.
_FLOAT8 = {
    "float8_e4m3fn": (0.125, 2.0 ** -6, -448.0, 448.0), "float8_e4m3fnuz": (0.125, 2.0 ** -7, -240.0, 240.0),
    "float8_e5m2": (0.25, 2.0 ** -14, -57344.0, 57344.0), "float8_e5m2fnuz": (0.25, 2.0 ** -15, -57344.0, 57344.0),
    "float8_e8m0fnu": (1.0, 2.0 ** -127, 2.0 ** -127, 2.0 ** 127),
}
_REAL_OF = {_C.complex64: _C.float32, _C.complex128: _C.float64}


def _name(dtype):
    return str(dtype).rpartition(".")[2]


class finfo:
    """Machine limits of a floating dtype.

    The attributes are `bits`, `eps` (the distance from 1 to the next number), `min`, `max`, `tiny`
    = `smallest_normal`, `resolution`, and `dtype`, its name. For a complex dtype they describe its
    parts.

    Args:
      type: A floating or complex dtype; None is the default dtype.

    Errors: TypeError if `type` is any other dtype.
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: _C.dtype | None = None) -> None:  # noqa: A002  (PyTorch's name)
        of = _C._get_default_dtype(False) if type is None else type
        held = builtins.type(of) is _C.dtype
        of = _REAL_OF.get(of, of) if held else of
        if not held and getattr(of, "name", None) in _FLOAT8:
            name = getattr(of, "name")
            self.dtype, self.bits, self.resolution = name, 8, 1.0
            self.eps, self.tiny, self.min, self.max = _FLOAT8[name]
            self.smallest_normal = self.tiny
            return
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
    """Limits of an integer dtype. The attributes are `bits`, `min`, `max`, and `dtype`, its name.

    Args:
      type: An integer dtype.

    Errors: TypeError if `type` is any other dtype.
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: _C.dtype) -> None:  # noqa: A002
        try:
            info = _numpy.iinfo(_name(type)) if builtins.type(type) is _C.dtype else None
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
    """Returns the smallest dtype to which both dtypes can be promoted.

    Args:
      type1: First dtype.
      type2: Second dtype.

    Errors: TypeError if an argument is not a dtype.
    """
    return _C._promote_types(type1, type2)


def result_type(tensor1: TensorLike | Number, tensor2: TensorLike | Number) -> _C.dtype:
    """Returns the dtype in which an operator computes with two tensors or numbers. Python numbers,
    and 0-d tensors next to tensors with axes, contribute their kind only.

    Args:
      tensor1: First operand.
      tensor2: Second operand.

    Shapes: any; only whether a tensor has axes matters.
    Errors: TypeError if an argument is neither a tensor nor a number.
    """
    operands = []
    for value in (tensor1, tensor2):
        number = value.item() if isinstance(value, _numpy.generic) else value
        if not (_C._is_array(value) or isinstance(number, (int, float, complex))):
            raise TypeError(f"result_type(): expected a Tensor or a number, not {type(value).__name__}")
        operands.append(number)
    return _C._result_type(tuple(operands))


_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _kind(dtype: Any) -> int:
    name = _name(dtype)
    return 2 if name == "bfloat16" else _KINDS[_numpy.dtype(name).kind]


def can_cast(from_: DTypeLike, to: DTypeLike) -> bool:
    """Whether PyTorch casts the dtype `from_` to `to` implicitly. It does not cast complex to real,
    floating to integer, or any number to bool.

    Args:
      from_: Source dtype.
      to: Target dtype.

    Errors: TypeError if an argument is not a dtype.
    """
    for value in (from_, to):
        if type(value) is not _C.dtype:
            raise TypeError(f"can_cast(): expected a dtype, not {type(value).__name__}")
    return _kind(from_) <= _kind(to)
