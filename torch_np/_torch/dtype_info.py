"""Properties of dtypes, and type promotion by PyTorch's rules."""
from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as _numpy

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._typing import DTypeLike, Number, TensorLike

__all__ = ["can_cast", "finfo", "iinfo", "promote_types", "result_type"]

# bfloat16, which NumPy does not have: bits, eps, the smallest normal number, the smallest and the
# largest number, resolution.
_BFLOAT16 = (16, 2.0 ** -7, 2.0 ** -126, -(2 - 2.0 ** -7) * 2.0 ** 127, (2 - 2.0 ** -7) * 2.0 ** 127, 0.01)
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


class _Limits:
    """The base of finfo and iinfo. A dtype has one object of each, whose attributes are read-only."""

    __slots__ = ()
    _values: ClassVar[tuple[str, ...]]
    dtype: str
    bits: int

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError(f"attribute '{name}' of '{builtins.type(self).__name__}' objects is not writable")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name)

    @classmethod
    def _make(cls, of: str, *values: float) -> Self:
        made = object.__new__(cls)
        for name, value in zip(("dtype", *cls._values), (of, *values), strict=True):
            object.__setattr__(made, name, value)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Limits) and builtins.type(other) is builtins.type(self) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((builtins.type(self).__name__, self.dtype))

    def __reduce__(self) -> Any:
        return builtins.type(self), (getattr(_C, self.dtype),)


class finfo(_Limits):
    """Machine limits of a floating dtype.

    The attributes are `bits`, `eps` (the distance from 1 to the next number), `min`, `max`, `tiny`
    = `smallest_normal`, `resolution`, and `dtype`, its name. For a complex dtype they describe its
    parts.

    Args:
      type: A floating or complex dtype; None is the default dtype.

    Errors: TypeError if `type` is any other dtype.
    """

    _values = "bits", "eps", "smallest_normal", "min", "max", "resolution"
    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal")
    eps: float
    smallest_normal: float
    min: float
    max: float
    resolution: float

    def __new__(cls, type: _C.dtype | None = None) -> finfo:  # noqa: A002  (PyTorch's name)
        try:
            return _finfos[type]
        except (KeyError, TypeError):
            return _finfo(type)

    @property
    def tiny(self) -> float:
        return self.smallest_normal

    def __repr__(self) -> str:
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})")


def _finfo(of: Any) -> finfo:
    if of is None:
        return finfo(_C._get_default_dtype(False))
    held = type(of) is _C.dtype
    if not held and getattr(of, "name", None) in _FLOAT8:
        return finfo._make(of.name, 8, *_FLOAT8[of.name], 1.0)
    real = _REAL_OF.get(of, of) if held else of
    if real not in (_C.float16, _C.bfloat16, _C.float32, _C.float64):
        raise TypeError(f"torch_np.finfo() requires a floating point input type. Use torch_np.iinfo to handle '{of}'")
    name = _name(real)
    if real is _C.bfloat16:
        made = finfo._make(name, *_BFLOAT16)
    else:
        info = _numpy.finfo(name)
        made = finfo._make(name, int(info.bits), float(info.eps), float(info.tiny), -float(info.max), float(info.max),
                           float(str(info.resolution)))
    if held:
        _finfos[of] = made
    return made


class iinfo(_Limits):
    """Limits of an integer dtype. The attributes are `bits`, `min`, `max`, and `dtype`, its name.

    Args:
      type: An integer dtype.

    Errors: TypeError if `type` is any other dtype.
    """

    _values = "bits", "min", "max"
    __slots__ = ("bits", "dtype", "max", "min")
    min: int
    max: int

    def __new__(cls, type: _C.dtype) -> iinfo:  # noqa: A002
        try:
            return _iinfos[type]
        except (KeyError, TypeError):
            return _iinfo(type)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def _iinfo(of: Any) -> iinfo:
    try:
        info = _numpy.iinfo(_name(of)) if type(of) is _C.dtype else None
    except ValueError:
        info = None
    if info is None:
        raise TypeError(f"torch_np.iinfo() requires an integer input type. Use torch_np.finfo to handle '{of}'")
    made = _iinfos[of] = iinfo._make(_name(of), int(info.bits), int(info.min), int(info.max))
    return made


_finfos: dict[Any, finfo] = {}
_iinfos: dict[Any, iinfo] = {}


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


def _kind(dtype: Any) -> int:
    name = _name(dtype)
    return 2 if name == "bfloat16" else {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}[_numpy.dtype(name).kind]


_kinds: dict[Any, int] = {dtype: _kind(dtype) for dtype in vars(_C).values() if type(dtype) is _C.dtype}


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
    return _kinds[from_] <= _kinds[to]
