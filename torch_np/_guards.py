"""Finds the guards of a compiled function: the state that it can read besides its arguments
(csrc/compiler/guards.h).

`walk` follows the names in the code of a function: variables of closures and modules, attributes of
the objects there, and functions that it calls. Each variable, attribute or item becomes a guard,
which is checked before each replay. Reading anything else is a graph break, and the function runs
uncompiled: no guard covers a large buffer, an iterator or an object of an extension module, which
`walk` finds by name, nor the result of a function in C that is not known to be pure, which
`_pure_calls.Calls` finds while the function is recorded.

The kinds of guards are those of the table in csrc/compiler/guards.h. `_guard_printer` prints guards.
"""
from __future__ import annotations

import array
import collections
import functools
import itertools
import logging
import operator
import os
import re
import sys
import types
import weakref
from collections.abc import Container
from typing import Any

import numpy

from . import _bytecode, _C, _inspections, _object_kinds, _public_names, _pure_calls, _registry

KINDS = [kind for kind, *_ in _C._guard_kinds()]
_CELL, _ITEM, _ABSENT, _LIST, _ITEMS, _DICT, _ATTRIBUTES, _SLOT, _TYPE, _FUNCTION, _CLASS, _BUFFER, _METHOD = map(KINDS.index, (
    "Cell", "Item", "Absent", "List", "Items", "Dict", "Attributes", "Slot", "Type", "Function", "Class", "Buffer", "Method"))
_MOST_PLACES = 5000
ANY = NotImplemented  # stands for a value that may change

# Functions of C that are neither built in nor methods.
_FUNCTIONS_IN_C = ("_ArrayFunctionDispatcher", "cython_function_or_method", "fused_cython_function")
# Containers, most derived first, with the base class whose iterator gives all that they hold.
_ITERATED = (collections.deque, set, frozenset)
_DICTS = (collections.defaultdict, collections.OrderedDict, dict)

_OPERATORS: tuple[Any, ...] = (_C.Function,)
_OF_LOGGERS = {"level", "disabled", "propagate", "handlers", "filters", "parent", "manager", "root"}

# Methods that run only if code names them, or calls the class. Any expression may call the other
# special methods.
_CONSTRUCTORS = {"__new__", "__init__", "__post_init__"}
_NAMED_ONLY = _CONSTRUCTORS | {
    "extra_repr", "__repr__", "__str__", "__format__", "__dir__", "__sizeof__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__copy__", "__deepcopy__",
    "__getnewargs__", "__del__", "__init_subclass__", "__class_getitem__", "__set_name__", "__subclasshook__", "__instancecheck__", "__subclasscheck__"}
# Attributes that Python's standard library adds to classes that it reads.
_NOTES = frozenset({"__slotnames__", "__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__"})
_ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}


def walk(function: Any, objects: tuple[Any, ...], classes: tuple[type, ...] = ()) -> tuple[list[Any], list[Any], str | None, bool, str | None, _pure_calls.Calls]:
    """Called by the compiler. Returns the guards for the state that `function`, called with
    `objects` and with instances of `classes` among its arguments, can read; the arrays in that
    state; the reason why `function` must run uncompiled, or None; whether its code handles
    exceptions; the place in its code that tells NumPy's scalars from 0-d arrays, or None; and the
    object that examines the calls that it makes."""
    w = _Walk()
    w.add(_ITEM, vars(_registry), "generation", _registry.generation, "torch_np.ops, by the number of its changes")  # torch_np.ops.<name> may be replaced by another operator
    try:
        w.value(function, "", "")
        for o in objects:
            w.value(o, "", f"an argument of the class {type(o).__qualname__}: ")
        for cls in classes:
            w.type(cls)
        w.finish()
    except OverflowError:
        pass
    except RecursionError:
        w.trouble = "the state that it reads is nested too deeply"
    return w.places, w.arrays, w.trouble, w.handles_errors, w.tells_scalars, _pure_calls.Calls(w.codes)


class _Walk:
    def __init__(self) -> None:
        self.places: list[tuple[int, Any, Any, Any, str]] = []
        self.codes: set[types.CodeType] = set()
        self.functions_in_c: list[tuple[Any, Any]] = []
        self.functions: list[types.FunctionType] = []  # that were walked, in order
        self.arrays: list[Any] = []
        self.without_attributes: list[Any] = []  # arrays and functions
        self.trouble: str | None = None
        self.handles_errors = False
        self.sets_attributes = False
        self.tells_scalars: str | None = None
        self.num_places = 0
        self.seen: set[int] = set()
        self.kept: list[Any] = []
        # An attribute is walked as soon as code names it. All other attributes are walked last:
        # guards cover them where possible, and it is harmless if they do not.
        self.names: set[Any] = set()
        self.reads_any_name = False
        self.texts: set[str] = set()  # names that may be passed to getattr
        self.library_classes: dict[int, type] = {}  # of instances
        self.loggers: list[tuple[Any, Any]] = []
        self.is_read = True
        self.later: list[tuple[Any, Any, str]] = []
        self.class_values: list[tuple[Any, Any, str]] = []  # class attributes that are not methods; walked only if code names them
        self.modules: list[tuple[types.ModuleType, set[Any], str]] = []
        self.classes: dict[int, type] = {}

    def add(self, kind: int, holder: Any, key: Any, value: Any, where: str, count: int = 1) -> None:
        self.places.append((kind, holder, key, value, where))
        self.num_places += count
        if self.num_places > _MOST_PLACES:
            self.trouble = f"the function depends on more than {_MOST_PLACES} variables and attributes"
            raise OverflowError

    def break_at(self, reason: str, name: Any, where: str = "") -> None:
        if self.is_read and not self.trouble:
            variable = re.match(r"(?:global|closure cell) (\w+)|(default of .*)", where)
            line = self.line_of(name) or variable and self.line_of(variable[1] or variable[2])
            self.trouble = reason + (f" ({line})" if line else "")

    def line_of(self, name: Any) -> str | None:
        """Returns the place in the code that names something (`_bytecode.lines_of_names`), or that
        has a function's defaults, as file:line."""
        for f in self.functions:
            if line := _bytecode.facts_of(f.__code__).lines.get(name):
                return line
            if name == f"default of {f.__qualname__}()":
                return f"{f.__code__.co_filename}:{f.__code__.co_firstlineno}"
        return None

    def uncovered(self, o: Any, name: Any, where: str = "") -> None:
        what = f"{name!r}, which holds an object" if isinstance(name, str) and name else "an object"
        self.break_at(f"it reads {what} of the class {type(o).__module__}.{type(o).__qualname__}, whose changes guards cannot detect", name, where)

    def finish(self) -> None:
        while self.walk_read_names():
            pass
        # A function in C that code calls is examined when it is called. Code in C may call it
        # otherwise, as in map(time.time, ...).
        for name, f in self.functions_in_c:
            if self.line_of((name, "as a value")) and not _pure_calls.reason_to_record(f):
                self.break_at(f"it passes {_pure_calls.name_of(f)}() on, whose result may depend on state that no guard covers", name)
        if not self.names.isdisjoint(("datetime", "date")):
            for name in _pure_calls.CLOCKS:
                if self.line_of((name, "as a value")):
                    self.break_at(f"it passes {name}() on, which reads a clock", name)
        for name, logger in self.loggers:
            if not self.names.isdisjoint(_OF_LOGGERS):
                self.uncovered(logger, name)
        self.is_read = False
        while self.later or self.walk_read_names():
            unread, self.later = self.later, []
            for name, value, where in unread:
                self.value(value, name, where)
        if self.reads_any_name or self.texts or self.handles_errors or self.sets_attributes:  # otherwise a missing attribute raises
            for o in self.without_attributes:
                self.attributes(o, "")
        for cls in self.library_classes.values():
            for name in sorted(n for n in self.names | {"forward", "__call__"} if isinstance(n, str)):
                c = next((c for c in cls.__mro__[:-1] if name in vars(c)), None)
                if c is not None and _object_kinds.is_constant(c.__module__):
                    self.add(_METHOD, cls, name, vars(c)[name], f"{c.__qualname__}.{name}")
        for cls in self.classes.values():
            members = [part for name, value in vars(cls).items() if name not in _NOTES
                       for part in (name, value if self.is_compared(name, value) else ANY)]
            self.add(_CLASS, cls, _NOTES, (cls.__mro__, cls.__name__, *members), f"class {cls.__qualname__}", len(members) // 2)

    def walk_read_names(self) -> bool:
        """Walks the attributes of objects and modules that code has named so far. Returns whether
        there were any."""
        ready: list[tuple[Any, Any, str]] = []
        for waiting in (self.later, self.class_values):
            read = [self.reads(name) for name, *_ in waiting]
            ready += itertools.compress(waiting, read)
            waiting[:] = itertools.compress(waiting, map(operator.not_, read))
        for name, value, where in ready:
            self.value(value, name, where)
        for module, done, where in list(self.modules):
            stays = _object_kinds.is_constant(module.__name__)
            if self.reads_any_name and stays and vars(module) is not sys.modules and None not in done:
                done.add(None)  # not one by one: there are hundreds
                items = list(vars(module).items())
                self.add(_DICT, vars(module), None, tuple(part for item in items for part in item), where, len(items))
                for name, value in items:  # that a program has put there
                    if isinstance(value, types.FunctionType) and not _object_kinds.is_constant(value.__module__):
                        self.value(value, name, f"{where}.{name}")
            names = {*self.names, *vars(module)} if self.reads_any_name and not stays else self.names
            for name in sorted(n for n in names - done if isinstance(n, str)):
                done.add(name)
                self.module_attribute(module, name, f"{where}.{name}")
                ready.append((name, None, ""))
        return bool(ready)

    def reads(self, name: Any) -> bool:
        return name in self.names or self.reads_any_name and not (isinstance(name, str) and name.startswith("__"))

    def is_compared(self, name: str, value: Any) -> bool:
        """Whether another value of a class attribute breaks the guard. Attributes that no code names may change."""
        return self.reads(name) or callable(value) or hasattr(type(value), "__get__")

    # ------------------------------------------------------------------------------------------------------------- code

    def code(self, code: types.CodeType, names: dict[str, Any], cells: dict[str, Any]) -> None:
        self.codes.add(code)
        facts = _bytecode.facts_of(code)
        self.names |= facts.names
        builtins = names.get("__builtins__", {})
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        for name in facts.variables:
            if name in names:
                self.add(_ITEM, names, name, names[name], f"global {name}")
                self.value(names[name], name, f"global {name}")
                continue
            self.add(_ABSENT, names, name, None, f"global {name}")
            if name in known:
                self.add(_ITEM, known, name, known[name], f"builtin {name}")
                if isinstance(known[name], types.BuiltinFunctionType):
                    self.functions_in_c.append((name, known[name]))
        if self.tells_scalars is None and self.is_read:
            self.tells_scalars = _inspections.first_of_scalars(code, lambda name: cells[name] if name in cells else names[name] if name in names else known[name])
        for c in facts.inner:
            self.code(c, names, cells)
        self.texts |= facts.texts
        self.names |= facts.texts
        self.reads_any_name = self.reads_any_name or facts.computes_names
        for attribute in sorted(_pure_calls.ATTRIBUTES.intersection(code.co_names)):
            self.break_at(f"it reads an attribute {attribute}, through which code can find any variable", attribute)
        for variable, attribute in facts.reads:
            module = cells.get(variable, names.get(variable))
            if isinstance(module, types.ModuleType) and (reason := _pure_calls.VARIABLES.get(f"{module.__name__}.{attribute}")):
                self.break_at(f"it reads {module.__name__}.{attribute}, {reason}", attribute)
        self.handles_errors = self.handles_errors or self.is_read and facts.handles_errors
        self.sets_attributes = self.sets_attributes or facts.sets_attributes
        if facts.imports_modules:
            self.imports(code, names)
        if "random" in code.co_names and self.is_read and not self.trouble and _bytecode.names_numpys_random(code, {**names, **cells}):
            self.break_at("it draws random numbers by numpy.random, which cannot be recorded", "random")

    def imports(self, code: types.CodeType, names: dict[str, Any]) -> None:
        package = str(names.get("__package__") or "")
        parents = [package.rsplit(".", n)[0] for n in range(package.count(".") + 1)] if package else []
        for i in _bytecode.instructions_of(code):
            if i.opname != "IMPORT_NAME":
                continue
            found = [n for n in (str(i.argval), *(f"{p}.{i.argval}" if i.argval else p for p in parents)) if n in sys.modules]
            for name in found:
                self.add(_ITEM, sys.modules, name, sys.modules[name], f"module {name}")
                self.value(sys.modules[name], name, f"module {name}")
            if not found and not _object_kinds.is_constant(i.argval):
                self.break_at(f"it imports the module {i.argval!r}, which is not loaded yet", i.argval)

    def function(self, f: types.FunctionType) -> None:
        called = f"{f.__qualname__}()"
        if f.__dict__.get("_torchdynamo_disable"):
            self.break_at(f"it calls {called}, which torch_np.compiler.disable excludes", f.__name__)
            return
        self.functions.append(f)
        self.add(_FUNCTION, f, None, (f.__code__, f.__defaults__, f.__kwdefaults__, f.__name__, f.__qualname__, f.__doc__), called)
        cells = {}
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            try:
                content = cells[name] = cell.cell_contents
            except ValueError:
                continue
            self.add(_CELL, cell, None, content, f"closure cell {name}")
            if name == "__class__" and isinstance(content, type):  # of super()
                self.type(content)
            else:
                self.value(content, name, f"closure cell {name}")
        self.code(f.__code__, f.__globals__, cells)
        for default in f.__defaults__ or ():
            self.item(default, "", f"default of {called}")
        if f.__kwdefaults__ is not None:
            self.dictionary(f.__kwdefaults__, dict, f"default of {called}")
        if f.__dict__:
            self.attributes(f, called)
        else:
            self.without_attributes.append(f)

    # ------------------------------------------------------------------------------------------------------------- values

    def value(self, o: Any, name: Any = "", where: str = "") -> None:
        cls = type(o)  # o.__class__ may report a different class
        if cls in _object_kinds.PLAIN or id(o) in self.seen:
            return
        if cls in _OPERATORS and o.__name__ in _pure_calls.SETTINGS[0]:
            self.break_at(f"it reads {o.__name__}(), whose result may depend on state that no guard covers", name, where)
        self.seen.add(id(o))
        self.kept.append(o)
        if issubclass(cls, types.ModuleType):
            self.modules.append((o, set(), where.removeprefix("global ").removeprefix("closure cell ").removeprefix("module ")))
        elif _C.Tensor in cls.__mro__ or _C.ndarray in cls.__mro__:  # NumPy's arrays are instances of ndarray, too
            self.array(o, name, where)
        elif cls is types.FunctionType:
            if o in (os.getenv, getattr(os, "getenvb", None)):
                self.value(os.environ, "", "os.environ")
            elif not _object_kinds.is_constant(o.__module__):
                self.function(o)
        elif cls is types.MethodType:
            self.value(o.__func__, name, where)
            self.value(o.__self__, name, where or "self")
        elif cls in (types.BuiltinMethodType, types.MethodWrapperType):
            self.functions_in_c.append((name, o))
            if type(o.__self__) is not types.ModuleType:
                self.value(o.__self__, name, where)
        elif issubclass(cls, functools.partial):
            for part in (o.func, *o.args):
                self.item(part, name, where)
            self.dictionary(o.keywords, dict, where)
            for part in ("func", "args", "keywords"):  # which __setstate__ may replace
                self.slot(o, vars(functools.partial)[part], where)
            self.instance(o, functools.partial, name, where)
        elif issubclass(cls, (property, staticmethod, classmethod)):
            for part in ("fget", "fset", "fdel", "__func__"):
                self.value(getattr(o, part, None), name, where)
        elif issubclass(cls, weakref.ref):
            self.uncovered(o, name, where)  # guards would keep the referent alive
        elif cls is slice:
            for part in (o.start, o.stop, o.step):
                self.value(part, name, where)
        elif issubclass(cls, _C.CompiledFunction):
            self.value(o.__wrapped__, name, where)
        elif issubclass(cls, (_C.LibraryOperator, _C.Generator)) or str(cls.__module__).startswith("torch_np.numpy.random."):
            return
        elif cls.__name__ in ("CustomOpDef", "NumPyOperator") and _object_kinds.is_ours(cls.__module__):
            self.operator(getattr(o, "_operator", o))
        elif issubclass(cls, type):
            if reason := _pure_calls.CLASSES.get(f"{o.__module__}.{o.__qualname__}"):
                self.break_at(f"it reads the class {o.__module__}.{o.__qualname__}: {reason}", name)
            if not _object_kinds.is_constant(o.__module__):
                self.names.update((c, n) for c in o.__mro__ for n in _CONSTRUCTORS)
                self.type(o)
        else:
            self.container_or_instance(o, name, where)

    def item(self, o: Any, name: Any, where: str) -> None:
        """Walks what a container, a partial or a default holds. Code in C may call it."""
        if isinstance(o, types.BuiltinFunctionType) and not _pure_calls.reason_to_record(o):
            self.break_at(f"it reads {_pure_calls.name_of(o)}(), whose result may depend on state that no guard covers, in {where}", name, where)
        self.value(o, name, where)

    def array(self, o: Any, name: Any, where: str) -> None:
        self.arrays.append(o)
        if not _object_kinds.is_ours(type(o).__module__):
            self.instance(o, _C.Tensor if _C.Tensor in type(o).__mro__ else _C.ndarray, "", where)
        elif getattr(o, "__dict__", None):
            self.attributes(o, where)
        else:
            self.without_attributes.append(o)

    def buffer(self, o: Any, name: Any, where: str) -> None:
        """Guards the contents of a small buffer. Those of a large one, or of an array that holds
        objects, are not covered."""
        is_plain = not isinstance(o, numpy.ndarray) or not o.dtype.hasobject and o.dtype.names is None
        state = _C._buffer_state(o) if is_plain else None
        if state is None:
            return self.uncovered(o, name, where)
        self.add(_BUFFER, o, None, state, where)

    def container_or_instance(self, o: Any, name: Any, where: str) -> None:
        cls: Any = type(o)
        base: Any = object
        if cls in (bytearray, array.array, numpy.ndarray):
            return self.buffer(o, name, where)
        if issubclass(cls, list):
            base = list
            self.add(_LIST, o, None, tuple(list.__iter__(o)), where, list.__len__(o))
            for i, item in enumerate(list.__iter__(o)):
                self.item(item, name, f"{where}[{i}]")
        elif issubclass(cls, dict):
            base = next(d for d in _DICTS if issubclass(cls, d))
            self.dictionary(o, base, where)
            if base is collections.defaultdict:
                self.slot(o, vars(base)["default_factory"], where)
        elif issubclass(cls, _ITERATED):
            base = next(b for b in _ITERATED if issubclass(cls, b))
            items = tuple(base.__iter__(o))
            if base is not frozenset:
                self.add(_ITEMS, o, base, items, where, len(items))
            for item in items:
                self.item(item, name, f"an item of {where}")
        elif issubclass(cls, _object_kinds.VALUES):
            base = next(b for b in _object_kinds.VALUES if issubclass(cls, b))
            if base is tuple:
                for i, item in enumerate(base.__iter__(o)):
                    self.item(item, name, f"{where}[{i}]")
        if cls is not base and (base is object or not _object_kinds.is_ours(cls.__module__)):
            self.instance(o, base, name, where)

    def dictionary(self, d: dict[Any, Any], base: Any, where: str) -> None:
        items = list(dict.items(d))
        self.add(_DICT, d, None, tuple(part for item in items for part in item), where, len(items))
        if base is collections.OrderedDict and len(items) > 1:
            self.add(_ITEMS, d, base, tuple(base.__iter__(d)), where, len(items))
        for key, item in items:
            at = f"{where}[{key!r}]" if type(key) in _object_kinds.PLAIN else where
            self.value(key, "", at)
            self.item(item, key, at)

    def attributes(self, o: Any, where: str, read: Container[Any] = ()) -> None:
        """Walks the object's `__dict__`. `read`: names that are read by code which is not
        walked."""
        try:
            own = o.__dict__
        except Exception:
            return
        if type(own) is not dict:
            return
        items = list(own.items())
        self.add(_ATTRIBUTES, o, None, tuple(part for item in items for part in item), where, len(items))
        for name, value in items:
            if name in read:
                self.value(value, name, f"{where}.{name}")
            else:
                self.later.append((name, value, f"{where}.{name}"))

    def slot(self, o: Any, descriptor: Any, where: str) -> None:
        try:
            content = descriptor.__get__(o)
        except AttributeError:
            content = descriptor  # the slot is empty
        self.add(_SLOT, o, descriptor, content, f"{where}.{descriptor.__name__}")
        self.later.append((descriptor.__name__, content, f"{where}.{descriptor.__name__}"))

    def instance(self, o: Any, base: Any, name: Any, where: str) -> None:
        cls = type(o)
        if _object_kinds.is_effect(o, cls):
            if isinstance(o, logging.Logger):
                self.loggers.append((name, o))
            return
        if issubclass(cls, _object_kinds.IMMUTABLE) and not issubclass(cls, numpy.void):
            self.reads_any_name = self.reads_any_name or cls in (operator.attrgetter, operator.methodcaller)
            if cls is operator.methodcaller and _pure_calls.is_exception(o.__reduce__()[1][0]):
                self.uncovered(o, name)
            wrapped = getattr(o, "__wrapped__", None)
            if isinstance(wrapped, types.FunctionType) and not _object_kinds.is_constant(wrapped.__module__) and _has_state(wrapped):
                self.break_at(f"it calls {wrapped.__qualname__}(), a cache of results that depend on state", name)
            self.value(wrapped, name, where)
            return
        slots = _object_kinds.slots_of(cls, base)
        if _object_kinds.has_hidden_state(cls, base, len(slots)) and not _object_kinds.is_ours(cls.__module__) and cls.__name__ not in _FUNCTIONS_IN_C:
            self.uncovered(o, name, where)
        self.add(_TYPE, o, None, cls, where)
        self.attributes(o, where, _object_kinds.Everything() if _object_kinds.is_constant(cls.__module__) else _object_kinds.names_of_library_bases(cls))
        for descriptor in slots:
            self.slot(o, descriptor, where)
        self.type(cls)
        if any(_object_kinds.is_ours(c.__module__) for c in cls.__mro__):
            self.library_class(cls)
        if any(_public_names.own(c.__module__) == "torch_np.nn.modules.module" for c in cls.__mro__):
            self.hooks_of_all_modules()

    def library_class(self, cls: type) -> None:
        """Walks methods that a program has put into a class of this package."""
        if id(cls) in self.library_classes:
            return
        self.library_classes[id(cls)] = cls
        for c in cls.__mro__:
            for name, member in vars(c).items() if _object_kinds.is_ours(c.__module__) else ():
                if isinstance(member, types.FunctionType) and not _object_kinds.is_constant(member.__module__):
                    self.value(member, name, f"{c.__qualname__}.{name}")

    def hooks_of_all_modules(self) -> None:
        from .nn.modules import _hooks
        for table in (_hooks.global_forward_hooks, _hooks.global_forward_pre_hooks, _hooks.global_backward_hooks, _hooks.global_backward_pre_hooks):
            self.value(table, "", "a hook of all modules")

    def type(self, cls: type) -> None:
        if not _object_kinds.is_constant(type(cls).__module__):
            self.type(type(cls))
        for c in cls.__mro__:
            if _object_kinds.is_constant(c.__module__) or id(c) in self.classes:
                continue
            self.classes[id(c)] = c
            is_dataclass = "__dataclass_fields__" in vars(c)
            inherited = {name for b in c.__mro__ if b is not object and _object_kinds.is_constant(b.__module__) for name in vars(b)}
            for name, member in list(vars(c).items()):
                f = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
                is_generated = is_dataclass and isinstance(f, types.FunctionType) and f.__code__.co_filename == "<string>"
                if name in _CONSTRUCTORS:
                    self.later.append(((c, name), member, f"{c.__qualname__}.{name}"))
                elif (_object_kinds.is_special(name) or name in inherited) and name not in _NAMED_ONLY and callable(f) and not is_generated:
                    swallows = name == "__exit__" and isinstance(f, types.FunctionType) and _bytecode.returns_a_truth(f.__code__)
                    self.handles_errors = self.handles_errors or self.is_read and swallows
                    self.value(member, name, f"{c.__qualname__}.{name}")
                else:
                    is_method = isinstance(member, (types.FunctionType, staticmethod, classmethod, property))
                    (self.later if is_method else self.class_values).append((name, member, f"{c.__qualname__}.{name}"))

    def module_attribute(self, module: types.ModuleType, name: str, where: str) -> None:
        if module is os and name in _ENVIRONMENT:
            self.value(os.environ, "", "os.environ")
        own = vars(module)
        stays = _object_kinds.is_constant(module.__name__)
        if name not in own:
            if not stays and "__getattr__" not in own:
                self.add(_ABSENT, own, name, None, where)
                self.add(_ABSENT, own, "__getattr__", None, where)
            elif stays and name in self.texts and "__getattr__" not in own:
                self.add(_ABSENT, own, name, None, where)
            elif not stays:
                self.add(_ABSENT, own, name, None, where)
                self.add(_ITEM, own, "__getattr__", own["__getattr__"], f"{where.rpartition('.')[0]}.__getattr__")
                self.value(own["__getattr__"], name, where)
            return
        value = own[name]
        if not stays:
            self.add(_ITEM, own, name, value, where)
            self.value(value, name, where)
            return
        if _object_kinds.is_ours(module.__name__) and isinstance(value, _OPERATORS) and name in _pure_calls.SETTINGS[0]:
            self.break_at(f"it reads {where}(), whose result may depend on state that no guard covers", name)
        # Code of libraries is constant, but a program may replace what a module holds (a mock).
        if name in self.names:
            self.add(_ITEM, own, name, value, where)
        if isinstance(value, (list, dict, set, collections.deque, bytearray, array.array)) and value is not sys.modules and name in self.names \
                or module is numpy.random and isinstance(value, (types.BuiltinMethodType, types.MethodType)) \
                or isinstance(value, types.FunctionType) and not _object_kinds.is_constant(value.__module__) \
                or isinstance(value, (types.ModuleType, types.BuiltinFunctionType)) and name in self.names \
                or isinstance(value, type) and f"{value.__module__}.{value.__qualname__}" in _pure_calls.CLASSES and name in self.names:
            self.value(value, name, where)

    def operator(self, o: Any) -> None:
        """Walks an operator of custom_op. Each replay calls its kernels, so the state that they
        read needs no guard; its derivative is recorded."""
        for name in ("_kernels", "_fake", "_backward", "_setup_context"):
            self.add(_ITEM, vars(o), name, vars(o)[name], f"an operator's {name[1:]}")
        for device, kernel in o._kernels.items():
            self.add(_ITEM, o._kernels, device, kernel, f"an operator's kernel for {device}")
        self.value(o._backward)
        self.value(o._setup_context)


def _has_state(f: types.FunctionType) -> bool:
    """Whether a function depends on more than its arguments and on other functions."""
    w = _Walk()
    try:
        w.value(f)
        w.finish()
    except (OverflowError, RecursionError):
        return True
    constant = (types.ModuleType, types.BuiltinFunctionType, types.FunctionType, type)
    return w.trouble is not None or any(kind not in (_FUNCTION, _ABSENT) and not (kind in (_ITEM, _CELL) and isinstance(value, constant))
                                        for kind, _, _, value, _ in w.places)


# PyTorch's module of this name knows tensors without data; packages ask for them.


def active_fake_mode() -> None:
    """Returns None: tensors without data are those of the device "meta"."""


def detect_fake_mode(inputs: Any = None) -> None:
    """Returns None: tensors without data are those of the device "meta"."""
