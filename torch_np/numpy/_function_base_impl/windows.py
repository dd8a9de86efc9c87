"""Window functions: Bartlett, Blackman, Hanning, Hamming, Kaiser; and the Bessel function of the
last one.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as _numpy

from torch_np.numpy import _native as nx
from torch_np.numpy._dtypes import kind_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]


def bartlett(M: int) -> ndarray:
    """Returns the Bartlett (triangular) window.

    Args:
      M: Number of points.

    Shapes: (M,), or (0,) for M < 1.
    Source: Bartlett, Biometrika 37 (1950) 1.
    """
    return _window(M, lambda n, m: nx.where(n <= 0, 1 + n / (m - 1), 1 - n / (m - 1)))


def blackman(M: int) -> ndarray:
    """Returns the Blackman window.

    Args:
      M: Number of points.

    Shapes: (M,), or (0,) for M < 1.
    Source: Blackman and Tukey, The Measurement of Power Spectra, 1958.
    """
    return _window(M, lambda n, m: 0.42 + 0.5 * nx.cos(_numpy.pi * n / (m - 1)) + 0.08 * nx.cos(2.0 * _numpy.pi * n / (m - 1)))


def hanning(M: int) -> ndarray:
    """Returns the Hann window.

    Args:
      M: Number of points.

    Shapes: (M,), or (0,) for M < 1.
    Source: Blackman and Tukey, The Measurement of Power Spectra, 1958.
    """
    return _window(M, lambda n, m: 0.5 + 0.5 * nx.cos(_numpy.pi * n / (m - 1)))


def hamming(M: int) -> ndarray:
    """Returns the Hamming window.

    Args:
      M: Number of points.

    Shapes: (M,), or (0,) for M < 1.
    Source: Blackman and Tukey, The Measurement of Power Spectra, 1958.
    """
    return _window(M, lambda n, m: 0.54 + 0.46 * nx.cos(_numpy.pi * n / (m - 1)))


def _window(M, formula):
    if isinstance(M, complex):
        raise TypeError("the number of points must be real")
    if M < 1:
        return nx.empty(0)
    if M == 1:
        return nx.ones(1)
    return formula(nx.arange(1.0 - M, M, 2), float(M))



def i0(x: ArrayLike) -> ndarray:
    """Modified Bessel function of the first kind, order 0.

    Args:
      x: Real numbers.

    Shapes: as `x`.
    Errors: TypeError for complex `x`.
    Source: its power series sum (x/2)^(2k) / k!^2 up to |x| = 15, and Abramowitz and Stegun 9.7.1
    above.
    """
    x = nx.asanyarray(x)
    if kind_of(x) == "c":
        raise TypeError("i0 not supported for complex values")
    x = abs(x if kind_of(x) == "f" else x.astype(float))
    quarter = nx.minimum(x, 15.0) ** 2 / 4
    term = series = nx.ones_like(x)
    for k in range(1, 60):
        term = term * quarter / (k * k)
        series = series + term
    large = nx.maximum(x, 15.0)
    term = tail = nx.ones_like(x)
    for k in range(1, 25):
        term = term * ((2 * k - 1) ** 2 / (8 * k)) / large
        tail = tail + term
    return nx.where(x <= 15, series, nx.exp(large) / nx.sqrt(2 * _numpy.pi * large) * tail)


def kaiser(M: int, beta: float) -> ndarray:
    """Returns the Kaiser window.

    Args:
      M: Number of points.
      beta: Shape parameter; larger values make the window narrower.

    Shapes: (M,), or (0,) for M < 1.
    Source: Kaiser and Schafer, IEEE Trans. Acoust. Speech Signal Process. 28 (1980) 105.
    """
    if M == 1:
        return nx.ones(1)
    n = nx.arange(0.0, M)
    half = (float(M) - 1) / 2.0
    return i0(beta * nx.sqrt(1 - ((n - half) / half) ** 2.0)) / i0(nx.asarray(beta, dtype=float))
