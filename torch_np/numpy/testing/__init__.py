"""numpy.testing: NumPy's assertions, which compare our arrays by their values: also those on a device, and those with a gradient.

What takes no arrays, and what calls functions of the caller's (`assert_raises`), is NumPy's own.
"""
import importlib
from typing import Any

import numpy.testing as _testing
from numpy.testing import *  # noqa: F401,F403
from numpy.testing import __all__ as __all__

from torch_np import _C
from torch_np.numpy import _exchange

# By name: NumPy's, which is an attribute by now, would be found.
overrides = importlib.import_module("torch_np.numpy.testing.overrides")


def _values(x: Any) -> Any:
    """`x` with our arrays in it as NumPy's, copied from where they are."""
    if _C._is_ndarray(x):
        x = x._torch()
    if isinstance(x, _C.Tensor):
        return _C._numpy_view(x.detach().cpu())
    return _exchange.in_containers(x, _values)


for _name in ("assert_equal", "assert_almost_equal", "assert_approx_equal", "assert_array_equal", "assert_array_less",
              "assert_array_almost_equal", "assert_array_almost_equal_nulp", "assert_array_max_ulp", "assert_allclose",
              "assert_string_equal", "build_err_msg", "print_assert_equal"):
    if hasattr(_testing, _name):
        globals()[_name] = _exchange.converted(getattr(_testing, _name), __name__, _values)
del _name
