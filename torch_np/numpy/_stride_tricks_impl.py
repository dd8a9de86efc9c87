"""Broadcasting: counterpart of numpy.lib._stride_tricks_impl. Its as_strided and
sliding_window_view are in lib/stride_tricks.py."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy._arguments import of_class

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import Axes

__all__ = ["broadcast_arrays", "broadcast_shapes"]


@_declare.base_class
def broadcast_shapes(*args: Axes) -> tuple[int, ...]:
    """Returns the shape to which all given shapes broadcast.

    Args:
      args: Shapes.

    Errors: ValueError if there is none.
    """
    return _numpy.broadcast_shapes(*args)


def common_shape(arrays: Sequence[ndarray]) -> tuple[int, ...]:
    """Returns the shape to which the arrays broadcast. Errors: ValueError if there is none."""
    if (shape := _C._common_shape(arrays)) is not None:
        return shape
    return _numpy.broadcast_shapes(*(a.shape for a in arrays))


@_declare.base_class
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[ndarray, ...]:
    """Returns all arrays as views of their common shape.

    Args:
      args: Arrays.
      subok: Whether results have the class of their argument.

    Shapes: the arrays broadcast; all results have the common shape.
    """
    arrays = [nx.asarray(a) for a in args]
    target = common_shape(arrays)
    views = [a if a.shape == target else nx.broadcast_to(a, target) for a in arrays]
    return tuple(map(of_class, views, args)) if subok else tuple(views)
