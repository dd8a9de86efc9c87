"""torch_np.numpy: NumPy's names over the native engine.

`import torch_np.numpy as np` in place of `import numpy as np`. What NumPy has no word for begins with an underscore:
`x._torch()`, `x._cuda()`, `x._requires_grad`, `loss._backward()`.

Operators come from native_functions.yaml (`torch_np._C._numpy`); compositions of operators are Python, in the modules
named after NumPy's own.
"""
import numpy as _numpy

from torch_np import _C
from numpy import _CopyMode  # noqa: F401
from torch_np._C import ndarray, ufunc  # noqa: F401
from torch_np.numpy import _native

globals().update(_native._public(_C._numpy))

from torch_np.numpy._constants import *  # noqa: E402,F401,F403
from torch_np.numpy._constants import False_, True_  # noqa: E402,F401
from torch_np.numpy import _dtypes, _errstate, _flatiter  # noqa: E402
from torch_np.numpy import (  # noqa: E402
    _arraypad, _arraysetops, _calculus, _convolution, _function_base, _index_tricks, _io, _logic, _memory, _nanfunctions, _overrides,
    _polynomial, _printing, _products, _ranges, _shape_base, _statistics, _twodim_base, _vectorize, _windows,
)
from torch_np.numpy._array_api import __array_namespace_info__  # noqa: E402,F401


def _adopt(module):
    """Public names of a module of this package (or of NumPy, where it re-exports those) become ours."""
    names = {n: v for n, v in vars(module).items() if not n.startswith("_") and not isinstance(v, type(module))}
    for value in names.values():
        if getattr(value, "__module__", "").startswith("torch_np.numpy._"):
            value.__module__ = "torch_np.numpy"
    globals().update(_overrides.publish(names, _numpy))
    _native.extend(**names)


for _module in (_dtypes, _errstate, _printing, _logic, _ranges, _index_tricks, _shape_base, _calculus, _convolution, _function_base, _windows,
                _statistics, _arraysetops, _nanfunctions, _products, _twodim_base, _arraypad, _polynomial, _memory, _io, _flatiter,
                _vectorize):
    _adopt(_module)
del _module

from torch_np.numpy import exceptions, lib  # noqa: E402,F401

_native.extend(lib=lib)

from numpy import testing  # noqa: E402,F401  (it compares arrays of any kind, through __array__)
from torch_np.numpy import emath, fft, linalg, random  # noqa: E402,F401

_native.extend(fft=fft, linalg=linalg, random=random)
for _module in (fft, linalg):
    vars(_module).update(_overrides.publish(vars(_module), getattr(_numpy, _module.__name__.rpartition(".")[2])))
del _module

__version__ = _numpy.__version__    # the NumPy whose interface this is
__array_api_version__ = _numpy.__array_api_version__


def _attach_array_methods():
    """ndarray's methods that are compositions, and the hooks that C++ calls for text."""
    for name, method in {**_io._ARRAY_METHODS, **_memory._ARRAY_METHODS}.items():
        method.__name__, method.__qualname__ = name, f"ndarray.{name}"
        setattr(ndarray, name, method)
    ndarray.flat = property(lambda self: _flatiter.flatiter(self), lambda self, value: _set_flat(self, value),
                            doc="The elements in row-major order, as a 1-d sequence.")
    ndarray.choose = lambda self, choices, out=None, mode="raise": choose(self, choices, out=out, mode=mode)


def _set_flat(array, value):
    array.flat[:] = value


_attach_array_methods()
_C._set_repr_functions(numpy_repr=_printing.array_repr, numpy_str=_printing._str)


def _set_promotion_rules(rules, device=None):
    """Chooses the rules by which the functions of this module promote dtypes: 'numpy' (NEP 50) or 'torch'.

    For the whole process. `device`: 'cpu' or 'cuda' for the calls on arrays of that device; None for all devices that have no rules
    of their own. `rules` None: the device has none of its own any more; without a device, NumPy's.
    A call is on a device if one of its arrays is: numbers and 0-d arrays of the CPU beside it follow. Calls without arrays, such as
    linspace, and the default dtype of new arrays do not depend on these rules.
    Returns the `rules` that were set before by the same `device`, which put them back.
    Errors: ValueError for other rules, or for a device that is not a kind of device ('cuda:0').
    """
    return _C._set_promotion_rules(rules, None if device is None else str(device))


def _get_promotion_rules(device=None):
    """The rules of promotion, 'numpy' or 'torch', on a kind of `device`; None: of devices that have none of their own."""
    return _C._get_promotion_rules(None if device is None else str(device))


def _set_default_dtype(dtype):
    """Makes `dtype` the dtype of new floating arrays, in place of float64. Errors: TypeError unless it is floating."""
    _C._set_default_dtype(dtype, True)


def _get_default_dtype():
    """The dtype of new floating arrays."""
    return _C._get_default_dtype(True)
