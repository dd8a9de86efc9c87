"""numpy.lib.stride_tricks: views with explicit strides, checked against the array's memory."""
from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.lib.array_utils import normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy._arguments import of_class as _of_class, shape_of as _shape_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes


@_declare.base_class
def as_strided(x: ArrayLike, shape: Axes | None = None, strides: Axes | None = None, subok: bool = False,
               writeable: bool = True) -> ndarray:
    """Returns a view with a given shape and strides.

    Args:
      x: The array.
      shape: Shape of the view; None is the shape of `x`.
      strides: Strides in bytes; None is the strides of `x`.
      subok: Whether the result has the class of `x`.
      writeable: Whether the view can be written to.

    Shapes: `shape`, or as `x`.
    Errors: ValueError if the strides exceed the memory of `x`.
    """
    original, x = x, nx.asarray(x)
    sizes = x.shape if shape is None else _shape_of(shape)
    steps = x.strides if strides is None else _shape_of(strides)
    try:
        if any(s % x.itemsize for s in steps):
            view = _of_bytes(x, sizes, steps)
        else:
            view = _C._torch.as_strided(x, sizes, tuple(s // x.itemsize for s in steps))._np_compat()
    except RuntimeError as e:  # the torch face raises this class
        raise ValueError(*e.args) from None
    view = _of_class(view, original) if subok else view
    if not writeable:
        view.flags.writeable = False
    return view


def _of_bytes(x, sizes, steps):
    """Makes a view with strides that are not multiples of the item size, through the bytes of each
    element.
    """
    if x._requires_grad:
        raise NotImplementedError(f"as_strided(): the derivative for strides {steps} that are not multiples of the item size, {x.itemsize}, is not implemented")
    first = _C._torch.as_strided(x, (1,), (1,))._np_compat().view("u1")
    view = _C._torch.as_strided(first, (*sizes, x.itemsize), (*steps, 1))._np_compat().view(x.dtype)
    return view[..., 0]


@_declare.base_class
def sliding_window_view(x: ArrayLike, window_shape: Axes, axis: Axes | None = None, *, subok: bool = False,
                        writeable: bool = False) -> ndarray:
    """Returns a view of all windows of an array.

    Args:
      x: The array.
      window_shape: Sizes of the window along `axis`.
      axis: Axis or axes along which the window slides; None is all of them.
      subok: Whether the result has the class of `x`.
      writeable: Whether the view can be written to.

    Shapes: n - w + 1 for an axis of size n and a window of size w, then `window_shape`.
    Errors: ValueError for a negative or too large window.
    """
    x = nx.asanyarray(x) if subok else nx.asarray(x)
    window = _shape_of(window_shape)
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
    if not x.size:  # no strides are needed, and reversed ones have no memory
        x = nx.zeros_like(x, order="C")
    return as_strided(x, tuple(shape) + window, x.strides + tuple(x.strides[d] for d in axis), subok, writeable)
