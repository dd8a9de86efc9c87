"""Floating-point error state. The kernels raise no floating-point warnings; the state can be set and read, as in NumPy."""
from numpy import errstate, getbufsize, geterr, geterrcall, setbufsize, seterr, seterrcall  # noqa: F401

__all__ = ["errstate", "getbufsize", "geterr", "geterrcall", "setbufsize", "seterr", "seterrcall"]
