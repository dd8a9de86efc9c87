"""Setting for results that NumPy returns as scalars."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torch_np import _C

if TYPE_CHECKING:
    from types import TracebackType

_MODES = {"numpy": False, "arrays": True}


def _mode(mode: str) -> bool:
    if mode not in _MODES:
        raise ValueError(f"_set_scalars(): scalars must be 'numpy' or 'arrays', got {mode!r}")
    return _MODES[mode]


class _set_scalars:
    """Sets whether results that are scalars in NumPy (elements, full reductions, `np.sqrt(2.0)`)
    are NumPy scalars or 0-d arrays, for the whole process. As a context manager, `with
    np._set_scalars('arrays'):`, it restores the previous setting at the end.

    The environment variable TORCH_NP_SCALARS sets the initial mode; it is 'numpy' by default.

    Libraries for several array types determine one namespace from the classes of all values, and
    count NumPy scalars as NumPy's. For example `scipy.stats.pearsonr` with SCIPY_ARRAY_API=1 then
    raises "Multiple namespaces for array inputs". 0-d arrays avoid this. They behave as the array
    API standard requires: `s += 1` does not change them, but binds a new array. Random draws
    without a size stay numbers.

    >>> x = np.array([1.0, 2.0])
    >>> with np._set_scalars('arrays'):
    ...     x.mean()
    array(1.5)
    >>> x.mean()
    np.float64(1.5)

    Args:
      scalars: 'numpy' for NumPy scalars, 'arrays' for 0-d arrays.

    Errors: ValueError if `scalars` is neither.
    """

    __module__ = "torch_np.numpy"

    def __init__(self, scalars: str) -> None:
        self._before = _C._set_scalars(_mode(scalars))

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        _C._set_scalars(self._before)


_C._set_scalars(_mode(os.environ.get("TORCH_NP_SCALARS", "numpy")))
