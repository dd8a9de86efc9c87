"""Selection by conditions, evaluation of functions on arrays, and other single functions."""
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
    """Replaces NaN and infinities by numbers.

    Args:
      x: Input array.
      copy: Whether to copy the input; otherwise it is changed in place.
      nan: Replacement for NaN.
      posinf: Replacement for positive infinity; None is the largest finite number.
      neginf: Replacement for negative infinity; None is the lowest finite number.

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


@_declare.takes_arrays
def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> ndarray:
    """Selects each element from the choice whose condition is the first to hold.

    Args:
      condlist: Boolean arrays.
      choicelist: Arrays of values, one for each condition.
      default: Value where no condition holds.

    Shapes: all conditions, choices and `default` broadcast to the shape of the result.
    Errors: ValueError for lists of different or zero length, TypeError for conditions that are not
    bool.
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
    """Returns the common dtype of `values`, in which Python numbers are weak, and the values as
    arrays.
    """
    values = [v if isinstance(v, (int, float, complex)) else nx.asarray(v) for v in values]
    return nx.result_type(*values), *map(nx.asarray, values)


@_declare.takes_arrays
def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> ndarray:
    """Evaluates a piecewise-defined function: `funclist[i]` where `condlist[i]` holds.

    Args:
      x: Argument of the functions.
      condlist: Boolean arrays.
      funclist: Functions or numbers, one for each condition; one more is for elements without a
        condition.
      args: Further arguments of the functions.
      kw: Keyword arguments of the functions.

    Shapes: `x`, each of `condlist` and the result have the same shape; a function receives the
    elements where its condition holds, (n,), and returns n elements or one.
    Errors: ValueError unless there are as many functions as conditions, or one more.
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
    """Returns the angle of complex numbers, in (-pi, pi].

    Args:
      z: Complex or real numbers.
      deg: Whether the result is in degrees.

    Shapes: as `z`.
    """
    z = nx.asarray(z)
    z = z.astype(int) if kind_of(z) == "b" else z
    a = nx.arctan2(z.imag, z.real) if kind_of(z) == "c" else nx.arctan2(nx.zeros_like(z), z)
    return a * (180 / _numpy.pi) if deg else a


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


@_declare.base_class
def sinc(x: ArrayLike) -> ndarray:
    """Normalized sinc function: sin(pi x) / (pi x), and 1 at 0.

    Args:
      x: Input array.

    Shapes: as `x`.
    """
    x = nx.asarray(x)
    # for this x, sin(pi x) / (pi x) is 1
    tiny = float(finfo_of(x).eps) if kind_of(x) == "f" else 1.0e-20
    y = _numpy.pi * nx.where(x == 0, tiny, x)
    return nx.sin(y) / y


def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    """Writes values to an array where a mask is true, in place. The values are repeated as needed.

    Args:
      arr: Array to change.
      mask: Boolean array.
      vals: The values; the n-th true element receives the n-th value.

    Shapes: `mask` has as many elements as `arr`; `vals` any.
    Errors: ValueError if `arr` is read-only, `mask` has another size, or `vals` is empty and an
    element is to be written.
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
    """Writes values to an array where a mask is true, in place: `a.flat[n] = values[n %
    len(values)]`.

    Args:
      a: Array to change.
      mask: Boolean array.
      values: The values.

    Shapes: `mask` has as many elements as `a`; `values` any, flattened.
    Errors: ValueError for a read-only `a` or a `mask` of another size, TypeError if `values` cannot
    be cast to the dtype of `a`.
    """
    a = _arguments.written_array("putmask", "a", a)
    if not a.flags.writeable:
        raise ValueError("putmask(): output array is read-only")
    # Numbers and lists of them are converted to the dtype of `a`, as in an assignment; arrays keep
    # their own.
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
    """Calls a function with the coordinates of the elements of an array.

    Args:
      function: Function of one array for each axis.
      shape: Shape of the coordinate arrays.
      dtype: Dtype of the coordinate arrays.
      like: Must be None, or an object of another library whose `__array_function__` makes the
        array.
      kwargs: Keyword arguments of the function.

    Shapes: `function` receives arrays of shape `shape`; the result is its result.
    """
    return _C._outermost(function, *nx.indices(shape, dtype=dtype), **kwargs)


@_declare.base_class
def asarray_chkfinite(a: ArrayLike, dtype: NumPyDTypeLike | None = None, order: str | None = None) -> ndarray:
    """Converts to an array, and checks that it has no NaN or infinity.

    Args:
      a: Input array, or an object that can be converted to one.
      dtype: Dtype of the result; None is that of `a`.
      order: Memory layout of the result: 'C', 'F', 'A' or 'K'.

    Shapes: as `a`.
    Errors: ValueError if it contains NaN or infinity.
    """
    a = nx.asarray(a, dtype=dtype, order=order)
    if kind_of(a) in "fc" and _values.is_found(~nx.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def iterable(y: Any) -> bool:
    """Whether an object can be iterated over.

    Args:
      y: Any object.
    """
    try:
        iter(y)
    except TypeError:
        return False
    return True


@_declare.base_class
def sort_complex(a: ArrayLike) -> ndarray:
    """Sorts along the last axis and returns a complex array.

    Args:
      a: Input array.

    Shapes: as `a`.
    Dtypes: complex64 for integers of 8 and 16 bits; that of `a` if it is complex; otherwise
    complex128.
    """
    b = nx.sort(nx.asarray(a))
    return b if kind_of(b) == "c" else b.astype(_numpy.complex64 if b.dtype.char in "bhBH" else _numpy.complex128)


def cumulative_sum(x: ArrayLike, /, *, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None,
                   include_initial: bool = False) -> ndarray:
    """Returns the cumulative sum along an axis.

    Args:
      x: Input array.
      axis: Axis of the sum; may be None for up to one axis.
      dtype: Dtype of the result.
      out: Array that receives the result.
      include_initial: Whether the result begins with 0.

    Shapes: as `x`; one element more along `axis` if `include_initial`.
    Errors: ValueError if `axis` is None for several axes.
    """
    return _cumulative(nx.cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(x: ArrayLike, /, *, axis: int | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None,
                    include_initial: bool = False) -> ndarray:
    """Returns the cumulative product along an axis.

    Args:
      x: Input array.
      axis: Axis of the product; may be None for up to one axis.
      dtype: Dtype of the result.
      out: Array that receives the result.
      include_initial: Whether the result begins with 1.

    Shapes: as `x`; one element more along `axis` if `include_initial`.
    Errors: ValueError if `axis` is None for several axes.
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
    """Selects each element from one of several arrays, by index.

    Args:
      a: Indices of the choices.
      choices: Arrays to select from.
      out: Array that receives the result.
      mode: 'raise' for an error if an index is out of range, 'wrap' or 'clip'.

    Shapes: `a` and all choices broadcast.
    Errors: ValueError for an index out of bounds (mode 'raise') and for another `mode`, TypeError
    for indices that are not integers.
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
