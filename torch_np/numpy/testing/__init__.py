"""numpy.testing: NumPy's assertions, which compare the values of this package's arrays, also on a
GPU or with a gradient. Objects of subclasses are compared by the subclass.

Functions without array arguments, and those that call a user's function (`assert_raises`), are
NumPy's own.
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

# Imported by name, as the attribute is NumPy's module.
overrides = importlib.import_module("torch_np.numpy.testing.overrides")


def _values(x: Any) -> Any:
    """Replaces arrays in `x` by NumPy arrays with their values, copied from a GPU if necessary."""
    if _C._is_ndarray(x):
        x = x._torch()
    if isinstance(x, _C.Tensor):
        return _C._numpy_view(x.detach().cpu())
    return _exchange.in_containers(x, _values)


def _by_class(name: str) -> Any:
    """Wraps NumPy's assertion `name`. Values are compared by NumPy's function. Objects of
    subclasses, which may define equality themselves, are compared by its executed source.
    """
    numpys = getattr(_testing, name)
    of_values = _exchange.converted(numpys, __name__)

    @functools.wraps(of_values, updated=())
    def check(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and not _C._contains_array(args):
            return of_values(*args)
        if any(map(_subclasses.is_of_subclass, (*args, *kwargs.values()))):
            return source_names("testing._private.utils")[name](*args, **kwargs)
        return of_values(*_values(args), **_values(kwargs))

    _exchange.copy_signature(check, numpys)
    return check


for _name in ("assert_equal", "assert_almost_equal", "assert_approx_equal", "assert_array_equal", "assert_array_less",
              "assert_array_almost_equal", "assert_array_almost_equal_nulp", "assert_array_max_ulp", "assert_allclose",
              "assert_string_equal", "build_err_msg", "print_assert_equal"):
    if hasattr(_testing, _name):
        globals()[_name] = _by_class(_name)
del _name
