"""Views by explicit strides, checked against the memory that the array really has."""
import operator

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _native as nx


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view of `x` with the given shape and strides (in bytes).

    Errors: ValueError if the strides are no multiple of the item size, or reach outside the memory of `x`.
    """
    x = nx.asarray(x)
    shape = x.shape if shape is None else (shape,) if hasattr(shape, "__index__") else tuple(shape)
    strides = x.strides if strides is None else (strides,) if hasattr(strides, "__index__") else tuple(strides)
    if any(s % x.itemsize for s in strides):
        raise ValueError(f"as_strided(): strides {strides} must be multiples of the item size {x.itemsize}")
    try:
        view = _C._torch.as_strided(x, shape, tuple(s // x.itemsize for s in strides))._np_compat()
    except RuntimeError as e:  # the class of the torch face
        raise ValueError(*e.args) from None
    if not writeable:
        view.flags.writeable = False
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
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


def broadcast_to(array, shape, subok=False):
    """A read-only view of `array` in the given shape. Errors: ValueError if it does not broadcast."""
    return nx.broadcast_to(array, shape)


def broadcast_arrays(*args, subok=False):
    """All arguments as views of their common shape."""
    from torch_np.numpy._shape_base import broadcast_arrays as broadcast
    return broadcast(*args, subok=subok)


def broadcast_shapes(*args):
    """The shape to which all given shapes broadcast."""
    return _numpy.broadcast_shapes(*args)
