"""Parts of numbers, and what kind of numbers arrays hold: what NumPy has in numpy/lib/_type_check_impl.py."""
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
    """`x` with NaN and infinities replaced: by `nan`, and by `posinf` / `neginf` or the largest finite numbers.

    Shapes: as `x`; the others broadcast to it.
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
    """The real part: of an array a view, of a number its own. Shapes: as `val`. Errors: TypeError for what no dtype holds."""
    return val.real if hasattr(val, "real") else nx.asanyarray(val).real


def imag(val: Any) -> Any:
    """The imaginary part: of a complex array a view, else zeros that cannot be written to; of a number its own.

    Shapes: as `val`.
    Errors: TypeError for what no dtype holds.
    """
    return val.imag if hasattr(val, "imag") else nx.asanyarray(val).imag


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """The real part of `a` if all imaginary parts are within `tol` (times epsilon if above 1) of zero, else `a`. Shapes: as `a`."""
    a = nx.asarray(a)
    if kind_of(a) != "c":
        return a
    if tol > 1:
        tol = finfo_of(a).eps * tol
    return a.real if bool(nx.all(abs(a.imag) < tol)) else a


def iscomplexobj(x: Any) -> bool:
    """Whether `x` has a complex dtype, whatever its values."""
    dtype = getattr(x, "dtype", None)
    if isinstance(dtype, _numpy.dtype):
        return kind_of(dtype) == "c"
    return kind_of(nx.asarray(x)) == "c"


def isrealobj(x: object) -> bool:
    """Whether `x` has a real dtype."""
    return not iscomplexobj(x)


@_declare.base_class
@_declare.value
def iscomplex(x: ArrayLike) -> ndarray:
    """Whether each element has an imaginary part other than zero. Shapes: as `x`."""
    x = _asanyarray(x)
    if kind_of(x) == "c":
        return x.imag != 0
    return nx.zeros_like(x, dtype=bool)


@_declare.base_class
@_declare.value
def isreal(x: ArrayLike) -> ndarray:
    """Whether each element has imaginary part zero. Shapes: as `x`."""
    return _asanyarray(x).imag == 0


def common_type(*arrays: Any) -> Any:
    """The floating dtype that all arrays can be cast to without loss; integers count as float64.

    Errors: TypeError for bool arrays.
    """
    dtypes = []
    for a in arrays:
        dtypes.append(_as_type(a) if _C._is_array(a) else a.dtype)
        if dtypes[-1].kind == "b":
            raise TypeError("can't get common type for non-numeric array")
    if dtypes and all(map(_is_bfloat16, dtypes)):
        return bfloat16
    return _numpy.common_type(*(_numpy.empty(0, _numpy.float32 if _is_bfloat16(dt) else dt) for dt in dtypes))


def mintypecode(typechars: Any, typeset: str = "GDFgdf", default: str = "d") -> str:
    """The character of the smallest dtype of `typeset` to which those of `typechars` can be cast safely."""
    chars = [t if isinstance(t, str) else t.dtype.char for t in typechars]
    return _numpy.mintypecode(chars, typeset, default)
