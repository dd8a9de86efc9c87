"""Named constants."""
import sys

import numpy as _numpy
from numpy import e, euler_gamma, inf, nan, pi  # noqa: F401  the same objects: `x is np.nan`

__all__ = ["False_", "True_", "e", "euler_gamma", "inf", "little_endian", "nan", "newaxis", "pi"]

newaxis = None
little_endian = sys.byteorder == "little"
True_, False_ = _numpy.True_, _numpy.False_
