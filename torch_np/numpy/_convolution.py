"""Convolution and correlation of sequences."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np._C import _numpy_linalg
from torch_np.numpy import _declare, _native as nx
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["convolve", "correlate"]


def _conv_mode(mode):
    modes = {"valid": 0, "same": 1, "full": 2}
    if isinstance(mode, str) and mode in modes:
        return modes[mode]
    if mode in (0, 1, 2):
        return mode
    if not isinstance(mode, (str, int)):
        raise TypeError(f"mode must be a str or an int, not {type(mode).__name__}")
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})" if isinstance(mode, str)
                     else f"integer mode must be 0, 1 or 2 (got {mode!r})")


def _slide(long, kernel, mode):
    """Sums of products of `kernel` with the windows of `long`, which is not shorter than it."""
    m, number = kernel.size, _conv_mode(mode)
    left, right = ((0, 0), (m // 2, m - m // 2 - 1), (m - 1, m - 1))[number]
    return _numpy_linalg._correlate(long, kernel, left, right)


@_declare.base_class
def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """Cross-correlation of two 1-d sequences: sum_n a[n + k] * conj(v[n]).

    Shapes: `a` (m,) and `v` (n,); the result (m + n - 1,) for `mode` 'full', (max(m, n),) for 'same', (max(m, n) - min(m, n) + 1,) for
    'valid'.
    Errors: ValueError for empty input.
    """
    return _declare.in_class_of_priority(_correlate(nx.asarray(a), nx.asarray(v), mode), a, v)


def _correlate(a, v, mode):
    a, v = a.reshape(-1) if a.ndim == 0 else a, v.reshape(-1) if v.ndim == 0 else v
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'first' if a.size == 0 else 'second'} array argument cannot be empty")
    if kind_of(v) == "c":
        v = v.conj()
    if a.size >= v.size:
        return _slide(a, v, mode)
    if _conv_mode(mode) == 1:       # 'same' is centred on the longer sequence, mirrored with it
        full = nx.flip(_slide(v, a, 2))
        start = (full.size - v.size + 1) // 2
        return full[start:start + v.size]
    return nx.flip(_slide(v, a, mode))


@_declare.base_class
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """Discrete convolution of two 1-d sequences. `mode`: 'full', 'same' or 'valid'.

    Shapes: `a` (m,) and `v` (n,); the result (m + n - 1,) for `mode` 'full', (max(m, n),) for 'same', (max(m, n) - min(m, n) + 1,) for
    'valid'.
    Errors: ValueError for empty input.
    """
    a, v = nx.array(a, copy=None, ndmin=1), nx.array(v, copy=None, ndmin=1)
    if a.size == 0:
        raise ValueError("a cannot be empty")
    if v.size == 0:
        raise ValueError("v cannot be empty")
    if v.size > a.size:
        a, v = v, a
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    return _slide(a, nx.flip(v), mode)
