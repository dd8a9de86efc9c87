"""Numbers with names, and what the module says about itself."""
from math import e, inf, nan, pi  # noqa: F401
import sys

import numpy as _numpy

__all__ = ["False_", "True_", "e", "euler_gamma", "inf", "little_endian", "nan", "newaxis", "pi"]

euler_gamma = 0.5772156649015329  # Source: OEIS A001620
newaxis = None
little_endian = sys.byteorder == "little"
True_, False_ = _numpy.True_, _numpy.False_
