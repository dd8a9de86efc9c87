"""Compares two outcomes of one statement: values up to rounding, everything else exactly."""
from __future__ import annotations

from dataclasses import dataclass

import numpy

import torch_np
import torch_np.numpy as np

ARRAYS = (np.ndarray, numpy.ndarray, numpy.generic, torch_np.Tensor)


@dataclass
class Difference:
    """`kind`: value, dtype, shape, structure, layout, sharing, "refused" (only we raise), "accepted" (only NumPy raises) or "exception class"."""

    kind: str
    detail: str
    theirs: object = None
    ours: object = None
    after_errors: bool = False      # both sides raised, and left different arrays


def as_numpy(x):
    """NumPy's array over the memory of a result. Other objects are returned unchanged."""
    if isinstance(x, torch_np.Tensor):
        x = x.detach()
        return numpy.asarray(x)
    if torch_np._C._is_ndarray(x):
        return numpy.asarray(x._torch().detach()) if x._requires_grad else numpy.asarray(x)
    return x


def magnitude(values) -> float:
    """The largest finite absolute value among arrays and numbers."""
    largest = 0.0
    for value in values:
        if isinstance(value, ARRAYS) or isinstance(value, (int, float, complex)):
            try:
                x = numpy.abs(numpy.asarray(as_numpy(value)).astype(complex))
            except (TypeError, ValueError, OverflowError):
                continue
            x = x[numpy.isfinite(x)]
            if x.size:
                largest = max(largest, float(x.max()))
    return largest


def compare(theirs, ours, scale: float = 1.0, order: bool = True) -> Difference | None:
    """`scale` is the magnitude of the inputs: rounding errors of sums in another order are
    proportional to it."""
    if isinstance(theirs, (tuple, list)):
        if not isinstance(ours, (tuple, list)) or isinstance(theirs, list) != isinstance(ours, list) or len(theirs) != len(ours):
            return Difference("structure", f"{_kind(ours)}, NumPy {_kind(theirs)}", theirs, ours)
        for t, o in zip(theirs, ours):
            if (difference := compare(t, o, scale, order)) is not None:
                return difference
        return None
    if isinstance(theirs, dict):
        if not isinstance(ours, dict) or theirs.keys() != ours.keys():
            return Difference("structure", f"{_kind(ours)}, NumPy {_kind(theirs)}", theirs, ours)
        return compare([theirs[k] for k in theirs], [ours[k] for k in theirs], scale, order)
    if isinstance(theirs, ARRAYS):
        return _compare_arrays(theirs, ours, scale, order)
    if isinstance(theirs, (bool, int, float, complex)):
        if not isinstance(ours, (bool, int, float, complex, *ARRAYS)):
            return Difference("structure", f"{_kind(ours)}, NumPy {_kind(theirs)}", theirs, ours)
        return _values(numpy.asarray(theirs), numpy.asarray(as_numpy(ours)), scale, theirs, ours)
    if isinstance(theirs, (str, bytes, slice, type(None), type(...), range, numpy.dtype)):
        try:
            same = theirs == ours
        except Exception:  # noqa: BLE001
            same = False
        return None if same is True else Difference("value", f"{ours!r:.200}, NumPy {theirs!r:.200}", theirs, ours)
    if type(theirs).__name__ != type(ours).__name__:
        return Difference("structure", f"{_kind(ours)}, NumPy {_kind(theirs)}", theirs, ours)
    return None


def _kind(x) -> str:
    return f"{type(x).__name__} of {len(x)}" if isinstance(x, (tuple, list, dict)) else type(x).__name__


def _compare_arrays(theirs, ours, scale, order) -> Difference | None:
    if not isinstance(ours, (bool, int, float, complex, *ARRAYS)):
        return Difference("structure", f"{_kind(ours)}, NumPy {_kind(theirs)}", theirs, ours)
    t, o = numpy.asarray(theirs), numpy.asarray(as_numpy(ours))
    if t.shape != o.shape:
        return Difference("shape", f"{o.shape}, NumPy {t.shape}", theirs, ours)
    if isinstance(ours, ARRAYS) and t.dtype != o.dtype:
        return Difference("dtype", f"{o.dtype}, NumPy {t.dtype}", theirs, ours)
    if (difference := _values(t, o, scale, theirs, ours)) is not None:
        return difference
    if order and isinstance(theirs, numpy.ndarray) and isinstance(ours, np.ndarray) and theirs.ndim and theirs.size:
        if min(theirs.shape) > 1 and theirs.ndim > 1 and _order(theirs) != _order(ours):
            return Difference("layout", f"strides {ours.strides}, NumPy {theirs.strides}", theirs, ours)
        if theirs.flags.writeable != ours.flags.writeable:
            return Difference("writeable", f"{ours.flags.writeable}, NumPy {theirs.flags.writeable}", theirs, ours)
    return None


def _order(x):
    return x.flags.c_contiguous, x.flags.f_contiguous


def _values(t, o, scale, theirs, ours) -> Difference | None:
    if t.dtype.kind not in "fc":
        if t.dtype.kind in "biu" and o.dtype.kind in "biu" and numpy.array_equal(t, o) or t.dtype.kind not in "biu" and numpy.array_equal(t, o):
            return None
        return Difference("value", _both(o, t), theirs, ours)
    if close(t, o, scale):
        return None
    return Difference("value", _both(o, t), theirs, ours)


def close(t, o, scale) -> bool:
    """Whether `o` equals `t` up to a few hundred roundings in the shorter of their dtypes."""
    eps = max(float(numpy.finfo(x.dtype).eps) for x in (t, o) if x.dtype.kind in "fc")
    with numpy.errstate(all="ignore"):
        t, o = t.astype(complex), o.astype(complex)
        finite = numpy.isfinite(t)
        if not numpy.array_equal(finite, numpy.isfinite(o)):
            return False
        if not finite.all():
            a, b = t[~finite], o[~finite]
            # Which part of a non-finite complex number is NaN depends on the formula, as does the
            # sign of the other part (C99, Annex G).
            real = (a.imag == 0) & (b.imag == 0)
            if not numpy.array_equal(a.real[real], b.real[real], equal_nan=True):
                return False
        error = numpy.abs(t[finite] - o[finite])
        return bool((error <= 300 * eps * numpy.abs(t[finite]) + 30 * eps * max(scale, 1e-3)).all())


def _both(o, t) -> str:
    if o.size > 12 and o.shape == t.shape:
        with numpy.errstate(all="ignore"):
            differ = numpy.flatnonzero(~((o == t) | (o != o) & (t != t)).ravel())[:3]
        return f"at {differ.tolist()}: {o.ravel()[differ].tolist()}, NumPy {t.ravel()[differ].tolist()}"
    return f"{o.tolist()}, NumPy {t.tolist()}"
