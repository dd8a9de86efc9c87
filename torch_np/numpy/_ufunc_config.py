"""Floating-point error state: NumPy's own functions, so that `numpy.errstate` and `np.errstate` are
the same. The engine reads the state when an operator detects an error
(csrc/objects/floating_point_errors.h).
"""
from numpy import errstate, getbufsize, geterr, geterrcall, setbufsize, seterr, seterrcall  # noqa: F401

__all__ = ["errstate", "getbufsize", "geterr", "geterrcall", "setbufsize", "seterr", "seterrcall"]
