"""Dtypes, which are NumPy's own objects, and functions of dtypes.

An array argument stands for its dtype.
"""
from __future__ import annotations

import builtins as _builtins
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as _numpy
from numpy import (  # noqa: F401
    ScalarType, bool, bool_, byte, cdouble, complex64, complex128, complexfloating, csingle, double, dtype, finfo,
    flexible, float16, float32, float64, floating, generic, half, iinfo, inexact, int8, int16, int32, int64, int_,
    intc, integer, intp, isdtype, issubdtype, long, number, sctypeDict, short, signedinteger, single,
    typecodes, ubyte, uint, uint8, uint16, uint32, uint64, uintc, uintp, ulong, unsignedinteger, ushort,
)
from numpy import (  # noqa: F401  (names only: no array has one of these dtypes)
    bytes_, character, clongdouble, datetime64, longdouble, object_, str_, timedelta64, void,
)

from torch_np import _C

if TYPE_CHECKING:
    from torch_np._typing import NumPyDTypeLike

__all__ = ["ScalarType", "bfloat16", "bool", "bool_", "byte", "bytes_", "can_cast", "cdouble", "character", "clongdouble",
           "complex128", "complex64", "complexfloating", "csingle", "datetime64", "double", "dtype", "finfo", "flexible", "float16",
           "float32", "float64", "floating", "generic", "half", "iinfo", "inexact", "int16", "int32", "int64", "int8", "int_", "intc",
           "integer", "intp", "isdtype", "issubdtype", "long", "longdouble", "longlong", "min_scalar_type",
           "number", "object_", "promote_types", "result_type", "sctypeDict", "short", "signedinteger", "single", "str_", "timedelta64",
           "typecodes", "ubyte", "uint", "uint16", "uint32", "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong",
           "unsignedinteger", "ushort", "void"]

# the engine has one signed and one unsigned 64-bit type; on some systems, NumPy has two of each
longlong, ulonglong = int64, uint64
bfloat16 = ml_dtypes.bfloat16
HALVES = (_numpy.dtype(float16), _numpy.dtype(bfloat16))

_builtin_bool, _builtin_complex = type(True), complex


def as_numpy_dtype(dtype: Any) -> _numpy.dtype[Any]:
    """Converts a dtype to NumPy's object; `torch_np.float32` and similar objects become the NumPy
    dtype of the same name. Errors: TypeError if it is not a dtype.
    """
    return _C._promote_types(dtype, dtype, True) if type(dtype) is _C.dtype else _numpy.dtype(dtype)


def kind_of(x: Any) -> str:
    """Returns the `kind` of a dtype, or of an array's dtype. For bfloat16, which is a void to
    NumPy, it is 'f'.
    """
    kind = getattr(x, "dtype", x).kind
    return "f" if kind == "V" else kind


def finfo_of(x: Any) -> Any:
    """Returns the `finfo` of a floating or complex dtype, or of an array's dtype. Unlike NumPy's it
    knows bfloat16.
    """
    return ml_dtypes.finfo(getattr(x, "dtype", x))


def common_dtype(*operands: Any) -> _numpy.dtype[Any]:
    """Returns the dtype in which operators compute with these operands: `result_type`. Where
    bfloat16 has no common dtype with another operand (float16, wide integers), float32 takes its
    place.
    """
    try:
        return result_type(*operands)
    except TypeError:
        return result_type(*(_numpy.dtype(_numpy.float32) if _is_bfloat16(x) else x for x in operands))


def _is_bfloat16(operand):
    return getattr(operand, "dtype", operand) == bfloat16


# Classes of operands that NumPy's promotion treats as this package does. bfloat16 has another class.
_PLAIN_CLASSES = {_numpy.dtype(c).type for c in "?bBhHiIlLqQefdFD"} | {type(_numpy.dtype(c)) for c in "?bBhHiIlLqQefdFD"} | {int, float, complex, _builtins.bool}


# Classes of objects that NumPy takes for a dtype.
_DTYPE_CLASSES = {str, type} | {type(_numpy.dtype(c)) for c in "?bBhHiIlLqQefdFDUSMmOV"}
_OurDtype: Any = _C.dtype
_numpy_can_cast, _numpy_promote_types = _numpy.can_cast, _numpy.promote_types


def _are_plain(operands):
    """Whether NumPy promotes all operands as this package does: none is an array of it, or of bfloat16."""
    for x in operands:
        if type(x) not in _PLAIN_CLASSES and not (type(x) is str and x != "bfloat16") and not (type(x) is type and x in _PLAIN_CLASSES):
            return False
    return True


def _as_type(value):
    """Returns an operand for NumPy's promotion functions: arrays become their dtype, Python numbers
    stay weak.
    """
    if _C._is_array(value):
        return value.dtype if _C._is_ndarray(value) else value._np_compat().dtype
    return as_numpy_dtype(value) if type(value) is _C.dtype else value


def result_type(*arrays_and_dtypes: Any) -> _numpy.dtype[Any]:
    """Returns the dtype that the operands promote to under NumPy's rules (NEP 50).

    Args:
      arrays_and_dtypes: Arrays, dtypes and Python numbers.

    Errors: ValueError without operands, TypeError for dtypes that do not promote.
    """
    if _are_plain(arrays_and_dtypes):
        return _numpy.result_type(*arrays_and_dtypes)
    if (common := _C._dtype_of_arrays(arrays_and_dtypes)) is not None:
        return common
    operands = list(map(_as_type, arrays_and_dtypes))
    if any(map(_is_bfloat16, operands)):  # beside bfloat16, NumPy treats Python numbers as float64 instead of weak
        operands = [x for x in operands if type(x) not in (int, float)]
    return _numpy.result_type(*operands)


def can_cast(from_: Any, to: NumPyDTypeLike, casting: Any = "safe") -> _builtins.bool:
    """Whether a dtype may be cast to another.

    Args:
      from_: Source dtype, or an array.
      to: Target dtype.
      casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Errors: TypeError for a Python number, which has no dtype.
    """
    if type(from_) in _DTYPE_CLASSES and type(to) in _DTYPE_CLASSES:
        return _numpy_can_cast(from_, to, casting)
    return _numpy.can_cast(_as_type(from_), as_numpy_dtype(to), casting=casting)


def promote_types(type1: NumPyDTypeLike, type2: NumPyDTypeLike) -> _numpy.dtype[Any]:
    """Returns the smallest dtype to which two dtypes can be cast safely.

    Args:
      type1: First dtype.
      type2: Second dtype.

    Errors: TypeError if there is none.
    """
    if type(type1) is _OurDtype or type(type2) is _OurDtype:
        return _numpy_promote_types(as_numpy_dtype(type1), as_numpy_dtype(type2))
    return _numpy_promote_types(type1, type2)


def min_scalar_type(a: Any, /) -> _numpy.dtype[Any]:
    """Returns the smallest dtype that holds the value of a scalar; for an array with axes, its
    dtype.

    Args:
      a: Scalar or array.
    """
    if _C._is_array(a):
        return _numpy.min_scalar_type(a.item()) if a.ndim == 0 else _as_type(a)
    return _numpy.min_scalar_type(a)
