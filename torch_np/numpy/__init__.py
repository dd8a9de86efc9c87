"""torch_np.numpy: NumPy's interface over the native engine.

Write `import torch_np.numpy as np` in place of `import numpy as np`. Names that NumPy does not have
begin with an underscore: `x._torch()`, `x._cuda()`, `x._requires_grad`, `loss._backward()`.

Operators are generated from native_functions.yaml (`torch_np._C._numpy`). Compositions of operators
are Python functions, in modules named after NumPy's own.
"""
from __future__ import annotations as _annotations

import builtins as _builtins
import sys as _sys
from inspect import signature as _signature
from operator import attrgetter as _attrgetter
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

import numpy as _numpy

from torch_np import _C, _shared_memory
from numpy import _CopyMode as _CopyMode
from torch_np._C import ndarray as ndarray, ufunc as ufunc

if _TYPE_CHECKING:
    from torch_np._typing import DeviceLike as _DeviceLike

# Compositions come before operators, as type checkers use the first definition of a name (such as
# `copyto`). At run time `_adopt` decides.
from torch_np.numpy._arraypad_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._arrayprint import *  # noqa: E402,F401,F403
from torch_np.numpy._arraysetops_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._asarray import *  # noqa: E402,F401,F403
from torch_np.numpy._constants import *  # noqa: E402,F401,F403
from torch_np.numpy._dtypes import *  # noqa: E402,F401,F403
from torch_np.numpy._einsumfunc import *  # noqa: E402,F401,F403
from torch_np.numpy._flatiter import *  # noqa: E402,F401,F403
from torch_np.numpy._fromnumeric import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base_impl.calculus import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base_impl.choices import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base_impl.editing import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base_impl.elements import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base_impl.statistics import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base_impl.vectorize import *  # noqa: E402,F401,F403
from torch_np.numpy._function_base_impl.windows import *  # noqa: E402,F401,F403
from torch_np.numpy._histograms_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._index_tricks_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._iteration import *  # noqa: E402,F401,F403
from torch_np.numpy._multiarray import *  # noqa: E402,F401,F403
from torch_np.numpy._nanfunctions_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._npyio_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._numeric import *  # noqa: E402,F401,F403
from torch_np.numpy._polynomial_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._shape_base import *  # noqa: E402,F401,F403
from torch_np.numpy._shape_base_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._stride_tricks_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._twodim_base_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._type_check_impl import *  # noqa: E402,F401,F403
from torch_np.numpy._ufunc_config import *  # noqa: E402,F401,F403
from torch_np.numpy._ufunclike_impl import *  # noqa: E402,F401,F403
from torch_np._C._numpy import *  # noqa: E402,F401,F403
from torch_np.numpy import _arrayprint, _flatiter, _methods  # noqa: E402
from torch_np.numpy._interop import lazy as _lazy, overrides as _overrides  # noqa: E402
from torch_np.numpy._default_dtype import _get_default_dtype as _get_default_dtype, _set_default_dtype as _set_default_dtype  # noqa: E402
from torch_np.numpy._derivatives import (  # noqa: E402
    _grad as _grad, _hessian as _hessian, _jacobian as _jacobian, _jvp as _jvp, _linearize as _linearize, _value_and_grad as _value_and_grad,
    _vjp as _vjp, _vmap as _vmap)
from torch_np.numpy._interop.not_held import _fallback as _fallback  # noqa: E402
from torch_np.numpy._scalars import _set_scalars as _set_scalars  # noqa: E402
from torch_np.numpy._array_api_info import __array_namespace_info__ as __array_namespace_info__  # noqa: E402
from torch_np._deferred import deferred as _deferred  # noqa: E402
from torch_np._registry import Namespace as _Namespace  # noqa: E402

# The operators that users and libraries registered: np._ops.<namespace>.<name>, for arrays.
_ops = _Namespace("torch_np.numpy._ops", numpy_face=True)


def _adopt(module: _ModuleType) -> None:
    """Publishes the public names of a module of this package, and NumPy's names that it re-exports.
    """
    names = {n: getattr(module, n) for n in module.__all__}
    for value in names.values():
        if getattr(value, "__module__", "").startswith("torch_np.numpy._"):
            value.__module__ = "torch_np.numpy"
    globals().update(_overrides.publish(names, _numpy))


# No mirror of a private NumPy module is loaded yet: the finder of `torch_np.numpy._core` and the
# like (_interop/private.py) is installed below.
for _module in [m for name, m in _sys.modules.items() if name.startswith("torch_np.numpy._") and hasattr(m, "__all__")]:
    _adopt(_module)
del _module

# A NumPy function with two names is one object here too: dispatch tables have `np.true_divide` as a
# key, and `/` is `np.divide`.
for _name, _value in vars(_numpy).items():
    _own_name: str = getattr(_value, "__name__", "")
    if type(_value) in (_numpy.ufunc, type(_numpy.sum)) and _name in globals() and vars(_numpy).get(_own_name) is _value:
        globals()[_name] = globals()[_own_name]
del _name, _own_name, _value

from torch_np.numpy import exceptions as exceptions, lib as lib  # noqa: E402

from torch_np.numpy import emath as emath, fft as fft, linalg as linalg  # noqa: E402

if _TYPE_CHECKING:
    from torch_np.numpy import random as random
else:
    random = _deferred("torch_np.numpy.random")  # importing it would take an eighth of this module's import time

for _module in (emath, fft, linalg, lib.array_utils, lib.stride_tricks):
    vars(_module).update(_overrides.publish(vars(_module), _attrgetter(_module.__name__.removeprefix("torch_np.numpy."))(_numpy)))
del _module

from torch_np.numpy._interop import private as _private  # noqa: E402,F401

if _TYPE_CHECKING:
    from numpy import (
        busday_count as busday_count, busday_offset as busday_offset, busdaycalendar as busdaycalendar, complex256 as complex256,
        datetime_as_string as datetime_as_string, datetime_data as datetime_data, float128 as float128, frompyfunc as frompyfunc,
        fromregex as fromregex, get_include as get_include, info as info, is_busday as is_busday, isnat as isnat,
        recarray as recarray, record as record, show_config as show_config, show_runtime as show_runtime, test as test,
    )
    from torch_np.numpy import (
        char as char, ctypeslib as ctypeslib, dtypes as dtypes, ma as ma, matlib as matlib, matrixlib as matrixlib,
        polynomial as polynomial, rec as rec, strings as strings, testing as testing, typing as typing, version as version,
    )
    from torch_np.numpy._memmap import memmap as memmap
    from torch_np.numpy.matrixlib.defmatrix import asmatrix as asmatrix, bmat as bmat, matrix as matrix
    core: _Any
    f2py: _Any

_lazy.add_names(globals())
globals()["__all__"] = list(_numpy.__all__)

__version__ = _numpy.__version__  # the version of NumPy whose interface this module has
__array_api_version__ = _numpy.__array_api_version__


def _attach_array_methods():
    """Attaches the methods of ndarray that are written in Python, and the hooks through which C++
    formats arrays.
    """
    for name, method in {**_methods._ARRAY_METHODS, "choose": _choose}.items():
        method.__name__, method.__qualname__ = name, f"ndarray.{name}"
        setattr(ndarray, name, _overrides.falls_back(method))
    for name, method in {"_share_memory": _shared_memory._share_memory, "_is_shared": _shared_memory._is_shared}.items():
        method.__qualname__ = f"ndarray.{name}"
        setattr(ndarray, name, method)
    setattr(ndarray, "flat", property(_flatiter.flatiter, _set_flat, doc="The elements in row-major order, as a 1-d sequence."))
    setattr(ndarray, "ctypes", property(_methods._ctypes, doc=_methods._ctypes.__doc__))


def _set_flat(array: ndarray, value: _Any) -> None:
    array.flat[:] = value


def _choose(self: ndarray, /, *choices: _Any, out: ndarray | None = None, mode: str = "raise") -> ndarray:
    """Selects elements of `choices` by the array's elements as indices; see
    torch_np.numpy.choose().

    Args:
      choices: Arrays to select from, or one sequence of them.
      out: Array that receives the result.
      mode: 'raise' for an error if an index is out of range, 'wrap' or 'clip'.

    Shapes: the array and all choices broadcast.
    Errors: ValueError for an index out of bounds (mode 'raise') and if `mode` is none of these,
    TypeError for indices that are not integers.
    """
    return choose(self, choices[0] if len(choices) == 1 else choices, out=out, mode=mode)


_choose.__signature__ = _signature(_numpy.ndarray.choose)  # type: ignore[attr-defined]


_attach_array_methods()
_C._set_repr_functions(numpy_repr=_arrayprint.array_repr, numpy_str=_arrayprint._str)


_operator: _Any = _deferred("torch_np.operator")


def _Custom(*args: _Any, op_type: str, **kwargs: _Any) -> _Any:  # noqa: N802  (MXNet's name)
    """Calls an operator of `torch_np.operator` as `torch_np.Custom` does, with ndarrays, lists and
    numbers (states: ndarrays). It returns ndarrays; the operator's methods receive Tensors.
    """
    return _operator.custom(args, op_type, kwargs, numpy_face=True)


def _autocast(device_type: str = "cpu", dtype: _Any = None, enabled: _builtins.bool = True,
              cache_enabled: _builtins.bool | None = None) -> _Any:
    """Returns a context, or decorator, in which operators cast their operands: `torch_np.autocast`, which describes it. Products
    of float32 arrays then compute in bfloat16 or float16.

    Args:
      device_type: Type of device whose operators cast, 'cpu' or 'cuda'.
      dtype: bfloat16 or float16; None is bfloat16 on the CPU and float16 on GPUs.
      enabled: Whether operators cast; False ends an outer region for a block.
      cache_enabled: Whether casts of leaves that require a gradient are cached; None is the current setting.

    Errors: RuntimeError for an unknown device type.
    """
    from torch_np import autocast

    if dtype is not None and not isinstance(dtype, _C.dtype):
        dtype = empty(0, dtype=dtype)._torch().dtype  # noqa: F405
    return autocast(device_type, dtype, enabled, cache_enabled)


def _set_promotion_rules(rules: str, device: _DeviceLike | None = None) -> str | None:
    """Sets the rules of dtype promotion of this module's functions, for the whole process. Returns
    the previous rules of the same `device`, which restore them.

    A call is on a device if one of its arrays is; numbers and 0-d arrays of the CPU do not count
    then. Calls without arrays, such as linspace, and the default dtype of new arrays do not depend
    on these rules.

    Args:
      rules: 'numpy' (NEP 50) or 'torch'. None removes the device's own rules, or without a device
        restores NumPy's.
      device: 'cpu' or 'cuda', for calls on arrays of that device; None is all devices without their
        own rules.

    Errors: ValueError if `rules` is none of these, or for a device with an index ('cuda:0').
    """
    return _C._set_promotion_rules(rules, None if device is None else str(device))


def _get_promotion_rules(device: _DeviceLike | None = None) -> str:
    """Returns the rules of dtype promotion, 'numpy' or 'torch'.

    Args:
      device: 'cpu' or 'cuda'; None is the rules of devices without their own.
    """
    return _C._get_promotion_rules(None if device is None else str(device))
