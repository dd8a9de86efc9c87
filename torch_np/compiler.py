"""Whole functions, recorded once and replayed without Python: `torch_np.compile`.

The first call with new shapes, dtypes, layouts or Python values runs the function and records the operators that it calls; later calls replay the record in
C++, in one piece: what is computed twice is computed once, what nobody wants not at all, and gradients that the function takes are steps like others.

    @torch_np.compile
    def step(w, x, y):
        return w - 0.1 * x.T @ (x @ w - y)

What a record depends on is checked at each call: shapes, dtypes, strides and flags of arguments; numbers, texts and other Python values among them; variables
of closures and modules that the function (or one that it calls) names, attributes of objects found there (_guards.py). A function that reads what no guard covers,
such as a NumPy array, runs as it is. What Python looks at while it records
(`if x.sum() > 0`, `float(x)`) is compared at each call, too, and another outcome leads to another record. What cannot be recorded runs as it is, which a
warning says once, and `explain` says at any time. The results are the same bits, and so are their gradients: where results have gradients, the backward pass is
replayed, too.

As in JAX, what a function does besides (printing, files, lists that it fills, clocks and Python's own random numbers) happens when it is recorded, and not when
it is replayed. Draws from torch_np's generators are part of the record.
"""
from __future__ import annotations

import functools
import warnings
from typing import Any

from . import _C, _backends
from ._graphviz import Picture, svg
from ._guards import walk
from ._record_drawing import Record, dot, record_of

__all__ = ["Lowered", "compile", "explain", "kernel_statistics", "list_backends"]

def _warn(function: Any, reason: str) -> None:
    name = getattr(function, "__qualname__", repr(function))
    warnings.warn(f"torch_np.compile: {name}() runs as it is: {reason}", RuntimeWarning, stacklevel=3)


def _raise(function: Any, reason: str) -> None:
    raise RuntimeError(f"torch_np.compile: {getattr(function, '__qualname__', function)}() cannot be recorded: {reason}")


_MEASURED = ("max", "max-autotune", "max-autotune-no-cudagraphs")
_MODES = (None, "default", "reduce-overhead", *_MEASURED)


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = _backends.OWN,  # noqa: A001
            mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False) -> Any:
    """A function that does what `model`, a function or module, does: recorded at the first call of each kind, and replayed from then on; see above.

    Without `model` a decorator. `fullgraph`: what cannot be recorded raises RuntimeError instead of running as it is. `mode`: 'max' (or one of PyTorch's
    'max-autotune') measures, with the numbers of a record's products of matrices, ways to multiply them that give the same bits (libraries, threads), and keeps
    the fastest: some milliseconds a product. `disable`: gives `model` back. `backend`: 'inductor', which is the engine itself, or the name of a
    partitioner that a library in C++ registered (`torch_np.library.load`, `list_backends`): of the operators in a record it computes those that it supports,
    in the way of its own, and with the rounding of its own; the call that records is the function itself. `options` (of texts and numbers) are passed on to
    it; the engine itself has none, and those of PyTorch's say nothing to it.

    Errors: TypeError for what is not callable, for a `backend` that is no name; ValueError for another mode, or a backend that nobody registered;
    NotImplementedError for `dynamic=True`: a record is for one set of shapes. What a backend raises comes from the call that records, or from the one that
    replays, and names the backend and its library.
    """
    if mode not in _MODES:
        raise ValueError(f"compile(): mode must be one of {', '.join(map(repr, _MODES))}, got {mode!r}")
    if not isinstance(backend, str):
        raise TypeError(f"compile(): backend must be the name of one, got {type(backend).__name__}")
    partitioner = None if backend == _backends.OWN else _backends.found(backend)
    if disable:
        return model if model is not None else lambda function: function
    if dynamic:
        raise NotImplementedError("compile(): dynamic=True is not implemented; a record is for one set of shapes, and there may be many records")
    given: dict[str, Any] = {"fullgraph": fullgraph, "backend": backend, "mode": mode, "options": options}
    if model is None:
        return functools.partial(compile, **given)
    if not callable(model):
        raise TypeError(f"compile(): model must be callable, got {type(model).__name__}")
    if isinstance(model, _C.CompiledFunction):
        if partitioner is None:
            return model
        model = model.__wrapped__
    backend_ = partitioner and partitioner.with_options(_texts(options))
    compiled = _C.CompiledFunction(model, walk, _raise if fullgraph else _warn, backend_, mode in _MEASURED)
    for name in functools.WRAPPER_ASSIGNMENTS:
        if hasattr(model, name):
            setattr(compiled, name, getattr(model, name))
    compiled.__dict__["_compiled_with"] = {name: value for name, value in given.items() if value != _DEFAULTS[name]}
    return compiled


_DEFAULTS = {"fullgraph": False, "backend": _backends.OWN, "mode": None, "options": None}


def _texts(options: dict[str, Any] | None) -> dict[str, str]:
    for name, value in (options or {}).items():
        if not isinstance(name, str) or not isinstance(value, (str, int, float)):
            raise TypeError(f"compile(): options must be texts and numbers by name, got {name!r}: {value!r}")
    return {name: str(value) for name, value in (options or {}).items()}


def list_backends() -> list[str]:
    """The names that `compile` takes for `backend`: 'inductor', the engine itself, and those of libraries that were loaded."""
    return _backends.names()


class Lowered(Picture):
    """What calls with certain arguments do: the text of their records, one for each way that the function went, and pictures of them.

    `records` are the texts; `details` the same in parts, of which the pictures are made. In a notebook it shows itself as a picture where Graphviz is installed.
    """

    def __init__(self, name: str, records: list[str], details: list[Record]) -> None:
        self.name = name
        self.records = records
        self.details = details

    def __str__(self) -> str:
        return "\n".join(f"{self.name}, record {i}:\n{record}" for i, record in enumerate(self.records))

    def __repr__(self) -> str:
        return f"<Lowered {self.name}: {len(self.records)} record(s)>"

    def dot(self, record: int = 0) -> str:
        """The picture in Graphviz's language: steps in boxes, arguments and results in ovals, arrays with dtype and shape as arrows from the step that makes
        them to those that read them, and a frame around steps that are computed together. Errors: IndexError if there is no such record."""
        return dot(self.name, self.details[record])

    def svg(self, record: int = 0) -> str:
        """The picture as SVG, which Graphviz's program `dot` draws.
        Errors: IndexError if there is no such record; RuntimeError where Graphviz is not installed, or fails."""
        return svg(self.dot(record))


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
    return Lowered(getattr(self, "__qualname__", "function"), records, [record_of(d) for d in self._describe(*args, **kwargs)])


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
    return _compiled_again, (self.__wrapped__, self.__dict__.get("_compiled_with", {}))


def _compiled_again(function: Any, given: dict[str, Any]) -> Any:
    return compile(function, **given)


def explain(function: Any, *args: Any, **kwargs: Any) -> str:
    """Calls the compiled function, and says what became of the call: why it runs as it is; or which steps its records have, which of them are computed together
    ("fused 0", by the number of the group), which go through the rows of arrays a tile after the other with their neighbours ("tiles 0"), and why others are not: they are no pointwise operators, read a transposed operand, ...

    Errors: TypeError for what torch_np.compile did not make."""
    if not isinstance(function, _C.CompiledFunction):
        raise TypeError(f"explain(): function must be made by torch_np.compile, got {type(function).__name__}")
    try:
        lowered = _lower(function, *args, **kwargs)
    except RuntimeError as error:
        return str(error)
    lines = []
    for i, record in enumerate(lowered.details):
        steps = record.steps
        groups = len({step.group for step in steps if step.group >= 0})
        lines.append(f"record {i}: {len(steps)} steps, {sum(step.group >= 0 for step in steps)} of them fused in {groups} group{'' if groups == 1 else 's'}")
        for step in steps:
            alone = "nothing next to it that is fused, too"
            what = [f"fused {step.group}"] if step.group >= 0 else [f"not fused: {step.reason or alone}"] if step.tiles < 0 else []
            lines.append(f"    {step.text}: " + ", ".join(what + [f"tiles {step.tiles}"] * (step.tiles >= 0)))
        for backward in lowered.records[i].split("backward:\n")[1:]:
            lines.append(f"    gradients: {len(backward.splitlines())} steps")
    if reason := function._reason(*args, **kwargs):
        lines.append(f"other calls run as they are: {reason}")
    return "\n".join(lines)


def kernel_statistics() -> dict[str, int]:
    """What became of neighbouring pointwise operators of records on GPUs: how many times a kernel for some of them was 'compiled' or found compiled, was
    'refused' by the compiler, so that they run one by one, and was 'launched'. And how many records became 'graphs', backward passes too, and how often one was
    launched ('graph_launches')."""
    return _C._kernel_statistics()


def _statistics(self: Any) -> dict[str, Any]:
    """How many calls were 'recorded', 'replayed' and run as they are ('plain'), how many 'backwards' were replayed, how many 'records' there are, how many
    'bytes' a replay of each keeps for results on the way, and for what 'reasons' some calls are not recorded."""
    return self._statistics()


for _name, _method in (("lower", _lower), ("statistics", _statistics), ("__repr__", _repr), ("__reduce__", _reduce)):
    setattr(_C.CompiledFunction, _name, _method)
