"""Finds the guards of a compiled function: the state that it can read besides its arguments
(csrc/compiler/guards.h).

`walk` follows the names in the code of a function: variables of closures and modules, attributes of
the objects there, and functions that it calls. Each variable, attribute or item becomes a guard,
which is checked before each replay. No guard covers the contents of a NumPy array, a buffer, an
iterator or an object of an extension module: a function whose code names one of these runs
uncompiled.
"""
from __future__ import annotations

import collections
import datetime
import decimal
import dis
import functools
import io
import itertools
import operator
import os
import pathlib
import random
import re
import sys
import threading
import types
import weakref
from collections.abc import Container
from typing import Any

import numpy

from . import _bytecode, _C, _registry

# Kinds of guards (csrc/compiler/guards.h).
_CELL, _ITEM, _ABSENT, _LIST, _ITEMS, _DICT, _ATTRIBUTES, _SLOT, _TYPE, _FUNCTION, _CLASS, _WEAK = range(12)
_MOST_PLACES = 5000
_ANY = NotImplemented  # stands for a value that may change

_PLAIN = {int, float, complex, str, bytes, bool, type(None), type(Ellipsis), type(NotImplemented), range, types.CodeType}
# Instances never change, although they have memory that Python does not show.
_IMMUTABLE: tuple[Any, ...] = (
    numpy.generic, numpy.dtype, numpy.ufunc, re.Pattern, decimal.Decimal, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, types.GenericAlias,
    types.UnionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, functools._lru_cache_wrapper, operator.attrgetter, operator.itemgetter, operator.methodcaller, pathlib.PurePath,
    type(vars(collections.namedtuple("_Pair", "a b"))["a"]))
# Functions of C that are neither built in nor methods.
_FUNCTIONS_IN_C = ("_ArrayFunctionDispatcher", "cython_function_or_method", "fused_cython_function")
# Containers, most derived first, with the base class whose iterator gives all that they hold.
_ITERATED = (collections.deque, set, frozenset)
_DICTS = (collections.defaultdict, collections.OrderedDict, dict)
_VALUES = (bool, int, float, complex, str, bytes, tuple)

_LOCKS = (type(threading.Lock()), type(threading.RLock()))

# Methods that run only if code names them, or calls the class. Any expression may call the other
# special methods.
_CONSTRUCTORS = {"__new__", "__init__", "__post_init__"}
_NAMED_ONLY = _CONSTRUCTORS | {
    "extra_repr", "__repr__", "__str__", "__format__", "__dir__", "__sizeof__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__copy__", "__deepcopy__",
    "__getnewargs__", "__del__", "__init_subclass__", "__class_getitem__", "__set_name__", "__subclasshook__", "__instancecheck__", "__subclasscheck__"}
# Attributes that Python's standard library adds to classes that it reads.
_NOTES = frozenset({"__slotnames__", "__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__"})
_ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}

_MANAGED_DICT = 1 << 4  # Py_TPFLAGS_MANAGED_DICT: the dict takes no room in the object
_POINTER = object.__basicsize__ // 2


def walk(function: Any, objects: tuple[Any, ...]) -> tuple[list[Any], list[Any], str | None, bool]:
    """Called by the compiler. Returns the guards for the state that `function`, called with
    `objects` among its arguments, can read; the arrays in that state; the reason why `function`
    must run uncompiled, or None; and whether its code handles exceptions."""
    w = _Walk()
    w.add(_ITEM, vars(_registry), "generation", _registry.generation)  # torch_np.ops.<name> may be replaced by another operator
    try:
        for o in (function, *objects):
            w.value(o)
        w.finish()
    except OverflowError:
        pass
    except RecursionError:
        w.trouble = "the state that it reads is nested too deeply"
    return w.places, w.arrays, w.trouble, w.handles_errors


class _Walk:
    def __init__(self) -> None:
        self.places: list[tuple[int, Any, Any, Any]] = []
        self.arrays: list[Any] = []
        self.without_attributes: list[Any] = []  # arrays and functions
        self.trouble: str | None = None
        self.handles_errors = False
        self.num_places = 0
        self.seen: set[int] = set()
        self.kept: list[Any] = []
        # An attribute is walked as soon as code names it. All other attributes are walked last:
        # guards cover them where possible, and it is harmless if they do not.
        self.names: set[Any] = set()
        self.reads_any_name = False
        self.is_read = True
        self.later: list[tuple[Any, Any]] = []
        self.class_values: list[tuple[Any, Any]] = []  # class attributes that are not methods; walked only if code names them
        self.modules: list[tuple[types.ModuleType, set[Any]]] = []
        self.classes: dict[int, type] = {}

    def add(self, kind: int, holder: Any, key: Any, value: Any, count: int = 1) -> None:
        self.places.append((kind, holder, key, value))
        self.num_places += count
        if self.num_places > _MOST_PLACES:
            self.trouble = f"the function depends on more than {_MOST_PLACES} variables and attributes"
            raise OverflowError

    def uncovered(self, o: Any, name: Any) -> None:
        if not self.is_read or self.trouble:
            return
        what = f"{name!r}, which holds an object" if isinstance(name, str) and name else "an object"
        self.trouble = f"it reads {what} of the class {type(o).__module__}.{type(o).__qualname__}, whose changes guards cannot detect"

    def finish(self) -> None:
        while self.walk_read_names():
            pass
        self.is_read = False
        while self.later or self.walk_read_names():
            unread, self.later = self.later, []
            for name, value in unread:
                self.value(value, name)
        if self.reads_any_name or self.handles_errors:  # otherwise a missing attribute raises
            for o in self.without_attributes:
                self.attributes(o)
        for cls in self.classes.values():
            members = [part for name, value in vars(cls).items() if name not in _NOTES
                       for part in (name, value if self.is_compared(name, value) else _ANY)]
            self.add(_CLASS, cls, _NOTES, (cls.__mro__, *members), len(members) // 2)

    def walk_read_names(self) -> bool:
        """Walks the attributes of objects and modules that code has named so far. Returns whether
        there were any."""
        ready: list[tuple[Any, Any]] = []
        for waiting in (self.later, self.class_values):
            read = [self.reads(name) for name, _ in waiting]
            ready += itertools.compress(waiting, read)
            waiting[:] = itertools.compress(waiting, map(operator.not_, read))
        for name, value in ready:
            self.value(value, name)
        for module, done in list(self.modules):
            names = {*self.names, *vars(module)} if self.reads_any_name and not _stays(module.__name__) else self.names
            for name in sorted(n for n in names - done if isinstance(n, str)):
                done.add(name)
                self.module_attribute(module, name)
                ready.append((name, None))
        return bool(ready)

    def reads(self, name: Any) -> bool:
        return name in self.names or self.reads_any_name and not (isinstance(name, str) and name.startswith("__"))

    def is_compared(self, name: str, value: Any) -> bool:
        """Whether another value of a class attribute breaks the guard. Attributes that no code names may change."""
        return self.reads(name) or callable(value) or hasattr(type(value), "__get__")

    # ------------------------------------------------------------------------------------------------------------- code

    def code(self, code: types.CodeType, names: dict[str, Any], cells: dict[str, Any]) -> None:
        self.names.update(_bytecode.names_read_by(code) if code.co_name in _CONSTRUCTORS else code.co_names)
        builtins = names.get("__builtins__", {})
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        for name in code.co_names:
            if name in names:
                self.add(_ITEM, names, name, names[name])
                self.value(names[name], name)
                continue
            self.add(_ABSENT, names, name, None)
            if name in known:
                self.add(_ITEM, known, name, known[name])
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.code(constant, names, cells)
        if _bytecode.computes_names(code):
            self.reads_any_name = True
            self.names.update(_bytecode.texts_in(code.co_consts))
        self.handles_errors = self.handles_errors or self.is_read and _bytecode.has_handlers(code)
        if _bytecode.imports_modules(code):
            self.imports(code, names)
        if "random" in code.co_names and self.is_read and not self.trouble and _bytecode.names_numpys_random(code, {**names, **cells}):
            self.trouble = "it draws random numbers by numpy.random, which cannot be recorded"

    def imports(self, code: types.CodeType, names: dict[str, Any]) -> None:
        package = str(names.get("__package__") or "")
        parents = [package.rsplit(".", n)[0] for n in range(package.count(".") + 1)] if package else []
        for i in dis.get_instructions(code):
            if i.opname != "IMPORT_NAME":
                continue
            found = [n for n in (str(i.argval), *(f"{p}.{i.argval}" if i.argval else p for p in parents)) if n in sys.modules]
            for name in found:
                self.add(_ITEM, sys.modules, name, sys.modules[name])
                self.value(sys.modules[name], name)
            if not found and not _stays(i.argval) and self.is_read and not self.trouble:
                self.trouble = f"it imports the module {i.argval!r}, which is not loaded yet"

    def function(self, f: types.FunctionType) -> None:
        self.add(_FUNCTION, f, None, (f.__code__, f.__defaults__, f.__kwdefaults__))
        cells = {}
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            try:
                content = cells[name] = cell.cell_contents
            except ValueError:
                continue
            self.add(_CELL, cell, None, content)
            if name == "__class__" and isinstance(content, type):  # of super()
                self.type(content)
            else:
                self.value(content, name)
        self.code(f.__code__, f.__globals__, cells)
        for default in f.__defaults__ or ():
            self.value(default)
        if f.__kwdefaults__ is not None:
            self.dictionary(f.__kwdefaults__, dict)
        if f.__dict__:
            self.attributes(f)
        else:
            self.without_attributes.append(f)

    # ------------------------------------------------------------------------------------------------------------- values

    def value(self, o: Any, name: Any = "") -> None:
        cls = type(o)  # o.__class__ may report a different class
        if cls in _PLAIN or id(o) in self.seen:
            return
        self.seen.add(id(o))
        self.kept.append(o)
        if issubclass(cls, types.ModuleType):
            self.modules.append((o, set()))
        elif _C.Tensor in cls.__mro__ or _C.ndarray in cls.__mro__:  # NumPy's arrays are instances of ndarray, too
            self.array(o)
        elif cls is types.FunctionType:
            if o in (os.getenv, getattr(os, "getenvb", None)):
                self.value(os.environ)
            elif not _stays(o.__module__):
                self.function(o)
        elif cls is types.MethodType:
            self.value(o.__func__, name)
            self.value(o.__self__, name)
        elif cls in (types.BuiltinMethodType, types.MethodWrapperType):
            if type(o.__self__) is not types.ModuleType:
                self.value(o.__self__, name)
        elif issubclass(cls, functools.partial):
            for part in (o.func, *o.args):
                self.value(part, name)
            self.dictionary(o.keywords, dict)
            for part in ("func", "args", "keywords"):  # which __setstate__ may replace
                self.slot(o, vars(functools.partial)[part])
            self.instance(o, functools.partial, name)
        elif issubclass(cls, (property, staticmethod, classmethod)):
            for part in ("fget", "fset", "fdel", "__func__"):
                self.value(getattr(o, part, None), name)
        elif issubclass(cls, weakref.ref):
            referent = weakref.ref.__call__(o)
            self.add(_WEAK, o, None, id(referent))
            self.value(referent, name)
        elif cls is slice:
            for part in (o.start, o.stop, o.step):
                self.value(part, name)
        elif issubclass(cls, _C.CompiledFunction):
            self.value(o.__wrapped__, name)
        elif issubclass(cls, (_C.LibraryOperator, _C.Generator)) or str(cls.__module__).startswith("torch_np.numpy.random."):
            return
        elif cls.__name__ in ("CustomOpDef", "NumPyOperator") and _is_ours(cls.__module__):
            self.operator(getattr(o, "_operator", o))
        elif issubclass(cls, type):
            if not _stays(o.__module__):
                self.names.update((c, n) for c in o.__mro__ for n in _CONSTRUCTORS)
                self.type(o)
        else:
            self.container_or_instance(o, name)

    def array(self, o: Any) -> None:
        self.arrays.append(o)
        if not _is_ours(type(o).__module__):
            self.instance(o, _C.Tensor if _C.Tensor in type(o).__mro__ else _C.ndarray, "")
        elif getattr(o, "__dict__", None):
            self.attributes(o)
        else:
            self.without_attributes.append(o)

    def container_or_instance(self, o: Any, name: Any) -> None:
        cls: Any = type(o)
        base: Any = object
        if issubclass(cls, list):
            base = list
            self.add(_LIST, o, None, tuple(list.__iter__(o)), list.__len__(o))
            for item in list.__iter__(o):
                self.value(item, name)
        elif issubclass(cls, dict):
            base = next(d for d in _DICTS if issubclass(cls, d))
            self.dictionary(o, base)
            if base is collections.defaultdict:
                self.slot(o, vars(base)["default_factory"])
        elif issubclass(cls, _ITERATED):
            base = next(b for b in _ITERATED if issubclass(cls, b))
            items = tuple(base.__iter__(o))
            if base is not frozenset:
                self.add(_ITEMS, o, base, items, len(items))
            for item in items:
                self.value(item, name)
        elif issubclass(cls, _VALUES):
            base = next(b for b in _VALUES if issubclass(cls, b))
            if base is tuple:
                for item in base.__iter__(o):
                    self.value(item, name)
        if cls is not base and (base is object or not _is_ours(cls.__module__)):
            self.instance(o, base, name)

    def dictionary(self, d: dict[Any, Any], base: Any) -> None:
        items = list(dict.items(d))
        self.add(_DICT, d, None, tuple(part for item in items for part in item), len(items))
        if base is collections.OrderedDict and len(items) > 1:
            self.add(_ITEMS, d, base, tuple(base.__iter__(d)), len(items))
        for key, item in items:
            self.value(key)
            self.value(item, key)

    def attributes(self, o: Any, read: Container[Any] = ()) -> None:
        """Walks the object's `__dict__`. `read`: names that are read by code which is not
        walked."""
        try:
            own = o.__dict__
        except Exception:
            return
        if type(own) is not dict:
            return
        items = list(own.items())
        self.add(_ATTRIBUTES, o, None, tuple(part for item in items for part in item), len(items))
        for name, value in items:
            if name in read:
                self.value(value, name)
            else:
                self.later.append((name, value))

    def slot(self, o: Any, descriptor: Any) -> None:
        try:
            content = descriptor.__get__(o)
        except AttributeError:
            content = descriptor  # the slot is empty
        self.add(_SLOT, o, descriptor, content)
        self.later.append((descriptor.__name__, content))

    def instance(self, o: Any, base: Any, name: Any) -> None:
        cls = type(o)
        if _is_effect(o, cls):
            return
        if issubclass(cls, _IMMUTABLE) and not issubclass(cls, numpy.void):
            self.reads_any_name = self.reads_any_name or cls in (operator.attrgetter, operator.methodcaller)
            self.value(getattr(o, "__wrapped__", None), name)
            return
        slots = _slots(cls, base)
        if _has_hidden_state(cls, base, len(slots)) and not _is_ours(cls.__module__) and cls.__name__ not in _FUNCTIONS_IN_C:
            self.uncovered(o, name)
        self.add(_TYPE, o, None, cls)
        self.attributes(o, _Everything() if _stays(cls.__module__) else _names_of_library_bases(cls))
        for descriptor in slots:
            self.slot(o, descriptor)
        self.type(cls)
        if any(c.__module__ == "torch_np.nn.modules.module" for c in cls.__mro__):
            self.hooks_of_all_modules()

    def hooks_of_all_modules(self) -> None:
        from .nn.modules import _hooks
        for table in (_hooks.global_forward_hooks, _hooks.global_forward_pre_hooks, _hooks.global_backward_hooks, _hooks.global_backward_pre_hooks):
            self.value(table)

    def type(self, cls: type) -> None:
        if not _stays(type(cls).__module__):
            self.type(type(cls))
        for c in cls.__mro__:
            if _stays(c.__module__) or id(c) in self.classes:
                continue
            self.classes[id(c)] = c
            is_dataclass = "__dataclass_fields__" in vars(c)
            inherited = {name for b in c.__mro__ if b is not object and _stays(b.__module__) for name in vars(b)}
            for name, member in list(vars(c).items()):
                f = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
                is_generated = is_dataclass and isinstance(f, types.FunctionType) and f.__code__.co_filename == "<string>"
                if name in _CONSTRUCTORS:
                    self.later.append(((c, name), member))
                elif (_is_special(name) or name in inherited) and name not in _NAMED_ONLY and callable(f) and not is_generated:
                    swallows = name == "__exit__" and isinstance(f, types.FunctionType) and _bytecode.returns_a_truth(f.__code__)
                    self.handles_errors = self.handles_errors or self.is_read and swallows
                    self.value(member, name)
                else:
                    is_method = isinstance(member, (types.FunctionType, staticmethod, classmethod, property))
                    (self.later if is_method else self.class_values).append((name, member))

    def module_attribute(self, module: types.ModuleType, name: str) -> None:
        if module is os and name in _ENVIRONMENT:
            return self.value(os.environ)
        own = vars(module)
        stays = _stays(module.__name__)
        if name not in own:
            if not stays and "__getattr__" not in own:
                self.add(_ABSENT, own, name, None)
            elif not stays:
                self.value(own["__getattr__"], name)
        elif not stays:
            self.add(_ITEM, own, name, own[name])
            self.value(own[name], name)
        elif module is numpy.random and isinstance(own[name], (types.BuiltinMethodType, types.MethodType)):
            self.value(own[name], name)
        elif isinstance(own[name], (list, dict, set, collections.deque)) and own[name] is not sys.modules:  # sys.path, sys.argv
            self.add(_ITEM, own, name, own[name])
            self.value(own[name], name)

    def operator(self, o: Any) -> None:
        """Walks an operator of custom_op. Each replay calls its kernels, so the state that they
        read needs no guard; its derivative is recorded."""
        for name in ("_kernels", "_fake", "_backward", "_setup_context"):
            self.add(_ITEM, vars(o), name, vars(o)[name])
        for device, kernel in o._kernels.items():
            self.add(_ITEM, o._kernels, device, kernel)
        self.value(o._backward)
        self.value(o._setup_context)


# ----------------------------------------------------------------------------------------------------------------- questions

def _is_ours(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == "torch_np"


def _stays(module: Any) -> bool:
    """Whether functions and classes of the module count as constant, so that their code is not
    walked: modules of this package, of NumPy and of Python's standard library."""
    top = module.partition(".")[0] if isinstance(module, str) else ""
    return top in ("torch_np", "numpy") or top in sys.stdlib_module_names


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


class _Everything:
    def __contains__(self, _: object) -> bool:
        return True


def _names_of_library_bases(cls: type) -> set[str]:
    return {name for c in cls.__mro__ if c is not object and _stays(c.__module__) for name in _bytecode.own_names(c)}


def _is_effect(o: Any, cls: type) -> bool:
    """Whether the object exists for side effects, which happen only when a function is recorded:
    files that are written, loggers, locks, Python's random numbers."""
    if issubclass(cls, (random.Random, *_LOCKS)) or cls.__module__ == "logging":
        return True
    if not issubclass(cls, io.IOBase) or issubclass(cls, (io.BytesIO, io.StringIO)):
        return False
    try:
        return not o.readable()
    except ValueError:  # the file is closed
        return True


def _slots(cls: type, base: Any) -> list[Any]:
    """Descriptors of the `__slots__` that classes derived from `base` have."""
    derived = [c for c in cls.__mro__ if "__slots__" in vars(c) and not issubclass(base, c)]
    return [member for c in derived for member in vars(c).values() if isinstance(member, types.MemberDescriptorType)]


def _has_hidden_state(cls: Any, base: Any, num_slots: int) -> bool:
    """Whether objects have memory beyond that of `base` that neither `__dict__` nor `__slots__`
    accounts for (pickle tests the same)."""
    size = base.__basicsize__ + _POINTER * num_slots
    if cls.__dictoffset__ and not base.__dictoffset__ and not cls.__flags__ & _MANAGED_DICT:
        size += _POINTER
    if cls.__weakrefoffset__ > 0 and base.__weakrefoffset__ == 0:
        size += _POINTER
    return cls.__basicsize__ > size or cls.__itemsize__ != base.__itemsize__
