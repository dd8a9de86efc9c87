"""torch_np.compile: records the operators of a function once and replays them without Python.

The first call with new shapes, dtypes, layouts or Python values runs the function and records its
operator calls. Later calls replay the record in C++ as a whole: common subexpressions are computed
once, unused results are not computed, and gradients that the function computes are steps of the
record.

    @torch_np.compile
    def step(w, x, y):
        return w - 0.1 * x.T @ (x @ w - y)

Guards check at each call that a record still applies. They compare shapes, dtypes, strides and
flags of arguments; Python values among the arguments; and variables of closures and modules that
the function (or one that it calls) names, with attributes of the objects found there. Values that
Python reads from an array during recording (`if x.sum() > 0`, `float(x)`) are compared at each call
too; another value leads to another record.
Reading state without a guard, such as a clock or an iterator, is a graph break: the function runs
uncompiled (_guards.py, _pure_calls.py).

A function that cannot be recorded runs uncompiled. A warning reports this once, and `explain` gives
the reason at any time. Results and gradients are bitwise identical to those of the uncompiled
function. Where results have gradients, the backward pass is replayed too.

As in JAX, side effects run only at recording, not at replay: printing, writing to files and
changes of lists. Draws from torch_np's generators are part of the record.
"""
from __future__ import annotations

import contextlib
import functools
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from . import _C, _backends, _compiler_hints
from ._graphviz import Picture, svg
from ._argument_members import members
from ._compiler_hints import *  # noqa: F403
from ._guard_printer import described, described_arguments
from ._guards import walk
from ._trace_drawing import Trace, dot, trace_of

__all__ = ["Lowered", "compile", "explain", "kernel_statistics", "list_backends", "reset", "verification_statistics", "verify"]
__all__ += _compiler_hints.__all__

def _warn(function: Any, reason: str) -> None:
    name = getattr(function, "__qualname__", repr(function))
    warnings.warn(f"torch_np.compile: {name}() runs uncompiled: {reason}", RuntimeWarning, stacklevel=3)


def _raise(function: Any, reason: str) -> None:
    raise RuntimeError(f"torch_np.compile: {getattr(function, '__qualname__', function)}() cannot be recorded: {reason}")


_MEASURED = ("max", "max-autotune", "max-autotune-no-cudagraphs")
_MODES = (None, "default", "reduce-overhead", *_MEASURED)


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = _backends.OWN,  # noqa: A001
            mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False) -> Any:
    """Returns a compiled version of `model`, which records its operators at the first call of each
    kind and replays them from then on. That of a module is a module (`_dynamo.OptimizedModule`).

    Args:
      model: Function or module; without it a decorator is returned.
      fullgraph: Whether a call that cannot be recorded raises RuntimeError; otherwise it runs
        uncompiled.
      dynamic: None or False; True is not implemented, as a record is for one set of shapes.
      backend: 'inductor', which is the engine itself, or the name of a partitioner that a C++
        library registered (`torch_np.library.load`, `list_backends`). A partitioner computes the
        operators of a record that it supports, with its own rounding. The call that records runs
        the function itself.
      mode: None, 'default', 'reduce-overhead', 'max' or one of PyTorch's 'max-autotune' modes. The
        'max' modes measure, for each matrix product of a record, several ways to compute it with
        the same bits (libraries, numbers of threads), and keep the fastest. This takes some
        milliseconds a product.
      options: Strings and numbers by name, which are passed to the partitioner. The engine itself
        ignores them.
      disable: Whether to return `model` unchanged.

    Errors: TypeError if `model` is not callable or `backend` not a string; ValueError for another
    mode, or a backend that is not registered; NotImplementedError for `dynamic=True`. A backend's
    exceptions come from the call that records or replays, and name the backend and its library.
    """
    if mode not in _MODES:
        raise ValueError(f"compile(): mode must be one of {', '.join(map(repr, _MODES))}, got {mode!r}")
    if not isinstance(backend, str):
        raise TypeError(f"compile(): backend must be a str, the name of a backend, got {type(backend).__name__}")
    partitioner = None if backend == _backends.OWN else _backends.found(backend)
    if disable:
        return model if model is not None else lambda function: function
    if dynamic:
        raise NotImplementedError("compile(): dynamic=True is not implemented; each record is for one set of shapes")
    given: dict[str, Any] = {"fullgraph": fullgraph, "backend": backend, "mode": mode, "options": options}
    if model is None:
        return functools.partial(compile, **given)
    if not callable(model):
        raise TypeError(f"compile(): model must be callable, got {type(model).__name__}")
    if getattr(model, "_torchdynamo_disable", False):
        return model
    if isinstance(getattr(model, "_compiled", None), _C.CompiledFunction):
        if partitioner is None:
            return model
        model = model.__wrapped__
    if isinstance(model, _C.CompiledFunction):
        if partitioner is None:
            return model
        model = model.__wrapped__
    backend_ = partitioner and partitioner.with_options(_texts(options))
    compiled = _C.CompiledFunction(model, walk, _raise if fullgraph else _warn, {None: functools.partial(members, model)}, backend_, mode in _MEASURED)
    for name in functools.WRAPPER_ASSIGNMENTS:
        if hasattr(model, name):
            setattr(compiled, name, getattr(model, name))
    options_given = {name: value for name, value in given.items() if value != _DEFAULTS[name]}
    compiled.__dict__["_compiled_with"] = options_given
    nn = sys.modules.get("torch_np.nn")
    if nn is not None and isinstance(model, nn.Module):
        from ._dynamo._module import OptimizedModule
        return OptimizedModule(model, compiled, options_given)
    return compiled


_DEFAULTS = {"fullgraph": False, "backend": _backends.OWN, "mode": None, "options": None}


def _texts(options: dict[str, Any] | None) -> dict[str, str]:
    for name, value in (options or {}).items():
        if not isinstance(name, str) or not isinstance(value, (str, int, float)):
            raise TypeError(f"compile(): options must map names to strings and numbers, got {name!r}: {value!r}")
    return {name: str(value) for name, value in (options or {}).items()}


def list_backends() -> list[str]:
    """Lists the names that `compile` accepts as `backend`: 'inductor', the engine itself, and those
    of loaded libraries.
    """
    return _backends.names()


def reset() -> None:
    """Does nothing: each compiled function owns its records, which end with it."""


class Lowered(Picture):
    """The records of calls with certain arguments, as text and as drawings: one record for each
    path through the function.

    `records` are the texts, and `details` the same as structures. Notebooks show the drawing if
    Graphviz is installed.

    Args:
      name: Name of the function.
      records: Texts of the records.
      details: Structures of the records.
    """

    def __init__(self, name: str, records: list[str], details: list[Trace]) -> None:
        self.name = name
        self.records = records
        self.details = details

    def __str__(self) -> str:
        return "\n".join(f"{self.name}, record {i}:\n{record}" for i, record in enumerate(self.records))

    def __repr__(self) -> str:
        return f"<Lowered {self.name}: {len(self.records)} record(s)>"

    def dot(self, record: int = 0) -> str:
        """Returns the drawing in Graphviz's language. Boxes are steps, ovals are arguments and
        results, arrows are arrays with dtype and shape, from the step that writes them to those
        that read them. Frames enclose steps that are fused.

        Args:
          record: Index of the record.

        Errors: IndexError if the record does not exist.
        """
        return dot(self.name, self.details[record])

    def svg(self, record: int = 0) -> str:
        """Returns the drawing as SVG, made by Graphviz's program `dot`.

        Args:
          record: Index of the record.

        Errors: IndexError if the record does not exist; RuntimeError if Graphviz is not installed,
        or fails.
        """
        return svg(self.dot(record))


def _lower(self: Any, *args: Any, **kwargs: Any) -> Lowered:
    """Returns the records for these arguments as a Lowered. If there are none, it calls the
    function first.

    Errors: RuntimeError, with the reason, if the call cannot be replayed.
    """
    records = self._text(*args, **kwargs)
    if not records:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            self(*args, **kwargs)
        records = self._text(*args, **kwargs)
    if not records:
        raise RuntimeError(f"{self!r} runs uncompiled: {self._reason(*args, **kwargs)}")
    return Lowered(getattr(self, "__qualname__", "function"), records, [trace_of(d) for d in self._describe(*args, **kwargs)])


def _repr(self: Any) -> str:
    return f"<torch_np.compile of {self.__wrapped__!r}>"


def _reduce(self: Any) -> Any:
    """Pickles a compiled function by its name if its module has it under that name, else by the
    function that it wraps.
    """
    try:
        module = __import__(self.__module__, fromlist=["_"])
        found = module
        for part in self.__qualname__.split("."):
            found = getattr(found, part)
        if found is self:
            return self.__qualname__
    except (AttributeError, ImportError):
        pass
    return _compiled_again, (self.__wrapped__, self.__dict__.get("_compiled_with", {}))


def _compiled_again(function: Any, given: dict[str, Any]) -> Any:
    return compile(function, **given)


def explain(function: Any, *args: Any, **kwargs: Any) -> str:
    """Calls a compiled function and describes how the call ran.

    The text gives the reason if the call runs uncompiled. Otherwise it lists the steps of each
    record: which are fused ("fused 0", with the number of the group), which share a tiled loop over
    rows ("tiles 0"), and why others are not fused (no pointwise operator, a transposed operand,
    ...). The guards of the record follow: the kind of each ("What is guarded" in docs/compile.md),
    where its value is (`global np`, `closure cell k`, `self.rate`), and the value compared.

    Args:
      function: Result of torch_np.compile.
      args: Arguments of the call.
      kwargs: Keyword arguments of the call.

    Errors: TypeError if `function` is not made by torch_np.compile.
    """
    function = function.__dict__.get("_compiled", function) if hasattr(function, "__dict__") else function
    if not isinstance(function, _C.CompiledFunction):
        raise TypeError(f"explain(): function must be made by torch_np.compile, got {type(function).__name__}")
    try:
        lowered = _lower(function, *args, **kwargs)
    except RuntimeError as error:
        return str(error)
    lines = []
    guards = function._guards(*args, **kwargs)
    for i, record in enumerate(lowered.details):
        steps = record.steps
        groups = len({step.group for step in steps if step.group >= 0})
        lines.append(f"record {i}: {len(steps)} steps, {sum(step.group >= 0 for step in steps)} of them fused in {groups} group{'' if groups == 1 else 's'}")
        for step in steps:
            alone = "no neighbouring step to fuse with"
            what = [f"fused {step.group}"] if step.group >= 0 else [f"not fused: {step.reason or alone}"] if step.tiles < 0 else []
            lines.append(f"    {step.text}: " + ", ".join(what + [f"tiles {step.tiles}"] * (step.tiles >= 0)))
        for backward in lowered.records[i].split("backward:\n")[1:]:
            lines.append(f"    gradients: {len(backward.splitlines())} steps")
        lines += ["  guards:", *(f"    {line}" for line in (*described_arguments(function.__wrapped__, args, kwargs), *described(guards[i])))]
    if reason := function._reason(*args, **kwargs):
        lines.append(f"other calls run uncompiled: {reason}")
    return "\n".join(lines)


@contextlib.contextmanager
def verify(on: bool = True) -> Iterator[None]:
    """Verifies functions that are recorded, and operators whose results become pending, within a
    `with` block, in all threads.

    Each replay of such a function is repeated by the recorded calls, one by one. The results, the
    memory from outside that the function changes, and the floating-point warnings must be the same:
    numbers bit by bit, and a NaN in the place of a NaN. Each operator with a pending result
    (torch_np.fusion) is also computed at its call, and the fused expression is compared with that
    in the same way. The environment variable TORCH_NP_VERIFY=1 is the same for a whole program.
    Programs take several times as long.

    Records on devices, and those that draw random numbers or call operators of libraries or of
    Python, are not verified; verification_statistics() counts them.

    Args:
      on: False turns verification off within the block.

    Errors: a difference raises RuntimeError, with the plan and the recorded calls of a function, or
    with the expression of a pending result. The line that reads the pending result raises.
    """
    before = _C._set_verifying(bool(on))
    try:
        yield
    finally:
        _C._set_verifying(before)


def verification_statistics() -> dict[str, int]:
    """Returns counters of verification: replays that were 'verified', and records that are
    'not_verifiable'; computed 'expressions' of pending results, and 'reductions' of pending
    operands; 'differences' that were raised.
    """
    return _C._verification_statistics()


def kernel_statistics() -> dict[str, int]:
    """Returns counters of fused kernels on GPUs: kernels 'compiled' (or found in the cache),
    'refused' by the compiler, so that their operators run one by one, and 'launched'; records
    turned into CUDA 'graphs', backward passes included, and 'graph_launches'.
    """
    return _C._kernel_statistics()


def _statistics(self: Any) -> dict[str, Any]:
    """Returns counters of a compiled function: calls 'recorded', 'replayed' and run uncompiled
    ('plain'); 'backwards' replayed; the number of 'records'; the 'bytes' that a replay of each
    keeps for intermediate results; and the 'reasons' why calls are not recorded.
    """
    return self._statistics()


for _name, _method in (("lower", _lower), ("statistics", _statistics), ("__repr__", _repr), ("__reduce__", _reduce)):
    setattr(_C.CompiledFunction, _name, _method)
