"""The dtypes of new arrays of Python's numbers, where they are not NumPy's float64 and int64."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from torch_np import _C

if TYPE_CHECKING:
    from types import TracebackType

    from torch_np._typing import NumPyDTypeLike


class _set_default_dtype:
    """Makes `dtype` the dtype of new arrays, in place of float64 if it is floating, in place of int64 if it is int32.

    For the whole process. As a context, `with np._set_default_dtype('float32'):`, what was set before comes back at its end.

    The default floating dtype is that of `zeros`, `ones`, `empty`, `eye`, `linspace`, of arrays of Python's floats, of random numbers,
    and what integers become in `mean`, division, `exp` and their like; complex numbers have the complex dtype of its size. Arrays of
    two dtypes promote as ever: int64 and float32 give float64 (`np._set_promotion_rules('torch')`: float32).

    The default integer dtype is that of `arange` and of arrays of Python's integers, and what narrower integers are summed in. An
    integer that it does not hold makes an int64 array. Indices (`argmax`, `nonzero`), `dtype=int` and operations on numbers alone stay
    int64.

    Errors: TypeError unless `dtype` is floating, int32 or int64.
    """

    __module__ = "torch_np.numpy"

    def __init__(self, dtype: NumPyDTypeLike) -> None:
        self._before = [_C._get_default_dtype(True), _C._get_default_dtype(True, True)]
        _C._set_default_dtype(dtype, True)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        for dtype in self._before:
            _C._set_default_dtype(dtype, True)


def default_dtype() -> Any:
    """The dtype of new arrays of Python's floats."""
    return _C._get_default_dtype(True)


def _get_default_dtype(kind: Literal["floating", "integer"] = "floating") -> Any:
    """The dtype of new arrays of Python's floats, or of its integers. Errors: ValueError for another `kind`."""
    if kind not in ("floating", "integer"):
        raise ValueError(f"_get_default_dtype(): kind must be 'floating' or 'integer', not {kind!r}")
    return _C._get_default_dtype(True, kind == "integer")
