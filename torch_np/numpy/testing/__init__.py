"""numpy.testing: NumPy's assertions, which compare our arrays by their values: also those on a device, and those with a gradient. Objects
of classes derived from our arrays are compared as these classes do.

What takes no arrays, and what calls functions of the caller's (`assert_raises`), is NumPy's own.
"""
import functools
import importlib
from typing import Any

import numpy.testing as _testing
from numpy.testing import *  # noqa: F401,F403
from numpy.testing import __all__ as __all__

from torch_np import _C
from torch_np.numpy._interop import exchange as _exchange, subclasses as _subclasses
from torch_np.numpy._interop.private import source_names

# By name: NumPy's, which is an attribute by now, would be found.
overrides = importlib.import_module("torch_np.numpy.testing.overrides")


def _values(x: Any) -> Any:
    """`x` with our arrays in it as NumPy's, copied from where they are."""
    if _C._is_ndarray(x):
        x = x._torch()
    if isinstance(x, _C.Tensor):
        return _C._numpy_view(x.detach().cpu())
    return _exchange.in_containers(x, _values)


def _by_class(name: str) -> Any:
    """NumPy's assertion `name` for values; for objects of classes derived from our arrays, which may say themselves what is equal, NumPy's
    source of it."""
    of_values = _exchange.converted(getattr(_testing, name), __name__, _values)

    @functools.wraps(of_values, updated=())
    def check(*args: Any, **kwargs: Any) -> Any:
        if any(map(_subclasses.is_of_subclass, (*args, *kwargs.values()))):
            return source_names("testing._private.utils")[name](*args, **kwargs)
        return of_values(*args, **kwargs)

    _exchange.copy_signature(check, getattr(_testing, name))
    return check


for _name in ("assert_equal", "assert_almost_equal", "assert_approx_equal", "assert_array_equal", "assert_array_less",
              "assert_array_almost_equal", "assert_array_almost_equal_nulp", "assert_array_max_ulp", "assert_allclose",
              "assert_string_equal", "build_err_msg", "print_assert_equal"):
    if hasattr(_testing, _name):
        globals()[_name] = _by_class(_name)
del _name
