"""Functions of functions, choices by conditions, and others of one kind each."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy import _arguments, _values
from torch_np.numpy._dtypes import finfo_of, kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, NumPyDTypeLike

__all__ = ["angle", "asarray_chkfinite", "choose", "cumulative_prod", "cumulative_sum", "fromfunction", "imag", "iterable",
           "nan_to_num", "piecewise", "place", "putmask", "real", "real_if_close", "select", "sinc", "sort_complex"]


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
        bad, high, low = nx.isnan(part), nx.isposinf(part), nx.isneginf(part)
        copyto = nx.copyto
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


@_declare.takes_arrays
def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> ndarray:
    """For each element the choice whose condition is the first to hold, else `default`.

    Shapes: all conditions, choices and `default` broadcast to the result's shape.
    Errors: ValueError for lists of different or zero length, TypeError for conditions that are not bool.
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    dtype, otherwise, *choices = _choices([default, *choicelist])
    conditions = [nx.asarray(c) for c in condlist]
    for i, c in enumerate(conditions):
        if kind_of(c) != "b":
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    out = otherwise.astype(dtype)
    for c, choice in zip(reversed(conditions), reversed(choices)):
        out = nx.where(c, choice.astype(dtype), out)
    return nx.asarray(out)


def _choices(values):
    """The dtype of `values` together, in which Python's numbers are weak, and the values as arrays."""
    values = [v if isinstance(v, (int, float, complex)) else nx.asarray(v) for v in values]
    return nx.result_type(*values), *map(nx.asarray, values)


@_declare.takes_arrays
def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> ndarray:
    """A function defined by cases: where `condlist[i]` holds, `funclist[i]` (a function or a number) of `x`.

    Shapes: as `x`, and so each of `condlist`; a function gets the elements where its condition holds, (n,), and gives as many or one.
    Errors: ValueError if there are neither as many functions as conditions nor one more.
    """
    x = nx.asarray(x)
    if nx.isscalar(condlist) or (not isinstance(condlist[0], (list, _C.ndarray, _numpy.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    conditions = [nx.asarray(c, dtype=bool) for c in condlist]
    n = len(conditions)
    if n == len(funclist) - 1:
        other = conditions[0]
        for c in conditions[1:]:
            other = other | c
        conditions.append(~other)
    elif n != len(funclist):
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    out = nx.zeros_like(x)
    for c, f in zip(conditions, funclist):
        if not callable(f):
            out[c] = f
        else:
            values = x[c]
            if values.size > 0:
                out[c] = _C._outermost(f, values, *args, **kw)
    return out


def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    """The angle of complex numbers, in (-pi, pi] or, with `deg`, in degrees. Shapes: as `z`."""
    z = nx.asarray(z)
    z = z.astype(int) if kind_of(z) == "b" else z
    a = nx.arctan2(z.imag, z.real) if kind_of(z) == "c" else nx.arctan2(nx.zeros_like(z), z)
    return a * (180 / _numpy.pi) if deg else a


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """The real part of `a` if all imaginary parts are within `tol` (times epsilon if above 1) of zero, else `a`. Shapes: as `a`."""
    a = nx.asarray(a)
    if kind_of(a) != "c":
        return a
    if tol > 1:
        tol = finfo_of(a).eps * tol
    return a.real if bool(nx.all(abs(a.imag) < tol)) else a


@_declare.base_class
def sinc(x: ArrayLike) -> ndarray:
    """sin(pi x) / (pi x), and 1 at 0. Shapes: as `x`."""
    x = nx.asarray(x)
    tiny = float(finfo_of(x).eps) if kind_of(x) == "f" else 1.0e-20  # sin(y) / y is 1
    y = _numpy.pi * nx.where(x == 0, tiny, x)
    return nx.sin(y) / y


def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    """Writes `vals`, repeated as needed, to the places of `arr` where `mask` is true.

    Shapes: `mask` has as many elements as `arr`; `vals` any.
    Errors: ValueError if `arr` is read-only, `mask` of another size, or `vals` empty where something is to be written.
    """
    arr = _arguments.written_array("place", "arr", arr)
    if not arr.flags.writeable:
        raise ValueError("place(): assignment destination is read-only")
    mask, vals = nx.asarray(mask, dtype=bool), nx.asarray(vals, dtype=arr.dtype).ravel()
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    count = int(mask.sum())
    if count and vals.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    if count:
        arr[mask.reshape(arr.shape)] = nx.resize(vals, count)


def putmask(a: ndarray, /, mask: ArrayLike, values: ArrayLike) -> None:
    """`a.flat[n] = values[n % len(values)]` for each n where `mask.flat[n]` is true.

    Shapes: `mask` has as many elements as `a`; `values` any, flattened.
    Errors: ValueError for a read-only `a` or a `mask` of another size, TypeError where `values` cannot be cast to the dtype of `a`.
    """
    a = _arguments.written_array("putmask", "a", a)
    if not a.flags.writeable:
        raise ValueError("putmask(): output array is read-only")
    # Numbers and lists of them take the dtype of `a`, as in an assignment; arrays have their own.
    own = isinstance(values, (_C.ndarray, _C.Tensor, _numpy.ndarray))
    mask, values = nx.asarray(mask, dtype=bool), nx.asarray(values, dtype=None if own else a.dtype).ravel()
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if not _numpy.can_cast(values.dtype, a.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    if values.size and a.size:
        mask = mask.reshape(a.shape)
        a[mask] = nx.resize(values, a.shape)[mask]


def fromfunction(function: Any, shape: Sequence[int], *, dtype: NumPyDTypeLike = float, like: Any = None, **kwargs: Any) -> ndarray:
    """`function` of the coordinates of an array of that shape.

    Shapes: `function` gets one array of shape `shape` for each axis; the result is what it gives.
    """
    return _C._outermost(function, *nx.indices(shape, dtype=dtype), **kwargs)


@_declare.base_class
def asarray_chkfinite(a: ArrayLike, dtype: NumPyDTypeLike | None = None, order: str | None = None) -> ndarray:
    """`a` as an array. Shapes: as `a`. Errors: ValueError if it has NaN or infinity."""
    a = nx.asarray(a, dtype=dtype, order=order)
    if kind_of(a) in "fc" and _values.is_found(~nx.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def iterable(y: Any) -> bool:
    """Whether `y` can be iterated over."""
    try:
        iter(y)
    except TypeError:
        return False
    return True


@_declare.base_class
def sort_complex(a: ArrayLike) -> ndarray:
    """`a` sorted, as a complex array.

    Shapes: as `a`, sorted along the last axis. Dtypes: complex64 for integers of 8 and 16 bits, else complex128, or that of complex `a`.
    """
    b = nx.sort(nx.asarray(a))
    return b if kind_of(b) == "c" else b.astype(_numpy.complex64 if b.dtype.char in "bhBH" else _numpy.complex128)


def cumulative_sum(x: ArrayLike, /, *, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None,
                   include_initial: bool = False) -> ndarray:
    """Running sum along `axis`, with 0 in front if `include_initial`.

    Shapes: as `x`, the axis one longer if `include_initial`.
    Errors: ValueError without `axis` for more than one.
    """
    return _cumulative(nx.cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x: ArrayLike, /, *, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None,
                    include_initial: bool = False) -> ndarray:
    """Running product along `axis`, with 1 in front if `include_initial`.

    Shapes: as `x`, the axis one longer if `include_initial`.
    Errors: ValueError without `axis` for more than one.
    """
    return _cumulative(nx.cumprod, 1, x, axis, dtype, out, include_initial)


def _cumulative(function, start, x, axis, dtype, out, include_initial):
    x = nx.asanyarray(x)
    if x.ndim > 1 and axis is None:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    axis = 0 if axis is None else axis
    x = x.reshape(1) if x.ndim == 0 else x
    if not include_initial:
        return function(x, axis=axis, dtype=dtype, out=out)
    result = function(x, axis=axis, dtype=dtype)
    shape = list(x.shape)
    shape[axis] = 1
    result = nx.concatenate((nx.full(shape, start, dtype=result.dtype), result), axis=axis)
    if out is None:
        return result
    out[...] = result
    return out


@_declare.takes_arrays
def choose(a: ArrayLike, choices: Sequence[ArrayLike] | ndarray, out: ndarray | None = None, mode: str = "raise") -> ndarray:
    """An array of elements of `choices`, each chosen by the index in `a`.

    Shapes: `a` and all choices broadcast.
    Errors: ValueError for an index out of bounds (mode 'raise') and for another `mode`, TypeError for indices that are no integers.
    """
    dtype, *given = _choices(choices)
    index, *options = nx.broadcast_arrays(nx.asarray(a), *given)
    if kind_of(index) not in "iub":
        raise TypeError(f"Cannot cast array data from {index.dtype!r} to dtype('int64') according to the rule 'safe'")
    n = len(options)
    index = index.astype(_numpy.intp)
    if mode == "raise":
        if _values.is_found((index < 0) | (index >= n)):
            raise ValueError("invalid entry in choice array")
    elif mode == "wrap":
        index = index % n
    elif mode == "clip":
        index = index.clip(0, n - 1)
    else:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    stacked = nx.stack([option.astype(dtype, copy=False) for option in options])
    places = nx.arange(index.size, device=index.device).reshape(index.shape)
    result = nx.take(stacked.reshape(-1), index * index.size + places)
    if out is not None:
        nx.copyto(out, result, casting="unsafe")
        return out
    return result
