"""Real and imaginary parts, and tests for the kind of numbers in arrays: counterpart of
numpy.lib._type_check_impl."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy
from numpy import typename  # noqa: F401

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy._dtypes import _as_type, _is_bfloat16, bfloat16, finfo_of, kind_of
from torch_np.numpy._multiarray import copyto
from torch_np.numpy._numeric import _asanyarray
from torch_np.numpy._ufunclike_impl import isneginf, isposinf

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["common_type", "imag", "iscomplex", "iscomplexobj", "isreal", "isrealobj", "mintypecode", "nan_to_num", "real",
           "real_if_close", "typename"]


@_declare.value
def nan_to_num(x: ArrayLike, copy: bool = True, nan: ArrayLike = 0.0, posinf: ArrayLike | None = None,
               neginf: ArrayLike | None = None) -> ndarray:
    """Replaces NaN and infinities by numbers.

    Args:
      x: Input array.
      copy: Whether to copy the input; otherwise it is changed in place.
      nan: Replacement for NaN.
      posinf: Replacement for positive infinity; None is the largest finite number.
      neginf: Replacement for negative infinity; None is the lowest finite number.

    Shapes: as `x`; `nan`, `posinf` and `neginf` broadcast to it.
    """
    x = nx.array(x, copy=True if copy else None)
    if kind_of(x) not in "fc":
        return x
    parts = (x.real, x.imag) if kind_of(x) == "c" else (x,)
    info = finfo_of(parts[0])
    for part in parts:
        bad, high, low = nx.isnan(part), isposinf(part), isneginf(part)
        copyto(part, nan, where=bad)
        copyto(part, info.max if posinf is None else posinf, where=high)
        copyto(part, info.min if neginf is None else neginf, where=low)
    return x


def real(val: Any) -> Any:
    """Returns the real part: of an array a view, of a number its attribute `real`.

    Args:
      val: Array or number.

    Shapes: as `val`.
    Errors: TypeError for values without a dtype.
    """
    return val.real if hasattr(val, "real") else nx.asanyarray(val).real


def imag(val: Any) -> Any:
    """Returns the imaginary part: of a complex array a view, of a real array read-only zeros, of a
    number its attribute `imag`.

    Args:
      val: Array or number.

    Shapes: as `val`.
    Errors: TypeError for values without a dtype.
    """
    return val.imag if hasattr(val, "imag") else nx.asanyarray(val).imag


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """Returns the real part if all imaginary parts are close to zero, otherwise the array itself.

    Args:
      a: Input array.
      tol: Largest imaginary part allowed; above 1 in units of the epsilon of the dtype.

    Shapes: as `a`.
    """
    a = nx.asarray(a)
    if kind_of(a) != "c":
        return a
    if tol > 1:
        tol = finfo_of(a).eps * tol
    return a.real if bool(nx.all(abs(a.imag) < tol)) else a


def iscomplexobj(x: Any) -> bool:
    """Whether an object has a complex dtype.

    Args:
      x: Array or number.
    """
    dtype = getattr(x, "dtype", None)
    if isinstance(dtype, _numpy.dtype):
        return kind_of(dtype) == "c"
    return x is not None and not isinstance(x, (str, bytes)) and kind_of(nx.asarray(x)) == "c"


def isrealobj(x: object) -> bool:
    """Whether an object has a real dtype.

    Args:
      x: Array or number.
    """
    return not iscomplexobj(x)


@_declare.base_class
@_declare.value
def iscomplex(x: ArrayLike) -> ndarray:
    """Whether each element has a non-zero imaginary part.

    Args:
      x: Input array.

    Shapes: as `x`.
    """
    x = _asanyarray(x)
    if kind_of(x) == "c":
        return x.imag != 0
    return nx.zeros_like(x, dtype=bool)


@_declare.base_class
@_declare.value
def isreal(x: ArrayLike) -> ndarray:
    """Whether each element has a zero imaginary part.

    Args:
      x: Input array.

    Shapes: as `x`.
    """
    return _asanyarray(x).imag == 0


def common_type(*arrays: Any) -> Any:
    """Returns the floating dtype to which all arrays can be cast without loss. Integers count as
    float64.

    Args:
      arrays: Arrays.

    Errors: TypeError for bool arrays.
    """
    places: list[int] = []
    dtypes = []
    for a in arrays:
        dtype = _as_type(a) if _C._is_array(a) else a.dtype
        if dtype.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        dtypes.append(dtype)
        places.append(_PLACES.get(dtype, -1))
    if places and min(places) >= 0:
        return _COMMON_TYPES[max(p % 3 for p in places) + 3 * (max(places) >= 3)]
    if dtypes and all(map(_is_bfloat16, dtypes)):
        return bfloat16
    return _numpy.common_type(*(_numpy.empty(0, _numpy.float32 if _is_bfloat16(dt) else dt) for dt in dtypes))


# Places of dtypes among the common types: their precision, and 3 more for complex numbers.
_COMMON_TYPES = (_numpy.float16, _numpy.float32, _numpy.float64, None, _numpy.complex64, _numpy.complex128)
_PLACES = {_numpy.dtype(t): place for place, t in enumerate(_COMMON_TYPES) if t is not None} | {_numpy.dtype(c): 2 for c in "bBhHiIlLqQ"}


def mintypecode(typechars: Any, typeset: str = "GDFgdf", default: str = "d") -> str:
    """Returns the character of the smallest dtype in `typeset` to which given dtypes can be cast
    safely.

    Args:
      typechars: Characters of dtypes, or arrays.
      typeset: Characters of the allowed dtypes.
      default: Result if none of the dtypes is in `typeset`.
    """
    chars = [t if isinstance(t, str) else t.dtype.char for t in typechars]
    return _numpy.mintypecode(chars, typeset, default)
