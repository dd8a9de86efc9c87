"""The operators that the compositions of this package are written on: those that native_functions.yaml declares for NumPy's face."""
from torch_np._C._numpy import *  # noqa: F403
from torch_np._C._numpy import (
    _byteswap as _byteswap, _choose as _choose, _linspace as _linspace, _put_where as _put_where, _ravel_multi_index as _ravel_multi_index,
    _unravel_index as _unravel_index,
)
