"""Arrays that meet requirements: counterpart of numpy._core._asarray."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch_np.numpy import _declare, _native as nx

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, NumPyDTypeLike

__all__ = ["require"]


@_declare.base_class
def require(a: ArrayLike, dtype: NumPyDTypeLike | None = None, requirements: str | Sequence[str] | None = None, *,
            like: Any = None) -> ndarray:
    """Returns an array that meets requirements on its memory.

    Args:
      a: Input array, or an object that can be converted to one.
      dtype: Dtype of the result; None is the dtype of `a`.
      requirements: Letters or names: C or F (contiguous in this order), A (aligned), W (writeable),
        O (owns its memory), E (of the base class).
      like: Must be None, or an object of another library whose `__array_function__` makes the
        array.

    Shapes: as `a`.
    Errors: ValueError for both C and F, KeyError for an unknown requirement.
    """
    names = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
             "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E"}
    wanted = {names[r.upper()] for r in requirements or ()}
    order = "A"
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    if wanted & {"C", "F"}:
        order = "C" if "C" in wanted else "F"
    make = nx.asarray if "E" in wanted else nx.asanyarray
    out = make(a, dtype=dtype, order=order if wanted & {"C", "F"} else None)
    flags = out.flags
    if "A" in wanted and not flags.aligned or "W" in wanted and not flags.writeable or "O" in wanted and not flags.owndata:
        return out.copy(order)
    return out
