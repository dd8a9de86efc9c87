"""Compares the objects of two runs of one program: values by their bits, structure, and which
places hold the same object."""
from __future__ import annotations

import collections
import contextvars
import functools
import itertools
import re
import struct
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy

import torch_np
import torch_np.numpy as np

Compared = Callable[["Pairs", Any, Any, str], "str | None"]
MODULE = "fuzz_program"  # of the classes and functions of programs


def _held(compared: Compared) -> Compared:
    """For objects that a graph break leaves as the recorded call made them, with 0-d arrays for
    scalars (docs/compile.md)."""
    def compare(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
        before, pairs.are_scalars_arrays = pairs.are_scalars_arrays, True
        try:
            return compared(pairs, a, b, where)
        finally:
            pairs.are_scalars_arrays = before
    return compare


class Pairs:
    """Compares pairs of objects of the first and the second run. Objects that can change must be the
    same in corresponding places: if a list stands in two places of one run, it does in the other."""

    def __init__(self) -> None:
        self.other: dict[int, Any] = {}
        self.back: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.are_scalars_arrays = True  # as docs/compile.md says of what a function stores while it is recorded

    def difference(self, a: Any, b: Any, where: str) -> str | None:
        """The place and the kind of the first difference; None if there is none."""
        cls = type(a)
        if type(b) is torch_np._C.CompiledFunction:
            b = b.__wrapped__
        if type(b).__name__ == "OptimizedModule":
            b = b._orig_mod
        if cls is not type(b) and {cls, type(b)} != _TENSORS:
            if self.are_scalars_arrays and issubclass(cls, numpy.generic) and type(b) is np.ndarray and b.ndim == 0:
                return None if a.dtype == b.dtype and _bits(a) == _bits(b) else f"{where}: {b!r}, not {a!r}"
            if cls is numpy.ndarray and type(b) is np.ndarray:  # a view of a scalar, which is a 0-d array while a function is recorded
                return _ndarray(self, a, b, where)
            if cls.__module__ != MODULE or cls.__qualname__ != type(b).__qualname__ or type(b).__module__ != MODULE:
                return f"{where}: the class {type(b).__qualname__}, not {cls.__qualname__}"
        same = _BY_CLASS.get(cls)
        if same is _plain:
            return None if a == b else f"{where}: {b!r}, not {a!r}"
        if same is not _number and not issubclass(cls, numpy.generic):
            if id(a) in self.other or id(b) in self.back:
                is_same = self.other.get(id(a)) is b and self.back.get(id(b)) is a
                return None if is_same else f"{where}: another object than elsewhere, where the function itself gives the same, or the other way round"
            if cls not in (tuple, frozenset):
                self.other[id(a)], self.back[id(b)] = b, a
                self.kept.append((a, b))
        if same is None:
            same = next((f for c, f in _BY_BASE if issubclass(cls, c)), _instance)
        return same(self, a, b, where)

    def items(self, a: Any, b: Any, where: str) -> str | None:
        if len(a) != len(b):
            return f"{where}: {len(b)} items, not {len(a)}"
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if found := self.difference(x, y, f"{where}[{i}]"):
                return found
        return None


def _plain(_: Pairs, a: Any, b: Any, where: str) -> str | None:
    return None if a == b else f"{where}: {b!r}, not {a!r}"


def _number(_: Pairs, a: Any, b: Any, where: str) -> str | None:
    """All NaN are the same."""
    return None if _bits_of_number(a) == _bits_of_number(b) else f"{where}: {b!r}, not {a!r}"


def _bits_of_number(a: Any) -> Any:
    if isinstance(a, complex):
        return _bits_of_number(a.real), _bits_of_number(a.imag)
    return "nan" if a != a else struct.pack("d", a)


def _bytes(a: Any) -> bytes:
    try:
        return a.tobytes()
    except ValueError:  # a view of memory that was resized
        return numpy.array(a.tolist(), dtype=a.dtype).tobytes()


def _bits(a: Any) -> bytes:
    """All NaN are the same, as IEEE 754 leaves open which of two propagates."""
    data = _bytes(a)
    kind = a.dtype.char
    if kind in "dfDFe" and len(data):
        values = numpy.frombuffer(data, {"D": "d", "F": "f"}.get(kind, kind))
        if (values != values).any():
            values = values.copy()
            values[values != values] = numpy.nan
            return values.tobytes()
    return data


def _ndarray(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{where}: {b.dtype}{list(b.shape)}, not {a.dtype}{list(a.shape)}"
    if a.size > 1 and [s for n, s in zip(a.shape, a.strides, strict=True) if n > 1] != [s for n, s in zip(b.shape, b.strides, strict=True) if n > 1]:
        return f"{where}: strides {b.strides}, not {a.strides}"
    if a.flags.writeable != b.flags.writeable:
        return f"{where}: writeable {b.flags.writeable}, not {a.flags.writeable}"
    if type(a) is np.ndarray and a._requires_grad:
        if not b._requires_grad:
            return f"{where}: requires no gradient"
        return _tensor(pairs, a._torch(), b._torch(), where)
    if type(a) is np.ndarray and b._requires_grad:
        return f"{where}: requires a gradient"
    if a.dtype.hasobject if isinstance(a, numpy.ndarray) else False:
        return pairs.items(a.ravel().tolist(), b.ravel().tolist(), where)
    if a.size and _bytes(a) != _bytes(b) and _bits(a) != _bits(b):
        return f"{where}: {b.tolist()}, not {a.tolist()}"
    return None


def _tensor(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    if a.requires_grad != b.requires_grad or a.is_leaf != b.is_leaf:
        return f"{where}: requires_grad and is_leaf are {b.requires_grad} and {b.is_leaf}, not {a.requires_grad} and {a.is_leaf}"
    if a.is_leaf and (found := pairs.difference(a.grad, b.grad, where + ".grad")):
        return found
    return _ndarray(pairs, a.detach()._np_compat(), b.detach()._np_compat(), where)


def _dict(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    if len(a) != len(b):
        return f"{where}: keys {list(b)}, not {list(a)}"
    for (k, x), (m, y) in zip(list(a.items()), list(b.items()), strict=True):
        if found := pairs.difference(k, m, f"a key of {where}") or pairs.difference(x, y, f"{where}[{k!r:.30}]"):
            return found
    return None


def _slice(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    return pairs.items((a.start, a.stop, a.step), (b.start, b.stop, b.step), where)


def _set(_: Pairs, a: Any, b: Any, where: str) -> str | None:
    return None if a == b else f"{where}: {b!r}, not {a!r}"


def _function(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    if a.__name__ != b.__name__ or a.__code__.co_code != b.__code__.co_code:
        return f"{where}: another function"
    if a.__module__ != MODULE:
        return None if a is b else f"{where}: another function"
    for name in ("__defaults__", "__kwdefaults__", "__dict__"):
        if found := pairs.difference(getattr(a, name), getattr(b, name), f"{where}.{name}"):
            return found
    for i, (c, d) in enumerate(zip(a.__closure__ or (), b.__closure__ or (), strict=True)):
        try:
            x, y = c.cell_contents, d.cell_contents
        except ValueError:
            continue
        if found := pairs.difference(x, y, f"{where}.__closure__[{i}]"):
            return found
    return None


def _method(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    if a.__name__ != b.__name__:
        return f"{where}: another method"
    if isinstance(a.__self__, types.ModuleType):
        return None if a is b else f"{where}: another function"
    return pairs.difference(a.__self__, b.__self__, where + ".__self__")


def _partial(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    return pairs.difference(a.func, b.func, where) or pairs.items(a.args, b.args, where + ".args") or pairs.difference(a.keywords, b.keywords, where + ".keywords")


def _weak(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    return None if a() is None else pairs.difference(a(), b(), where + "()")  # a record keeps objects alive


def _text(_: Pairs, a: Any, b: Any, where: str) -> str | None:
    first, second = (re.sub(r"0x[0-9a-f]+", "", repr(o)) for o in (a, b))
    return None if first == second else f"{where}: {second}, not {first}"


def _nothing(*_: Any) -> None:
    return None


def _iterator(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    """Consumes them: results only."""
    return pairs.items(list(itertools.islice(a, 5)), list(itertools.islice(b, 5)), where)


def _class(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    if a is b:
        return None
    if a.__name__ != b.__name__ or a.__module__ != MODULE:
        return f"{where}: the class {b.__qualname__}, not {a.__qualname__}"
    for name, value in vars(a).items():
        if name not in vars(b):
            return f"{where}: no attribute {name}"
        if type(value) in _SIMPLE and (found := pairs.difference(value, vars(b)[name], f"{where}.{name}")):
            return found
    return None


def _instance(pairs: Pairs, a: Any, b: Any, where: str) -> str | None:
    if a is b:
        return None
    cls = type(a)
    if issubclass(cls, torch_np.nn.Module):
        for name in ("_parameters", "_modules", "training", "k", "p", "max_val"):
            if found := pairs.difference(getattr(a, name, None), getattr(b, name, None), f"{where}.{name}"):
                return found
        return None
    for name in [n for c in cls.__mro__ for n in vars(c).get("__slots__", ())]:
        if hasattr(a, name) != hasattr(b, name):
            return f"{where}: attribute {name}"
        if hasattr(a, name) and (found := pairs.difference(getattr(a, name), getattr(b, name), f"{where}.{name}")):
            return found
    own = getattr(a, "__dict__", None)
    return None if own is None else _dict(pairs, own, b.__dict__, where + ".")


_instance, _function, _method, _partial, _slice = map(_held, (_instance, _function, _method, _partial, _slice))
# The class belongs to the Python object. A parameter whose object is gone is a Tensor; while a function is
# recorded, what it has read lives on.
_TENSORS = {torch_np.Tensor, torch_np.nn.Parameter}
_BY_CLASS: dict[type, Compared] = {
    **dict.fromkeys((int, str, bytes, bool, type(None), type(Ellipsis), range, numpy.dtype), _plain), float: _number, complex: _number,
    np.ndarray: _ndarray, numpy.ndarray: _ndarray, torch_np.Tensor: _tensor, list: Pairs.items, tuple: Pairs.items, collections.deque: _held(Pairs.items), dict: _dict, collections.OrderedDict: _held(_dict),
    collections.defaultdict: _dict, collections.Counter: _dict, set: _set, frozenset: _set, bytearray: _set, types.FunctionType: _function, types.MethodType: _method, types.BuiltinMethodType: _method,
    types.MethodWrapperType: _method, functools.partial: _partial, weakref.ref: _weak, type: _class, types.ModuleType: _nothing, itertools.count: _text, contextvars.ContextVar: _nothing,
    torch_np.nn.Parameter: _tensor, types.MappingProxyType: _dict, slice: _slice}
_BY_BASE: list[tuple[type, Compared]] = [(torch_np.Tensor, _tensor), (numpy.generic, _ndarray), (types.FunctionType, _function), (type, _class), (types.ModuleType, _nothing),
                                         (numpy.dtype, _plain), (numpy.ufunc, _text), (tuple, Pairs.items), (weakref.WeakValueDictionary, _nothing), (types.GeneratorType, _nothing), (type(iter([])), _held(_iterator)), (zip, _held(_iterator)), (type({}.items()), _held(_iterator))]
_SIMPLE = {int, float, complex, str, bytes, bool, type(None), list, dict, tuple, np.ndarray}
