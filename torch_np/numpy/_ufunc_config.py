"""Floating-point error state: NumPy's own, so that `numpy.errstate` and `np.errstate` are one. The engine asks for it where an operator met
an error (csrc/objects/floating_point_errors.h)."""
from numpy import errstate, getbufsize, geterr, geterrcall, setbufsize, seterr, seterrcall  # noqa: F401

__all__ = ["errstate", "getbufsize", "geterr", "geterrcall", "setbufsize", "seterr", "seterrcall"]
