"""What becomes of results that NumPy gives as scalars."""
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
    """Whether what NumPy gives as a scalar (elements, full reductions, `np.sqrt(2.0)`) is NumPy's scalar, 'numpy', or a 0-d array, 'arrays'.

    For the whole process, which begins with what the environment variable TORCH_NP_SCALARS says, by default 'numpy'. As a context,
    `with np._set_scalars('arrays'):`, what was set before comes back at its end.

    Libraries that take arrays of any kind ask the classes of all values of a computation for one namespace, and count NumPy's scalars as
    NumPy's: `scipy.stats.pearsonr` with SCIPY_ARRAY_API=1 then raises "Multiple namespaces for array inputs". 0-d arrays are ours, as
    the standard of array APIs wants them: `s += 1` leaves them as they are, and binds a new one. Draws of random numbers without a size stay
    numbers.

    >>> x = np.array([1.0, 2.0])
    >>> with np._set_scalars('arrays'):
    ...     x.mean()
    array(1.5)
    >>> x.mean()
    np.float64(1.5)

    Errors: ValueError for another mode.
    """

    __module__ = "torch_np.numpy"

    def __init__(self, scalars: str) -> None:
        self._before = _C._set_scalars(_mode(scalars))

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        _C._set_scalars(self._before)


_C._set_scalars(_mode(os.environ.get("TORCH_NP_SCALARS", "numpy")))
