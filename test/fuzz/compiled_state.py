"""Runs programs of compiled_sources.py twice: as they are, and with their functions compiled.

Each run has its own copy of the state (a world). After each call, the results, exceptions and
warnings are compared, and then the state and the arguments. A graph break is no difference.
"""
from __future__ import annotations

import array
import builtins
import collections
import contextlib
import contextvars
import copy
import dataclasses
import enum
import fractions
import functools
import gc
import itertools
import math
import operator
import os
import re
import sys
import types
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy

import torch_np
import torch_np.numpy as np
from fuzz.cases import Call, Case, Finding, Outcome
from fuzz.compiled_sources import source
from fuzz.same_objects import MODULE, Pairs
from torch_np._dynamo._module import OptimizedModule


@dataclasses.dataclass
class Data:
    v: Any
    u: Any = 0


Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024
Color = enum.Enum("Color", "RED BLUE")


@functools.lru_cache(maxsize=None)
def _elements(dtype: str, shape: tuple[int, ...], seed: int) -> numpy.ndarray:
    generator = numpy.random.default_rng(seed)
    values = generator.integers(-3, 6, shape) / 2
    if seed % 3 == 2 and dtype in ("f8", "f4") and values.size > 1:
        values.reshape(-1)[:2] = [numpy.nan, -0.0]
    return values.astype(dtype)


def arr(dtype: str, shape: int | tuple[int, ...], seed: int) -> Any:
    return np.array(_elements(dtype, shape if isinstance(shape, tuple) else (shape,), seed))


def as_array(value: Any) -> Any:
    if isinstance(value, torch_np.Tensor):
        return value._np_compat()
    return value if isinstance(value, np.ndarray) and value.ndim else np.array(value, ndmin=1)


def leaf(value: Any, kind: int) -> Any:
    t = torch_np.tensor(np.asarray(value, dtype="f8")._torch().tolist(), dtype=torch_np.float64)
    if kind:
        t.requires_grad_()
    if kind == 2:
        t.grad = torch_np.ones_like(t)
    return t


def inner(function: Any) -> Any:
    return function.__wrapped__ if isinstance(function, torch_np._C.CompiledFunction) else function


_BASE: dict[str, Any] = {
    "__name__": MODULE, "__builtins__": builtins, "np": np, "numpy": numpy, "torch_np": torch_np, "math": math, "copy": copy, "fractions": fractions, "collections": collections, "functools": functools, "itertools": itertools, "types": types, "weakref": weakref,
    "operator": operator, "os": os, "sys": sys, "array": array, "contextvars": contextvars, "contextlib": contextlib, "dataclasses": dataclasses, "builtins": builtins, "Data": Data, "Pair": Pair, "Color": Color, "arr": arr,
    "as_array": as_array, "leaf": leaf, "inner": inner}
_OURS = {*_BASE, "__warningregistry__", "__annotations__", "wrap", "call", "poke", "back", "exchange", "finish"}

# Errors that docs/compile.md announces, where the function itself raises none.
CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation: "
REFUSED = (CHANGED + "an argument of a compiled function",
           "a compiled function cannot be called again for gradients that are not recorded",
           "gradients of a compiled function that are not recorded",
           "Trying to backward through the graph a second time")  # all results of a compiled function have one node

# NumPy's scalars lack some attributes of the 0-d arrays that stand for them while a function is recorded.
_NO_ATTRIBUTE = re.compile(r"'numpy\.\w+' object has no attribute '\w+'")

_said: list[tuple[str, str]] = []


def _note(message: Any, category: Any, *_: Any, **__: Any) -> None:
    _said.append((category.__name__, str(message).replace("scalar ", "")))  # while a function is recorded, scalars are 0-d arrays


class World:
    """One run of the program. `wrap` stands for torch_np.compile."""

    def __init__(self, wrap: Callable[[Any], Any], draws: bool) -> None:
        self.draws = draws  # random numbers
        self.compiled: list[Any] = []

        def wrapped(function: Any) -> Any:
            made = wrap(function)
            self.compiled.append(made._compiled if isinstance(made, OptimizedModule) else made)
            return made
        wrapped.__module__ = "torch_np"  # guards take it for a constant
        self.results: list[Any] = [None]
        self.error: tuple[str, str] | None = None
        self.said: list[tuple[str, str]] = []
        self.has_called = self.has_replayed = False
        self.names = {**_BASE, "wrap": wrapped, "call": self.call, "poke": self.poke, "back": self.back, "exchange": self.exchange, "finish": lambda: None}

    def call(self, function: Any, *args: Any, **kwargs: Any) -> None:
        if self.draws:
            torch_np.manual_seed(1)
            np.random.seed(1)
        _said.clear()
        self.has_called = True
        self.error = None
        before = self.replays()
        args = tuple(np.asarray(a) if isinstance(a, numpy.ndarray) else a for a in args)  # as a compiled function does
        try:
            self.results.append(function(*args, **kwargs))
        except Exception as error:
            self.results.append(None)
            self.error = type(error).__name__, re.sub(r"0x[0-9a-f]+", "", str(error))
        self.has_replayed = self.replays() > before
        self.said = [s for s in _said if "torch_np.compile:" not in s[1]]
        self.results = self.results[-3:]
        self.args = args, kwargs

    def replays(self) -> int:
        return sum(c._statistics()["replayed"] for c in self.compiled if isinstance(c, torch_np._C.CompiledFunction))

    def arrays(self) -> list[Any]:
        """The arrays in the last result."""
        found, waiting = [], [self.results[-1]]
        while waiting:
            o = waiting.pop()
            if isinstance(o, (np.ndarray, torch_np.Tensor)):
                found.append(o)
            elif isinstance(o, (tuple, list)):
                waiting += o
            elif isinstance(o, dict):
                waiting += o.values()
        return found

    def poke(self) -> None:
        """Changes the arrays in the last result. The change must not show anywhere else but where it
        does without compilation."""
        for a in self.arrays():
            with contextlib.suppress(ValueError, RuntimeError):
                if isinstance(a, torch_np.Tensor):
                    a.detach().add_(1)
                else:
                    a[...] = 7

    def back(self) -> None:
        for t in {id(a): a for a in self.arrays()}.values():
            t = t if isinstance(t, torch_np.Tensor) else t._torch() if t._requires_grad else None
            if t is not None and t.requires_grad:
                t.sum().backward()

    def exchange(self) -> None:
        """The last result is an argument of the next call."""
        for a in self.arrays()[:1]:
            if type(a) in (np.ndarray, numpy.ndarray) and a.ndim:  # a product of a NumPy array and a scalar is ours while a function is recorded
                self.names["p"] = np.asarray(a).view()


@functools.lru_cache(maxsize=20_000)
def _code(text: str) -> types.CodeType:
    return compile(text, "<program>", "exec")


def _run(world: World, code: types.CodeType) -> tuple[str, str] | None:
    world.has_called = False
    try:
        exec(code, world.names)
    except Exception as error:
        return type(error).__name__, re.sub(r"0x[0-9a-f]+", "", str(error))
    return None


def _difference(first: World, second: World) -> str | None:
    """The difference after a call."""
    if first.error != second.error:
        return f"{second.error or 'nothing'} is raised, not {first.error or 'nothing'}"
    # Pending results warn when they are computed. A function that raises may have run twice, once with
    # 0-d arrays for scalars. In a replay, dead code and Python code do not warn.
    is_comparable = first.error is None and torch_np.fusion.get_mode() != "always"
    missing, more = set(first.said) - set(second.said), set(second.said) - set(first.said)
    if is_comparable and (more or missing and not second.has_replayed):
        return f"the warnings are {second.said}, not {first.said}"
    pairs = Pairs()
    for name, value in first.names.items():
        if name in _OURS:
            continue
        if name not in second.names:
            return f"no variable {name}"
        if found := pairs.difference(value, second.names[name], name):
            return found
    if more := second.names.keys() - first.names.keys() - _OURS:
        return f"variables {sorted(more)}"
    pairs.are_scalars_arrays = False
    return pairs.difference(first.args, second.args, "arguments") or pairs.items(first.results, second.results, "results")


def _restore(process: dict[str, Any]) -> None:
    np.sin, np.cos, torch_np.exp, torch_np.relu, math.sqrt, math.pi = process["functions"]
    torch_np.set_grad_enabled(True)
    if torch_np.get_default_dtype() != torch_np.float32:
        torch_np.set_default_dtype(torch_np.float32)
    np._set_promotion_rules("numpy")
    np.seterr(**process["errors"])
    for i in range(4):
        for name in (f"FUZZ_{i}", f"FUZZ_B{i}"):
            os.environ.pop(name, None)
        builtins.__dict__.pop(f"fuzz_v{i}", None)
        sys.modules.pop(f"fuzz_mod{i}", None)


def _is_announced(first: tuple[str, str] | None, second: tuple[str, str] | None) -> bool:
    """Whether docs/compile.md announces this difference between errors."""
    if second is not None and second[1].startswith(REFUSED):
        return True
    if first is None and second is None or first == second:
        return False
    if second is None and first is not None and first[1].startswith(CHANGED):
        return True  # the record saves fewer arrays than the tape
    if first is not None and second is not None and first == (second[0], f"{first[1].partition('(): ')[0]}(): {second[1]}"):
        return True  # a replay does not name the operator
    if first is not None and _NO_ATTRIBUTE.fullmatch(first[1]):
        return True
    if first is not None and second is not None and second[0] == first[0] and second[1].partition("(): ")[2] == first[1]:
        return True  # a method of a scalar, which is ours while a function is recorded, names itself
    return first is not None and first[0] == "FloatingPointError" and (second is None or second[0] == first[0])  # of dead code


def run(units: tuple[str, ...]) -> tuple[str | None, Counter]:
    """The first difference between the two runs, and counts of calls."""
    process = {"functions": (np.sin, np.cos, torch_np.exp, torch_np.relu, math.sqrt, math.pi), "errors": np.geterr()}
    draws = any("rand" in unit or "normal" in unit or "Dropout" in unit for unit in units)
    first, second = World(lambda f: f, draws), World(torch_np.compile, draws)
    figures: Counter = Counter()
    found = None
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _note
        try:
            for unit in units:
                code = _code(unit)
                errors = _run(first, code), _run(second, code)
                if _is_announced(errors[0] or first.error, errors[1] or second.error):
                    break
                if errors[0] != errors[1]:
                    found = f"{unit}: {errors[1]} is raised, not {errors[0]}"
                elif first.has_called:
                    figures["calls"] += 1
                    figures["calls that raise"] += first.error is not None
                    found = _difference(first, second)
                    found = found and f"{unit}, call {figures['calls']}: {found}"
                if found:
                    break
            for c in {id(c): c for c in second.compiled if isinstance(c, torch_np._C.CompiledFunction)}.values():
                s = c._statistics()
                for name in ("recorded", "replayed", "plain"):
                    figures[name] += s[name]
                figures["graph breaks"] += len(s["reasons"])
                if found:
                    found += f"\n   {s}"
        except SyntaxError:
            pass
        finally:
            _restore(process)
    return found, figures


@dataclass(frozen=True)
class Program(Case):
    """A program whose statements are `setup`."""

    most_tries = 400

    def __str__(self) -> str:
        return "\n".join(self.setup)

    def smaller(self) -> Iterator[Case]:
        for i in reversed(range(len(self.setup))):
            yield replace(self, setup=self.setup[:i] + self.setup[i + 1:])
        for i, unit in enumerate(self.setup):
            lines = unit.splitlines()
            for j in reversed(range(len(lines))) if len(lines) > 1 else ():
                yield replace(self, setup=(*self.setup[:i], "\n".join(lines[:j] + lines[j + 1:]), *self.setup[i + 1:]))
                depth = len(lines[j]) - len(lines[j].lstrip())
                end = next((k for k in range(j + 1, len(lines)) if len(lines[k]) - len(lines[k].lstrip()) <= depth), len(lines))
                if end > j + 1 and depth:  # a block without its head
                    inner = [" " * depth + line.lstrip() for line in lines[j + 1:end]]
                    yield replace(self, setup=(*self.setup[:i], "\n".join(lines[:j] + inner + lines[end:]), *self.setup[i + 1:]))
                    yield replace(self, setup=(*self.setup[:i], "\n".join(lines[:j] + lines[end:]), *self.setup[i + 1:]))


class CompiledState:
    """The part of compiled functions whose surroundings change between calls."""

    name = "compiled"

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()

    def case(self, seed: int, number: int) -> Case:
        return Program(source(f"{seed}:{number}"), Call("finish"), "compiled")

    def may_take_long(self, case: Case) -> bool:
        return False

    def check(self, case: Case) -> Outcome:
        found, figures = run(case.setup)
        word = "replayed" if figures["replayed"] else "ran uncompiled" if figures["plain"] else "only recorded"
        return Outcome(word, None if found is None else Finding("compiled", re.sub(r"[\d\[\]]+", "", found.partition(": ")[2].partition(": ")[0])[:60], found[:2000]), figures)
