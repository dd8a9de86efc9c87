"""Views by explicit strides, checked against the memory that the array really has."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _native as nx

if TYPE_CHECKING:
    from typing import Any

    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes


def as_strided(x: ArrayLike, shape: Axes | None = None, strides: Axes | None = None, subok: bool = False,
               writeable: bool = True) -> ndarray:
    """A view of `x` with the given shape and strides (in bytes).

    Errors: ValueError if the strides are no multiple of the item size, or reach outside the memory of `x`.
    """
    x = nx.asarray(x)
    sizes = x.shape if shape is None else _as_tuple(shape)
    steps = x.strides if strides is None else _as_tuple(strides)
    if any(s % x.itemsize for s in steps):
        raise ValueError(f"as_strided(): strides {steps} must be multiples of the item size {x.itemsize}")
    try:
        view = _C._torch.as_strided(x, sizes, tuple(s // x.itemsize for s in steps))._np_compat()
    except RuntimeError as e:  # the class of the torch face
        raise ValueError(*e.args) from None
    if not writeable:
        view.flags.writeable = False
    return view


def _as_tuple(numbers: Any) -> tuple[int, ...]:
    return (numbers,) if hasattr(numbers, "__index__") else tuple(numbers)


def sliding_window_view(x: ArrayLike, window_shape: Axes, axis: Axes | None = None, *, subok: bool = False,
                        writeable: bool = False) -> ndarray:
    """Windows that slide over `x`: a read-only view, the window's axes last.

    Shapes: (n - w + 1 for each axis, ...) + `window_shape`. Errors: ValueError for a negative or too large window.
    """
    x = nx.asarray(x)
    window = tuple(map(operator.index, window_shape)) if _numpy.iterable(window_shape) else (operator.index(window_shape),)
    if any(w < 0 for w in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axis = tuple(range(x.ndim))
        if len(window) != len(axis):
            raise ValueError(f"Since axis is None, must provide window_shape for all dimensions of `x`; got {len(window)} "
                             f"window_shape elements and `x.ndim` is {x.ndim}.")
    else:
        axis = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axis):
            raise ValueError(f"Must provide matching length window_shape and axis; got {len(window)} window_shape "
                             f"elements and {len(axis)} axes elements.")
    shape = list(x.shape)
    for d, w in zip(axis, window):
        if shape[d] < w:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[d] -= w - 1
    return as_strided(x, tuple(shape) + window, x.strides + tuple(x.strides[d] for d in axis), writeable=writeable)


def broadcast_to(array: ArrayLike, shape: Axes, subok: bool = False) -> ndarray:
    """A read-only view of `array` in the given shape. Errors: ValueError if it does not broadcast."""
    return nx.broadcast_to(array, shape)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[ndarray, ...]:
    """All arguments as views of their common shape."""
    from torch_np.numpy._shape_base import broadcast_arrays as broadcast
    return broadcast(*args, subok=subok)


def broadcast_shapes(*args: Axes) -> tuple[int, ...]:
    """The shape to which all given shapes broadcast."""
    return _numpy.broadcast_shapes(*args)
