"""The operators that the compositions of this package are written on: those that native_functions.yaml declares for NumPy's face."""
from torch_np._C._numpy import *  # noqa: F403
from torch_np._C._numpy import _byteswap as _byteswap, _linspace as _linspace
