"""Whole functions, recorded once and replayed without Python: `torch_np.compile`.

The first call with new shapes, dtypes, layouts or Python values runs the function and records the operators that it calls; later calls replay the record in
C++, in one piece: what is computed twice is computed once, what nobody wants not at all, and gradients that the function takes are steps like others.

    @torch_np.compile
    def step(w, x, y):
        return w - 0.1 * x.T @ (x @ w - y)

What a record depends on is checked at each call: shapes, dtypes, strides and flags of arguments; numbers, texts and other Python values among them; variables
of closures and modules that the function (or one that it calls) names, attributes of objects found there. What Python looks at while it records
(`if x.sum() > 0`, `float(x)`) is compared at each call, too, and another outcome leads to another record. What cannot be recorded runs as it is, which a
warning says once, and `explain` says at any time. The results are the same bits.

As in JAX, what a function does besides (printing, files, lists that it fills, clocks and Python's own random numbers) happens when it is recorded, and not when
it is replayed. Draws from torch_np's generators are part of the record.
"""
from __future__ import annotations

import functools
import types
import warnings
from typing import Any

from . import _C

__all__ = ["Lowered", "compile", "explain"]

# Kinds of places (csrc/compiler/guards.h).
_CELL, _ITEM, _ABSENT, _LENGTH, _LIST = range(5)
_MOST_PLACES = 5000
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), slice, range)


class _Walk:
    """What a function can reach by the names in its code: places, what they hold, and the arrays among that."""

    def __init__(self) -> None:
        self.places: list[tuple[int, Any, Any, Any]] = []
        self.arrays: list[Any] = []
        self.trouble: str | None = None
        self.seen: set[int] = set()
        self.kept: list[Any] = []

    def add(self, kind: int, holder: Any, key: Any, value: Any) -> None:
        self.places.append((kind, holder, key, value))
        if len(self.places) > _MOST_PLACES:
            self.trouble = f"the function depends on more than {_MOST_PLACES} variables and attributes"
            raise OverflowError

    def code(self, code: types.CodeType, names: dict[str, Any]) -> None:
        builtins = names.get("__builtins__", {})
        known = builtins if isinstance(builtins, dict) else vars(builtins)
        for name in code.co_names:
            if name in names:
                self.add(_ITEM, names, name, names[name])
                self.value(names[name], code.co_names)
            elif name not in known:
                self.add(_ABSENT, names, name, None)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.code(constant, names)

    def function(self, f: types.FunctionType) -> None:
        for cell in f.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:
                continue
            self.add(_CELL, cell, None, content)
            self.value(content, f.__code__.co_names)
        self.code(f.__code__, f.__globals__)
        for default in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            self.value(default, ())

    def value(self, o: Any, attributes: tuple[str, ...]) -> None:
        if isinstance(o, types.ModuleType):
            return self.module(o, attributes)
        if isinstance(o, _PLAIN) or id(o) in self.seen:
            return
        self.seen.add(id(o))
        self.kept.append(o)
        if isinstance(o, (_C.Tensor, _C.ndarray)):
            self.arrays.append(o)
        elif isinstance(o, types.FunctionType):
            if not _is_ours(o.__module__):
                self.function(o)
        elif isinstance(o, types.MethodType):
            self.value(o.__func__, ())
            self.value(o.__self__, ())
        elif isinstance(o, functools.partial):
            for part in (o.func, *o.args, *o.keywords.values()):
                self.value(part, ())
        elif isinstance(o, _C.CompiledFunction):
            self.value(o.__wrapped__, ())
        elif isinstance(o, list):
            self.add(_LIST, o, None, tuple(o))
            for item in o:
                self.value(item, ())
        elif isinstance(o, (tuple, frozenset, set)):
            for item in o:
                self.value(item, ())
        elif isinstance(o, dict):
            self.dictionary(o)
        elif isinstance(o, type):
            if not _is_ours(o.__module__) and o.__module__ not in ("builtins", "numpy"):
                self.methods(o)
        else:
            self.instance(o)

    def module(self, module: types.ModuleType, attributes: tuple[str, ...]) -> None:
        if _is_ours(module.__name__) or module.__name__.partition(".")[0] == "numpy":
            return
        for name in attributes:
            if name in vars(module):
                self.add(_ITEM, vars(module), name, vars(module)[name])
                self.value(vars(module)[name], attributes)

    def dictionary(self, d: dict[Any, Any]) -> None:
        self.add(_LENGTH, d, None, len(d))
        for key, item in d.items():
            self.add(_ITEM, d, key, item)
            self.value(item, ())

    def methods(self, cls: type) -> None:
        for base in cls.__mro__:
            if base is object or _is_ours(base.__module__):
                continue
            for member in vars(base).values():
                for f in (member, getattr(member, "__func__", None), getattr(member, "fget", None)):
                    if isinstance(f, types.FunctionType):
                        self.value(f, ())

    def instance(self, o: Any) -> None:
        if isinstance(o, _C.Generator):
            return
        if isinstance(getattr(o, "__dict__", None), dict):
            self.dictionary(vars(o))
        self.value(type(o), ())


def _is_ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] == "torch_np"


def _walk(function: Any, objects: tuple[Any, ...]) -> tuple[list[Any], list[Any], str | None]:
    walk = _Walk()
    try:
        for o in (function, *objects):
            walk.value(o, ())
    except OverflowError:
        pass
    return walk.places, walk.arrays, walk.trouble


def _warn(function: Any, reason: str) -> None:
    name = getattr(function, "__qualname__", repr(function))
    warnings.warn(f"torch_np.compile: {name}() runs as it is: {reason}", RuntimeWarning, stacklevel=3)


def _raise(function: Any, reason: str) -> None:
    raise RuntimeError(f"torch_np.compile: {getattr(function, '__qualname__', function)}() cannot be recorded: {reason}")


_MODES = (None, "default", "max", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = "inductor",  # noqa: A001
            mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False) -> Any:
    """A function that does what `model`, a function or module, does: recorded at the first call of each kind, and replayed from then on; see above.

    Without `model` a decorator. `fullgraph`: what cannot be recorded raises RuntimeError instead of running as it is. `mode`: 'max' (or one of PyTorch's
    'max-autotune') may take more time over a record. `disable`: gives `model` back. There is one backend, so that `backend` and `options` say nothing.

    Errors: TypeError for what is not callable; ValueError for another mode; NotImplementedError for `dynamic=True`: a record is for one set of shapes.
    """
    if mode not in _MODES:
        raise ValueError(f"compile(): mode must be one of {', '.join(map(repr, _MODES))}, got {mode!r}")
    if disable:
        return model if model is not None else lambda function: function
    if dynamic:
        raise NotImplementedError("compile(): dynamic=True is not implemented; a record is for one set of shapes, and there may be many records")
    if model is None:
        return functools.partial(compile, fullgraph=fullgraph, mode=mode)
    if not callable(model):
        raise TypeError(f"compile(): model must be callable, got {type(model).__name__}")
    if isinstance(model, _C.CompiledFunction):
        return model
    compiled = _C.CompiledFunction(model, _walk, _raise if fullgraph else _warn)
    for name in functools.WRAPPER_ASSIGNMENTS:
        if hasattr(model, name):
            setattr(compiled, name, getattr(model, name))
    return compiled


class Lowered:
    """What calls with certain arguments do: the text of their records, one for each way that the function went."""

    def __init__(self, name: str, records: list[str]) -> None:
        self.name = name
        self.records = records

    def __str__(self) -> str:
        return "\n".join(f"{self.name}, record {i}:\n{record}" for i, record in enumerate(self.records))

    def __repr__(self) -> str:
        return f"<Lowered {self.name}: {len(self.records)} record(s)>"


def _lower(self: Any, *args: Any, **kwargs: Any) -> Lowered:
    """Calls the function with these arguments if it has no record for them, and shows the records: Lowered.
    Errors: RuntimeError, with the reason, where such a call cannot be replayed."""
    records = self._text(*args, **kwargs)
    if not records:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            self(*args, **kwargs)
        records = self._text(*args, **kwargs)
    if not records:
        raise RuntimeError(f"{self!r} runs as it is: {self._reason(*args, **kwargs)}")
    return Lowered(getattr(self, "__qualname__", "function"), records)


def _repr(self: Any) -> str:
    return f"<torch_np.compile of {self.__wrapped__!r}>"


def _reduce(self: Any) -> Any:
    """A function of a module that is compiled there under its own name is found by that; others by what they wrap."""
    try:
        module = __import__(self.__module__, fromlist=["_"])
        found = module
        for part in self.__qualname__.split("."):
            found = getattr(found, part)
        if found is self:
            return self.__qualname__
    except (AttributeError, ImportError):
        pass
    return compile, (self.__wrapped__,)


def explain(function: Any, *args: Any, **kwargs: Any) -> str:
    """Calls the compiled function, and says what became of the call: how many steps its record has, or why it runs as it is."""
    if not isinstance(function, _C.CompiledFunction):
        raise TypeError(f"explain(): function must be made by torch_np.compile, got {type(function).__name__}")
    try:
        lowered = _lower(function, *args, **kwargs)
    except RuntimeError as error:
        return str(error)
    return "\n".join(f"record {i}: {len(text.splitlines())} steps" for i, text in enumerate(lowered.records))


def _statistics(self: Any) -> dict[str, Any]:
    """How many calls were 'recorded', 'replayed' and run as they are ('plain'), how many 'records' there are, and for what 'reasons' some are not."""
    return self._statistics()


for _name, _method in (("lower", _lower), ("statistics", _statistics), ("__repr__", _repr), ("__reduce__", _reduce)):
    setattr(_C.CompiledFunction, _name, _method)
