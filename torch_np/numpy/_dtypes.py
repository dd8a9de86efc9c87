"""dtypes, which are NumPy's own objects, and the questions that one asks of them.

Nothing here computes on arrays: an array argument counts as its dtype.
"""
from __future__ import annotations

import builtins as _builtins
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as _numpy
from numpy import (  # noqa: F401
    ScalarType, bool, bool_, byte, cdouble, complex64, complex128, complexfloating, csingle, double, dtype, finfo,
    flexible, float16, float32, float64, floating, generic, half, iinfo, inexact, int8, int16, int32, int64, int_,
    intc, integer, intp, isdtype, issubdtype, long, longlong, number, sctypeDict, short, signedinteger, single,
    typecodes, typename, ubyte, uint, uint8, uint16, uint32, uint64, uintc, uintp, ulong, ulonglong, unsignedinteger,
    ushort,
)
from numpy import (  # noqa: F401  (names only: no array has one of these dtypes)
    bytes_, character, clongdouble, datetime64, longdouble, object_, str_, timedelta64, void,
)

from torch_np._C import Tensor, ndarray

if TYPE_CHECKING:
    from torch_np._typing import NumPyDTypeLike

__all__ = ["ScalarType", "bfloat16", "bool", "bool_", "byte", "bytes_", "can_cast", "cdouble", "character", "clongdouble", "common_type",
           "complex128", "complex64", "complexfloating", "csingle", "datetime64", "double", "dtype", "finfo", "flexible", "float16",
           "float32", "float64", "floating", "generic", "half", "iinfo", "inexact", "int16", "int32", "int64", "int8", "int_", "intc",
           "integer", "intp", "isdtype", "isscalar", "issubdtype", "long", "longdouble", "longlong", "min_scalar_type", "mintypecode",
           "number", "object_", "promote_types", "result_type", "sctypeDict", "short", "signedinteger", "single", "str_", "timedelta64",
           "typecodes", "typename", "ubyte", "uint", "uint16", "uint32", "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong",
           "unsignedinteger", "ushort", "void"]

bfloat16 = ml_dtypes.bfloat16

_builtin_bool, _builtin_complex = type(True), complex


def _as_type(value):
    """An operand of a promotion question: arrays count as their dtype, Python numbers stay weak."""
    if isinstance(value, (ndarray, Tensor)):
        return value.dtype if isinstance(value, ndarray) else value._np_compat().dtype
    return value


def result_type(*arrays_and_dtypes: Any) -> _numpy.dtype[Any]:
    """The dtype that NumPy's promotion rules (NEP 50) give for these operands together.

    Errors: ValueError without operands, TypeError for dtypes that do not promote.
    """
    return _numpy.result_type(*map(_as_type, arrays_and_dtypes))


def can_cast(from_: Any, to: NumPyDTypeLike, casting: Any = "safe") -> _builtins.bool:
    """Whether `from_` (a dtype or an array) may be cast to `to` under the rule `casting`.

    Errors: TypeError for a Python number, whose dtype is not known.
    """
    return _numpy.can_cast(_as_type(from_), to, casting=casting)


def promote_types(type1: NumPyDTypeLike, type2: NumPyDTypeLike) -> _numpy.dtype[Any]:
    """The smallest dtype to which both may be cast safely. Errors: TypeError if there is none."""
    return _numpy.promote_types(type1, type2)


def min_scalar_type(a: Any, /) -> _numpy.dtype[Any]:
    """The smallest dtype that holds the value of `a`; for an array of more than 0 dimensions, its dtype."""
    if isinstance(a, (ndarray, Tensor)):
        return _numpy.min_scalar_type(a.item()) if a.ndim == 0 else _as_type(a)
    return _numpy.min_scalar_type(a)


def common_type(*arrays: Any) -> Any:
    """The floating dtype that all arrays can be cast to without loss; integers count as float64.

    Errors: TypeError for bool arrays.
    """
    return _numpy.common_type(*(_numpy.empty(0, _as_type(a) if isinstance(a, (ndarray, Tensor)) else a.dtype) for a in arrays))


def mintypecode(typechars: Any, typeset: str = "GDFgdf", default: str = "d") -> str:
    """The character of the smallest dtype of `typeset` to which those of `typechars` can be cast safely."""
    chars = [t if isinstance(t, str) else t.dtype.char for t in typechars]
    return _numpy.mintypecode(chars, typeset, default)


def isscalar(element: Any) -> _builtins.bool:
    """Whether `element` is a Python or NumPy scalar. A 0-d array is none."""
    return False if isinstance(element, (ndarray, Tensor)) else _numpy.isscalar(element)
