"""np.pad: padding of arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy import _differentiation
from torch_np.numpy import _values
from torch_np.numpy._dtypes import kind_of
from torch_np.numpy._function_base import linspace
from torch_np.numpy._function_base_impl.statistics import median

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["pad"]


def _pairs(value, n, name, integer=False):
    """Returns `value`, which broadcasts to shape (n, 2), as n pairs (before, after)."""
    x = nx.asarray(value, device="cpu")
    if x.ndim > 2:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    if integer and x.size and _values.is_found(x < 0):
        raise ValueError("index can't contain negative values")
    try:
        return nx.broadcast_to(x, (n, 2)).tolist()
    except ValueError:
        raise ValueError(f"operands could not be broadcast together: {name} of shape {x.shape} with shape {(n, 2)}") from None


def _numbers(value, n, name):
    """Returns pairs as `_pairs` does, but as 0-d arrays if gradients are recorded, or if there is
    no data.
    """
    x = nx.asarray(value)
    if x.device != "meta":
        pairs = _pairs(value, n, name)
        if not _differentiation.compute_requires_grad(x):
            return pairs
    x = nx.broadcast_to(x, (n, 2))
    return [(x[d, 0], x[d, 1]) for d in range(n)]


def _widths(array, pad_width):
    if isinstance(pad_width, dict):
        found = {}
        for axis, width in pad_width.items():
            found[axis if axis >= 0 else axis + array.ndim] = width if isinstance(width, (tuple, list)) else (width, width)
        return [tuple(found.get(d, (0, 0))) for d in range(array.ndim)]
    width = nx.asarray(pad_width, device="cpu")
    if kind_of(width) != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return _pairs(width, array.ndim, "pad_width", integer=True)


def _along(a, d, start, stop):
    return a[(slice(None),) * d + (slice(start, stop),)]


def _constant(a, widths, values):
    """Copies `a` into the middle of a new array, and fills the margins of each axis with a pair of
    `values`; with None they stay uninitialised.
    """
    out = nx.empty([before + n + after for n, (before, after) in zip(a.shape, widths)], dtype=a.dtype, order="F" if a.flags.fnc else "C",
                   device=a.device)
    middle = [slice(before, before + n) for n, (before, _) in zip(a.shape, widths)]
    out[tuple(middle)] = a
    for d, (before, after) in enumerate(widths if values is not None else ()):
        # The margins of an axis include those of the axes before it.
        for n, part, value in ((before, slice(before), values[d][0]), (after, slice(middle[d].stop, None), values[d][1])):
            if n:
                out[(slice(None),) * d + (part, *middle[d + 1:])] = value
    return out


def _edge(a, d, before, after):
    return nx.repeat(_along(a, d, 0, 1), before, axis=d), nx.repeat(_along(a, d, -1, None), after, axis=d)


def _linear_ramp(a, d, before, after, ends):
    def ramp(n, end, edge):
        # for an integer dtype, linspace rounds down
        return linspace(end, edge.squeeze(d), n, endpoint=False, dtype=a.dtype, axis=d)
    left = ramp(before, ends[0], _along(a, d, 0, 1))
    right = nx.flip(ramp(after, ends[1], _along(a, d, -1, None)), d)
    return left, right


def _statistic(a, d, before, after, lengths, function):
    n = a.shape[d]
    parts = []
    for count, length, front in ((before, lengths[0], True), (after, lengths[1], False)):
        length = n if length is None else min(length, n)
        if length == 0 and function in (nx.max, nx.min):
            raise ValueError("stat_length of 0 yields no value for padding")
        chunk = _along(a, d, 0, length) if front else _along(a, d, n - length, n)
        value = function(chunk, axis=d, keepdims=True)
        if kind_of(a) in "iu" and kind_of(value) == "f":
            value = nx.rint(value)
        parts.append(nx.repeat(value.astype(a.dtype), count, axis=d))
    return parts


def _periodic_index(n, before, after, mode):
    """Returns the index of the source element for each position of the padded axis."""
    places = nx.arange(-before, n + after)
    if mode == "wrap":
        return places % n
    if mode == "symmetric":
        places = places % (2 * n)
        return nx.where(places < n, places, 2 * n - 1 - places)
    if n == 1:
        return nx.zeros_like(places)
    period = 2 * (n - 1)
    places = places % period
    return nx.where(places < n, places, period - places)


_STATISTICS = {"maximum": nx.max, "mean": nx.mean, "median": median, "minimum": nx.min}
_ARGUMENTS = {
    "empty": [], "edge": [], "wrap": [], "constant": ["constant_values"], "linear_ramp": ["end_values"],
    "maximum": ["stat_length"], "mean": ["stat_length"], "median": ["stat_length"], "minimum": ["stat_length"],
    "reflect": ["reflect_type"], "symmetric": ["reflect_type"]}


@_declare.base_class
def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> ndarray:
    """Pads an array with margins before and after each axis.

    Args:
      array: Array to pad.
      pad_width: Number of elements before and after each axis: a number, a pair, a pair for each
        axis, or a dict from axes to numbers or pairs.
      mode: Rule that fills the margins: 'constant', 'edge', 'linear_ramp', 'maximum', 'mean',
        'median', 'minimum', 'reflect', 'symmetric', 'wrap' or 'empty'; or a function that fills a
        row in place.
      kwargs: Arguments of the mode: `constant_values`, `end_values`, `stat_length` or
        `reflect_type`; or keyword arguments of the function, if `mode` is one.

    Shapes: `array` (n1, ..., nk), the result (b1 + n1 + a1, ..., bk + nk + ak) for pairs of b and
    a; `pad_width` broadcasts to (k, 2).
    Errors: TypeError for widths that are not integers, ValueError for negative widths and an
    unknown mode or argument.
    """
    a = nx.asarray(array)
    columns_first = a.flags.fnc
    widths = _widths(a, pad_width)
    if callable(mode):
        out = pad(a, widths)
        for d in range(a.ndim):
            moved = nx.moveaxis(out, d, -1)
            for i in _numpy.ndindex(moved.shape[:-1]):
                row = moved[i]
                _C._outermost(mode, row, tuple(widths[d]), d, kwargs)
        return out
    if mode not in _ARGUMENTS:
        raise ValueError(f"mode '{mode}' is not supported")
    wrong = set(kwargs) - set(_ARGUMENTS[mode])
    if wrong:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {wrong}")
    if mode in ("constant", "linear_ramp"):
        name = _ARGUMENTS[mode][0]
        extra = _numbers(kwargs.get(name, 0), a.ndim, name)
    elif mode in _STATISTICS:
        lengths = kwargs.get("stat_length")
        extra = [(None, None)] * a.ndim if lengths is None else _pairs(lengths, a.ndim, "stat_length", integer=True)
        if mode in ("maximum", "minimum") and any(0 in pair for pair in extra):
            raise ValueError("stat_length of 0 yields no value for padding")
    if mode in ("constant", "empty"):
        return _constant(a, widths, extra if mode == "constant" else None)
    # Raises MemoryError for a result that is too large before any axis is padded.
    nx.empty(tuple(before + n + after for n, (before, after) in zip(a.shape, widths)), dtype=a.dtype, device=a.device)
    for d, (before, after) in enumerate(widths):
        n = a.shape[d]
        if n == 0 and (before or after):
            raise ValueError(f"can't extend empty axis {d} using modes other than 'constant' or 'empty'")
        if not (before or after):
            continue
        if mode in ("wrap", "reflect", "symmetric"):
            if kwargs.get("reflect_type", "even") == "odd":
                a = _reflect_odd(a, d, before, after, mode)
            else:
                a = nx.take(a, _periodic_index(n, before, after, mode), axis=d)
            continue
        if mode == "edge":
            left, right = _edge(a, d, before, after)
        elif mode == "linear_ramp":
            left, right = _linear_ramp(a, d, before, after, extra[d])
        else:
            left, right = _statistic(a, d, before, after, extra[d], _STATISTICS[mode])
        a = nx.concatenate((left, a, right), axis=d)
    if a is array:
        return a.copy()
    return nx.asarray(a, order="F") if columns_first else a


def _reflect_odd(a, d, before, after, mode):
    """Reflects about the edge value, 2 * edge - mirror, until the margins are full."""
    skip = 0 if mode == "symmetric" else 1
    while before > 0 or after > 0:
        n = a.shape[d]
        if n == 1 and skip:
            left, right = _edge(a, d, before, after)
            return nx.concatenate((left, a, right), axis=d)
        step = n - skip
        take_left, take_right = min(before, step), min(after, step)
        left = nx.flip(_along(a, d, skip, skip + take_left), d)
        right = nx.flip(_along(a, d, n - skip - take_right, n - skip), d)
        left, right = 2 * _along(a, d, 0, 1) - left, 2 * _along(a, d, n - 1, n) - right
        a = nx.concatenate((left.astype(a.dtype), a, right.astype(a.dtype)), axis=d)
        before, after = before - take_left, after - take_right
    return a
