"""Elements chosen, computed or written by conditions."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _arguments, _declare, _native as nx
from torch_np.numpy._dtypes import kind_of
from torch_np.numpy._fromnumeric import _choices
from torch_np.numpy._numeric import isscalar

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["piecewise", "place", "select"]


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
    Errors: ValueError unless the number of functions equals the number of conditions, or is one
    larger.
    """
    x = nx.asarray(x)
    if isscalar(condlist) or (not isinstance(condlist[0], (list, _C.ndarray, _numpy.ndarray)) and x.ndim != 0):
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


def place(arr: ndarray, mask: ArrayLike, vals: ArrayLike) -> None:
    """Writes values to an array where a mask is true, in place. The values are repeated as needed.

    Args:
      arr: Array to change.
      mask: Boolean array.
      vals: The values; the n-th true element receives the n-th value.

    Shapes: `mask` has as many elements as `arr`; `vals` any.
    Errors: ValueError if `arr` is read-only, the sizes of `mask` and `arr` differ, or `vals` is
    empty and an element is to be written.
    """
    arr = _arguments.written_array("place", "arr", arr)
    if not (_C._is_array(vals) or isinstance(vals, _numpy.ndarray)):
        vals = nx.asarray(vals, dtype=arr.dtype)
    nx._put_where(arr, mask, vals, False)
