"""The operations of `numpy.ma` that programs call most, over the functions of torch_np._C for masked
arrays (csrc/array/masked_arrays.cpp).

Each replaces a function or method of NumPy's source, which it calls for other arguments: subclasses
of MaskedArray, hard masks, `out=`.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from torch_np import _C
from torch_np._C import ndarray
from torch_np.numpy import _native as nx
from torch_np.numpy._interop import exchange as _exchange

_no_value: Any = numpy._NoValue
_BOOL = numpy.dtype(bool)


def install(core: dict[str, Any], masked_array: Any) -> None:
    """Puts the operations into the namespace `core` of numpy.ma.core, and into its class."""
    for replace in (_functions, _operations, _attributes, _records, _wrapping, _elements, _reductions):
        replace(core, masked_array)


def _replaced(owner: Any, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Puts the decorated function in the place of the attribute or item `name`, whose name, text and
    signature it keeps.
    """
    is_class = isinstance(owner, type)
    before = vars(owner)[name] if is_class else owner[name]

    def replace(function: Any) -> Any:
        functools.update_wrapper(function, before)
        if is_class:
            setattr(owner, name, function)
        else:
            owner[name] = function
        return function
    return replace


def _is_mask(value):
    return type(value) is ndarray and value.dtype == _BOOL


def _has_no_fields(dtype):
    return dtype.names is None and dtype.subdtype is None


def _functions(core: dict[str, Any], masked_array: Any) -> None:
    nomask = core["nomask"]
    simple = "biufc"
    default_filler = core["default_filler"]
    names = ("_check_fill_value", "make_mask_descr", "make_mask_none", "make_mask", "mask_or", "get_masked_subclass")
    numpys_fill_value, numpys_descr, numpys_none, numpys_make, numpys_or, numpys_subclass = map(core.__getitem__, names)

    @_replaced(core, "_check_fill_value")
    def check_fill_value(fill_value: Any, ndtype: Any) -> Any:
        dtype = numpy.dtype(ndtype)
        if dtype.kind in simple and not isinstance(fill_value, str):
            if fill_value is None:
                return nx.array(default_filler[dtype.kind] if dtype.kind != "u" else numpy.uint(default_filler["u"]))
            try:
                return nx.array(fill_value, dtype=dtype)
            except (OverflowError, TypeError, ValueError):
                pass
        return numpys_fill_value(fill_value, ndtype)

    @_replaced(core, "make_mask_descr")
    def make_mask_descr(ndtype: Any) -> Any:
        dtype = numpy.dtype(ndtype)
        return _BOOL if _has_no_fields(dtype) else numpys_descr(dtype)

    @_replaced(core, "make_mask_none")
    def make_mask_none(newshape: Any, dtype: Any = None) -> Any:
        if dtype is None or type(dtype).__base__ is numpy.dtype and _has_no_fields(dtype):
            return nx.zeros(newshape, dtype=bool)
        return numpys_none(newshape, dtype)

    @_replaced(core, "make_mask")
    def make_mask(m: Any, copy: bool = False, shrink: bool = True, dtype: Any = numpy.bool) -> Any:
        if m is nomask:
            return nomask
        if _is_mask(m) and (dtype is numpy.bool or dtype == _BOOL):
            return nomask if shrink and not m.any() else m.copy("K") if copy else m
        return numpys_make(m, copy, shrink, dtype)

    @_replaced(core, "mask_or")
    def mask_or(m1: Any, m2: Any, copy: bool = False, shrink: bool = True) -> Any:
        if m1 is nomask and (m2 is nomask or _is_mask(m2)):
            return make_mask(m2, copy, shrink)
        if m2 is nomask and _is_mask(m1):
            return make_mask(m1, copy, shrink)
        if m1 is not m2 and _is_mask(m1) and _is_mask(m2):
            return make_mask(nx.logical_or(m1, m2), False, shrink)
        return numpys_or(m1, m2, copy, shrink)

    numpys_where = core["masked_where"]

    @_replaced(core, "masked_where")
    def masked_where(condition: Any, a: Any, copy: bool = True) -> Any:
        if not _C._is_ndarray(a) and type(nx.array(a, copy=None, subok=True)) is numpy.ndarray:  # type: ignore[comparison-overlap]  # of a dtype that the engine lacks
            return numpy.ma.masked_where(_exchange.to_numpy(condition, "masked_where"), a, copy)
        return numpys_where(condition, a, copy)

    @_replaced(core, "get_masked_subclass")
    def get_masked_subclass(*arrays: Any) -> Any:
        plain = (masked_array, ndarray)
        return masked_array if all(type(a) in plain for a in arrays) else numpys_subclass(*arrays)


def _operations(core: dict[str, Any], masked_array: Any) -> None:
    unary, binary, domained = (core[name] for name in ("_MaskedUnaryOperation", "_MaskedBinaryOperation", "_DomainedBinaryOperation"))
    safe_divide = core["_DomainSafeDivide"]
    umath = core["umath"]
    numpys_unary, numpys_binary, numpys_domained = unary.__call__, binary.__call__, domained.__call__

    @_replaced(unary, "__call__")
    def call_unary(self: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and not kwargs and (found := _C._masked_unary(self.f, self.domain, a)) is not NotImplemented:
            return found
        return numpys_unary(self, a, *args, **kwargs)

    @_replaced(binary, "__call__")
    def call_binary(self: Any, a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and not kwargs and (found := _C._masked_binary(self.f, a, b, False)) is not NotImplemented:
            return found
        return numpys_binary(self, a, b, *args, **kwargs)

    @_replaced(domained, "__call__")
    def call_domained(self: Any, a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and not kwargs and type(self.domain) is safe_divide:
            found = _C._masked_binary(self.f, a, b, True)
            if found is not NotImplemented:
                return found
        return numpys_domained(self, a, b, *args, **kwargs)

    # Comparisons report no floating-point errors, so these need no np.errstate.
    @_replaced(core["_DomainCheckInterval"], "__call__")
    def outside_of_interval(self: Any, x: Any) -> Any:
        return umath.logical_or(umath.greater(x, self.b), umath.less(x, self.a))

    @_replaced(core["_DomainGreater"], "__call__")
    def not_greater(self: Any, x: Any) -> Any:
        return umath.less_equal(x, self.critical_value)

    @_replaced(core["_DomainGreaterEqual"], "__call__")
    def less(self: Any, x: Any) -> Any:
        return umath.less(x, self.critical_value)


def _attributes(core: dict[str, Any], masked_array: Any) -> None:
    nomask = core["nomask"]
    numpys_setmask, numpys_filled, numpys_new = masked_array.__setmask__, masked_array.filled, masked_array.__new__
    check_fill_value = core["_check_fill_value"]
    own = vars(masked_array)
    for name, getter in (("shape", _C._masked_shape), ("dtype", _C._masked_dtype), ("_data", _C._masked_data), ("data", _C._masked_data)):
        setattr(masked_array, name, property(getter, own[name].fset, doc=own[name].__doc__))

    def setmask(self: Any, mask: Any, copy: bool = False) -> None:
        current = self._mask
        if mask is nomask and current is nomask:
            return
        if type(self) is masked_array and _is_mask(mask) and mask.shape == self.shape and mask.ndim:
            if current is nomask:
                self._mask = mask.copy("K")
                return
            if not self._hardmask and _is_mask(current):
                current[...] = mask
                return
        numpys_setmask(self, mask, copy)
    functools.update_wrapper(setmask, numpys_setmask)
    masked_array.__setmask__ = masked_array._set_mask = setmask

    @_replaced(masked_array, "filled")
    def filled(self: Any, fill_value: Any = None) -> Any:
        if self._mask is nomask:
            return self._data
        given = self.fill_value if fill_value is None else check_fill_value(fill_value, self.dtype)
        found = _C._masked_filled(self, given)
        return found if found is not NotImplemented else numpys_filled(self, fill_value)

    def new(cls: Any, data: Any = None, mask: Any = nomask, dtype: Any = None, copy: bool = False, subok: bool = True, ndmin: int = 0,
            fill_value: Any = None, keep_mask: bool = True, hard_mask: Any = None, shrink: bool = True, order: Any = None) -> Any:
        if cls is masked_array and ndmin == 0 and keep_mask and (order is None or order == "C" and _is_row_major(data)):
            try:
                made = _C._masked_array(data, mask, dtype, copy)
            except Exception:  # NumPy's source raises
                made = NotImplemented
            if made is not NotImplemented:
                if fill_value is not None:
                    made._fill_value = check_fill_value(fill_value, made.dtype)
                if hard_mask is not None:
                    made._hardmask = hard_mask
                return made
        return numpys_new(cls, data, mask, dtype, copy, subok, ndmin, fill_value, keep_mask, hard_mask, shrink, order)
    functools.update_wrapper(new, numpys_new)
    masked_array.__new__ = new


def _records(core: dict[str, Any], masked_array: Any) -> None:
    numpys_toflex = masked_array.toflex

    @_replaced(masked_array, "toflex")
    def toflex(self: Any) -> Any:
        mask = self._mask
        if not _C._are_plain(self) or not (mask is core["nomask"] or _is_mask(mask)):
            return numpys_toflex(self)
        record = numpy.ndarray(self.shape, [("_data", self.dtype), ("_mask", bool)])
        record["_data"] = _C._numpy_view(self)
        record["_mask"] = _C._numpy_view(mask) if _is_mask(mask) else mask
        return record
    masked_array.torecords = toflex


def _is_row_major(data):
    return type(data) is ndarray and data.flags.c_contiguous or type(data) in (list, tuple)


def _wrapping(core: dict[str, Any], masked_array: Any) -> None:
    nomask = core["nomask"]
    numpys_wrap, numpys_getmaskarray = masked_array.__array_wrap__, core["getmaskarray"]
    mask_or, domains, fills = core["mask_or"], core["ufunc_domain"], core["ufunc_fills"]

    @_replaced(core, "getmaskarray")
    def getmaskarray(arr: Any) -> Any:
        if _C._is_ndarray(arr):
            mask = getattr(arr, "_mask", nomask)
            return nx.zeros(arr.shape, dtype=bool, device=arr.device) if mask is nomask else mask
        return numpys_getmaskarray(arr)

    @_replaced(masked_array, "__array_wrap__")
    def array_wrap(self: Any, obj: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if context is None or type(self) is not masked_array or type(obj) is not ndarray or obj.ndim == 0 or self._baseclass is not ndarray:
            return numpys_wrap(self, obj, context, return_scalar)
        function, inputs = context[0], context[1][:context[0].nin]
        mask = functools.reduce(mask_or, map(getmaskarray, inputs))
        if (domain := domains.get(function)) is not None:
            with numpy.errstate(divide="ignore", invalid="ignore"):
                outside = domain(*(x._data if isinstance(x, masked_array) else x for x in inputs))
            # NumPy's division reads operands without their masks; other domains leave masked elements out
            both = outside if mask is nomask else nx.logical_or(outside, mask)
            if both.any():
                fill = fills[function]
                nx.copyto(obj, fill[-1] if isinstance(fill, tuple) else fill, where=outside if function.nin == 2 else both)
                mask = both
        if mask is not nomask and not _is_mask(mask):
            return numpys_wrap(self, obj, context, return_scalar)
        result = _C._masked_view(obj, mask, self)
        result._sharedmask = False
        return result


def _elements(core: dict[str, Any], masked_array: Any) -> None:
    numpys_getitem, numpys_setitem = masked_array.__getitem__, masked_array.__setitem__

    @_replaced(masked_array, "__getitem__")
    def getitem(self: Any, indx: Any) -> Any:
        found = _C._masked_item(self, indx)
        return found if found is not NotImplemented else numpys_getitem(self, indx)

    @_replaced(masked_array, "__setitem__")
    def setitem(self: Any, indx: Any, value: Any) -> None:
        if _C._masked_assign(self, indx, value) is NotImplemented:
            numpys_setitem(self, indx, value)


def _reductions(core: dict[str, Any], masked_array: Any) -> None:
    nomask, masked = core["nomask"], core["masked"]

    def options(keepdims):
        return {} if keepdims is _no_value else {"keepdims": keepdims}

    def mask_along(mask, axis, named):
        return nomask if mask is nomask else mask.all(axis=axis, **named)

    def reduced(self, found, mask):
        """The result of a reduction of `self`: of the elements `found`, an array or a scalar, and of
        the mask."""
        if not _C._is_ndarray(found) or found.ndim == 0:
            return masked if mask else found
        if type(self) is masked_array and type(found) is ndarray and (mask is nomask or _is_mask(mask)):
            return _C._masked_view(found, mask, found)
        result: Any = found.view(type(self))
        result.__setmask__(mask)
        return result

    def fold(name: str, neutral: int) -> None:
        numpys = getattr(masked_array, name)

        @_replaced(masked_array, name)
        def method(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _no_value) -> Any:
            if out is not None:
                return numpys(self, axis, dtype, out, keepdims)
            named = options(keepdims)
            mask = mask_along(self._mask, axis, named)
            return reduced(self, getattr(self.filled(neutral), name)(axis, dtype=dtype, **named), mask)

    def truth(name: str, neutral: bool) -> None:
        numpys = getattr(masked_array, name)

        @_replaced(masked_array, name)
        def method(self: Any, axis: Any = None, out: Any = None, keepdims: Any = _no_value) -> Any:
            if out is not None:
                return numpys(self, axis, out, keepdims)
            named = options(keepdims)
            mask = mask_along(self._mask, axis, named)
            return reduced(self, getattr(self.filled(neutral), name)(axis=axis, **named), mask)

    def extremum(name: str, fillers: dict[type, Any], default: Callable[[Any], Any]) -> None:
        numpys = getattr(masked_array, name)

        @_replaced(masked_array, name)
        def method(self: Any, axis: Any = None, out: Any = None, fill_value: Any = None, keepdims: Any = _no_value) -> Any:
            if out is not None:
                return numpys(self, axis, out, fill_value, keepdims)
            named = options(keepdims)
            mask = mask_along(self._mask, axis, named)
            if fill_value is None and self._mask is not nomask:
                fill_value = fillers.get(self.dtype.type)
                fill_value = default(self) if fill_value is None else fill_value
            result = reduced(self, getattr(self.filled(fill_value), name)(axis=axis, **named), mask)
            if result is not masked and _C._is_ndarray(mask) and mask.ndim:
                nx.copyto(result._data, result.fill_value, where=mask)
            return result

    fold("sum", 0)
    fold("prod", 1)
    masked_array.product = masked_array.prod
    truth("all", True)
    truth("any", False)
    extremum("min", core["min_filler"], core["minimum_fill_value"])
    extremum("max", core["max_filler"], core["maximum_fill_value"])
    numpys_count, numpys_mean, numpys_var = masked_array.count, masked_array.mean, masked_array.var

    @_replaced(masked_array, "count")
    def count(self: Any, axis: Any = None, keepdims: Any = _no_value) -> Any:
        mask = self._mask
        if type(self) is masked_array and self._baseclass is ndarray and _is_mask(mask):
            return nx.logical_not(mask).sum(axis=axis, dtype=numpy.intp, **options(keepdims))
        return numpys_count(self, axis, keepdims)

    def of_data(self):
        """Whether the data alone determines the result, and the settings are the default ones."""
        return type(self) is masked_array and self._mask is nomask and self._baseclass is ndarray and self._fill_value is None

    def of_class(self, found):
        if type(found) is not ndarray or found.ndim == 0:
            return found
        result = _C._masked_view(found, nomask, self)
        result._sharedmask = False
        return result

    @_replaced(masked_array, "mean")
    def mean(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _no_value) -> Any:
        if out is not None or not of_data(self):
            return numpys_mean(self, axis, dtype, out, keepdims)
        return of_class(self, self._data.mean(axis, dtype, **options(keepdims)))

    @_replaced(masked_array, "var")
    def var(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = _no_value,
            mean: Any = _no_value) -> Any:
        if out is None and mean is _no_value and of_data(self):
            return of_class(self, self._data.var(axis, dtype, ddof=ddof, **options(keepdims)))
        # NumPy's method views its result as a masked array, which a scalar cannot be.
        if self._mask is nomask or self.ndim == 0 or out is not None or keepdims not in (False, _no_value) or not (axis is None or self.ndim == 1):
            return numpys_var(self, axis, dtype, out, ddof, keepdims, mean)
        return numpys_var(self, axis, dtype, out, ddof, True, mean).reshape(())[()]
