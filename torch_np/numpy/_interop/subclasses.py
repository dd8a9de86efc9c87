"""Subclasses of ndarray behave in functions, ufuncs and methods as in NumPy. This holds for
user-defined classes, and for NumPy's own executed over this namespace.

NumPy's Python functions call methods of their argument, which subclasses override: `sum(masked)` is
`masked.sum()`. NumPy's methods call ufuncs, which subclasses override by __array_ufunc__, or whose
results get a class by __array_wrap__. This package's functions and methods are other code and would
ignore these overrides. For such classes NumPy's source is executed instead (source.py), through
the protocols by which a subclass overrides functions.
"""
from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np._C import ndarray
from torch_np.numpy import _native as nx
from torch_np.numpy._interop import private as _private
from torch_np.numpy._fromnumeric import ndim

_MODULES = {
    "": ["_core.fromnumeric", "_core.numeric", "_core.shape_base", "_core.function_base", "lib._function_base_impl", "lib._shape_base_impl",
         "lib._twodim_base_impl", "lib._type_check_impl", "lib._ufunclike_impl", "lib._nanfunctions_impl", "lib._arraysetops_impl",
         "lib._arraypad_impl", "lib._stride_tricks_impl", "lib._histograms_impl", "lib._polynomial_impl", "lib._index_tricks_impl"],
    "linalg": ["linalg._linalg"],
}

_active = threading.local()


def override_functions(cls: Any) -> None:
    """Makes functions of `cls` behave as in NumPy, by __array_function__."""
    cls.__array_function__ = _array_function


def override_ufuncs(cls: Any) -> None:
    """Makes results of ufuncs get their class as in NumPy, by __array_wrap__ through
    __array_ufunc__.
    """
    cls.__array_ufunc__ = _array_ufunc


def adapt(cls: Any) -> None:
    """Called for each new subclass of ndarray. Classes that override methods or protocols get
    NumPy's behaviour; others keep the direct calls.
    """
    own = vars(cls)
    if "__array_wrap__" in own and cls.__array_ufunc__ is ndarray.__array_ufunc__:
        override_ufuncs(cls)
    if (_PROTOCOLS & own.keys() or _METHODS & own.keys()) and cls.__array_function__ is ndarray.__array_function__:
        override_functions(cls)


_PROTOCOLS = {"__array_wrap__", "__array_ufunc__", "__array_priority__"}
_METHODS = {name for name in vars(ndarray) if not name.startswith("_")}


def source_of(cls: type, function: Any) -> Callable[..., Any] | None:
    """Returns the function that `super().__array_function__` of class `cls` calls, if it differs
    from that for plain arrays.
    """
    return _source_of(function) if cls.__array_function__ is not _array_function else None  # type: ignore[attr-defined]


@functools.cache
def implementation(function: Any, plain: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function._implementation`, which classes with an __array_function__ call with their
    objects. It is NumPy's source for subclasses, and `plain` for other arguments.
    """
    @functools.wraps(plain, assigned=("__module__", "__name__", "__qualname__", "__doc__"), updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        found = _source_of(function) if any(map(is_of_subclass, (*args, *kwargs.values()))) else None
        return found(*args, **kwargs) if found else _in_class_of_highest_priority(function, plain(*args, **kwargs), args)
    call.__text_signature__ = getattr(plain, "__text_signature__", None)  # type: ignore[attr-defined]
    return call


def is_of_subclass(value: Any) -> bool:
    """Whether `value` is an array of a subclass, or a list or tuple that contains one."""
    if isinstance(value, (list, tuple)):
        return any(map(is_of_subclass, value))
    return _C._is_ndarray(value) and type(value) is not ndarray


@functools.cache
def _source_of(function: Any) -> Callable[..., Any] | None:
    """Returns NumPy's function of that name from its executed source; None if it is written in C.
    """
    if function.__name__ in _AS_NUMPYS:
        return None
    package = str(function.__module__).removeprefix("torch_np.numpy").strip(".")
    for path in _MODULES.get(package, ()):
        found = _private.source_names(path).get(function.__name__)
        if isinstance(found, FunctionType):  # other objects are imported in that file, and are this package's
            return found
    return None


# This package's functions of these names treat subclasses as NumPy's do. NumPy's source sets flags of
# views, which is not possible here, or calls functions in C that know classes.
_AS_NUMPYS = {"broadcast_arrays", "convolve", "correlate"}


def _in_class_of_highest_priority(function, result, args):
    """Converts results of `concatenate` to the class with the highest positive priority, as NumPy's
    C code does.
    """
    if type(result) is not ndarray or not args or function.__name__ not in ("concatenate", "concat"):
        return result
    highest, kind = 0.0, ndarray
    for x in args[0]:
        if type(x) is not ndarray and _C._is_ndarray(x) and x.__array_priority__ > highest:
            highest, kind = x.__array_priority__, type(x)
    return result.view(kind) if kind is not ndarray else result


def _array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    source = _source_of(func)
    running = [] if source is None else vars(_active).setdefault("functions", [])
    if source is None or func in running:  # a method may call the function that called it
        result = ndarray.__array_function__(self, func, types, args, kwargs)
        return _in_class_of_highest_priority(func, result, args)
    running.append(func)
    try:
        return source(*args, **kwargs)
    finally:
        running.pop()


def _base(x):
    if _C._is_ndarray(x):
        return x.view(ndarray) if type(x) is not ndarray else x
    return nx.asarray(x) if _wraps(x) else x


def _wraps(x):
    """Whether `x` gives results a class by __array_wrap__. NumPy's scalars and arrays have the
    method too, but do not count.
    """
    return _C._is_ndarray(x) or hasattr(type(x), "__array_wrap__") and not isinstance(x, (type, _numpy.generic, _numpy.ndarray))


def _priority(x):
    """Priority of an operand; of equal priorities, a subclass wins."""
    return getattr(x, "__array_priority__", 0.0), type(x) is not ndarray


_SWAPPED = {"__eq__": "__eq__", "__ne__": "__ne__", "__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}


@functools.cache
def _reflected_name(ufunc: str) -> str:
    """Name of the right operand's method, which is called if a NumPy scalar or array is on the left;
    "" if no operator computes the ufunc.
    """
    dunder = _C._dunder_of_ufunc(ufunc)
    return "" if dunder is None else _SWAPPED.get(dunder, f"__r{dunder[2:]}")


def reflected(self: Any, ufunc: _numpy.ufunc, left: Any) -> Any:
    """Calls the reflected operator of `self`, such as `__radd__`, if `left` is a NumPy scalar or
    array. NumPy's `ufunc` does not know the class of `self`; for one of its own subclasses NumPy
    would have called the operator first. Returns NotImplemented if the class does not define it.
    """
    method = getattr(type(self), _reflected_name(ufunc.__name__), None)
    asked = vars(_active).setdefault("reflected", [])
    if not isinstance(left, (_numpy.generic, _numpy.ndarray)) or not isinstance(method, FunctionType) or any(x is self for x in asked):
        return NotImplemented
    asked.append(self)  # the method may call the ufunc
    try:
        return method(self, left)
    finally:
        asked.pop()


def _array_ufunc(self: Any, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
    if isinstance(ufunc, _numpy.ufunc):
        if len(inputs) == 2 and inputs[1] is self and method == "__call__" and not kwargs:
            found = reflected(self, ufunc, inputs[0])
            if found is not NotImplemented:
                return found
        # __array_wrap__ compares its context with this package's ufunc
        ours = getattr(nx, ufunc.__name__, ufunc)
        ufunc = ours if isinstance(ours, _C.ufunc) else ufunc
    if method == "__call__" and not kwargs and len(inputs) == ufunc.nin and ufunc.nout == 1:
        wrapper = inputs[0] if len(inputs) == 1 else max(filter(_wraps, inputs), key=_priority, default=self)
        return _wrapped(ufunc(*map(_base, inputs)), wrapper, None, (ufunc, inputs, 0), False)
    nin = len(inputs) if method != "__call__" else ufunc.nin
    inputs, out = inputs[:nin], inputs[nin:] or kwargs.pop("out", None)
    out = out if isinstance(out, tuple) else (out,)
    as_array = out[0] is ...  # 0-d results are arrays
    if as_array or all(o is None for o in out):
        out = None
    if out is not None:
        kwargs["out"] = tuple(map(_base, out))
    named = {k: _base(v) for k, v in kwargs.items()}
    found = getattr(ufunc, method)(*map(_base, inputs), **named)
    if found is None:  # ufunc.at
        return None
    wrapper = max(filter(_wraps, inputs), key=_priority, default=self)
    if kwargs.get("subok") is False:
        wrapper = None
    results = found if isinstance(found, tuple) else (found,)
    if method == "outer":  # __array_wrap__ receives the operands in their broadcast shapes
        inputs = tuple(x.reshape(x.shape + (1,) * ndim(inputs[1])) if i == 0 and _C._is_ndarray(x) else x for i, x in enumerate(inputs))
    operands = inputs if out is None else inputs + out
    wrapped = tuple(_wrapped(result, wrapper, out[i] if out is not None and i < len(out) else None,
                             (ufunc, operands, i) if method in ("__call__", "outer") else None, as_array) for i, result in enumerate(results))
    return wrapped if isinstance(found, tuple) else wrapped[0]


def _wrapped(result, wrapper, out, context, as_array):
    if out is not None:
        return out.__array_wrap__(out, context, False) if type(out) is not ndarray and _C._is_ndarray(out) else out
    if wrapper is None:
        return result
    array = nx.asarray(result)
    if type(array) is not ndarray and _C._is_ndarray(wrapper):  # a dtype that the engine does not hold
        return result
    return wrapper.__array_wrap__(array, context, array.ndim == 0 and not as_array)


def _accumulating(ufunc: str) -> Callable[..., Any]:
    def method(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        named = {k: v for k, v in (("dtype", dtype), ("out", out)) if v is not None}
        return getattr(nx, ufunc).accumulate(a if axis is not None else a.ravel(), axis=axis or 0, **named)
    return method


def _round(a, decimals=0, out=None):
    if a.dtype.kind not in "fcV" and decimals >= 0:
        return a.copy() if out is None else nx.positive(a, out)
    if a.dtype.kind == "c":
        return ndarray.__array_wrap__(a, nx.round(a.view(ndarray), decimals, out))
    if decimals == 0:
        return nx.rint(a, out=out)
    before, after = (nx.multiply, nx.divide) if decimals > 0 else (nx.divide, nx.multiply)
    result = nx.asanyarray(before(a, 10.0 ** abs(decimals), out=out))
    nx.rint(result, out=result)
    return after(result, 10.0 ** abs(decimals), out=result)


def _clip(a, min=None, max=None, out=None, **kwargs):
    if min is None and max is None:
        return nx.positive(a, out=out, **kwargs)
    if min is None:
        return nx.minimum(a, max, out=out, **kwargs)
    if max is None:
        return nx.maximum(a, min, out=out, **kwargs)
    if out is not None:
        kwargs["out"] = (out,)
    return type(a).__array_ufunc__(a, _numpy._core.umath.clip, "__call__", a, min, max, **kwargs)  # type: ignore[attr-defined]


def _place_of(name: str) -> Callable[..., Any]:
    def method(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        # the result of a matrix stays a matrix
        if axis is None and out is None and not keepdims and (flat := a.ravel()).ndim != 1:
            return getattr(flat.view(ndarray), name)(-1).view(type(a))
        result = getattr(a.view(ndarray), name)(axis, out, keepdims=keepdims)
        return result.view(type(a)) if type(result) is ndarray and result is not out else result
    return method


class _Methods(dict[str, Callable[..., Any]]):
    """NumPy's methods that are compositions of ufuncs, by name. csrc/array/subclass_methods.cpp has
    the list of names.
    """

    def __missing__(self, name: str) -> Callable[..., Any]:
        source = _private.source_names("_core._methods")
        self[name] = method = source["_" + {"max": "amax", "min": "amin"}.get(name, name)]
        return method


methods = _Methods(clip=_clip, cumsum=_accumulating("add"), cumprod=_accumulating("multiply"), round=_round, argmax=_place_of("argmax"), argmin=_place_of("argmin"))
