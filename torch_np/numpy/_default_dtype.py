"""The default dtypes of new arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from torch_np import _C

if TYPE_CHECKING:
    from types import TracebackType

    from torch_np._typing import NumPyDTypeLike


class _set_default_dtype:
    """Sets the default dtype of new arrays, for the whole process. As a context manager, `with
    np._set_default_dtype('float32'):`, it restores the previous one at the end.

    A floating dtype replaces float64. It is the dtype of `zeros`, `ones`, `empty`, `eye`,
    `linspace`, of arrays of Python floats, of random numbers, and of integers in `mean`, division,
    `exp` and similar functions. Complex numbers use the complex dtype of the same precision. Arrays
    of two dtypes promote as usual: int64 and float32 give float64
    (`np._set_promotion_rules('torch')`: float32).

    int32 replaces int64. It is the dtype of `arange`, of arrays of Python ints, and of sums of
    narrower integers. An integer that does not fit makes an int64 array. Indices (`argmax`,
    `nonzero`), `dtype=int` and operations on numbers alone stay int64.

    Args:
      dtype: A floating dtype, int32 or int64.

    Errors: TypeError if `dtype` is none of these.
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
    """Returns the dtype of new arrays of Python floats."""
    return _C._get_default_dtype(True)


def _get_default_dtype(kind: Literal["floating", "integer"] = "floating") -> Any:
    """Returns the dtype of new arrays of Python floats or ints.

    Args:
      kind: 'floating' or 'integer'.

    Errors: ValueError if `kind` is neither.
    """
    if kind not in ("floating", "integer"):
        raise ValueError(f"_get_default_dtype(): kind must be 'floating' or 'integer', not {kind!r}")
    return _C._get_default_dtype(True, kind == "integer")
