"""torch_np.jit: PyTorch's script compiler, by name. Scripted and traced functions and modules are the
functions and modules themselves, run by Python; `torch_np.compile` compiles.
"""
from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final as Final, TypeVar

from torch_np._absent import absent_class, absent_function
from torch_np._jit_internal import (
    _overload as _overload, _overload_method as _overload_method, export as export, ignore as ignore, is_scripting as is_scripting,
    unused as unused,
)
from torch_np.futures import Future as Future
import torch_np.jit.annotations  # noqa: F401  (the module replaces the name that __future__ left)
from torch_np.jit._containers import isinstance as isinstance  # noqa: A004
from torch_np.jit._script import (
    RecursiveScriptModule as RecursiveScriptModule, ScriptFunction as ScriptFunction, ScriptModule as ScriptModule, freeze as freeze,
    interface as interface, load as load, optimize_for_inference as optimize_for_inference,
    run_frozen_optimizations as run_frozen_optimizations, save as save, script as script, script_if_tracing as script_if_tracing,
    script_method as script_method,
)
from torch_np.jit._trace import (
    TracerWarning as TracerWarning, TracingCheckError as TracingCheckError, is_tracing as is_tracing, trace as trace,
    trace_module as trace_module,
)

_T = TypeVar("_T")

__all__ = [
    "Attribute", "CompilationUnit", "Error", "Final", "Future", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "TracerWarning",
    "TracingCheckError", "annotate", "enable_onednn_fusion", "export", "export_opnames", "fork", "freeze", "ignore", "interface",
    "is_scripting", "is_tracing", "isinstance", "last_executed_optimized_graph", "load", "onednn_fusion_enabled", "optimize_for_inference",
    "optimized_execution", "run_frozen_optimizations", "save", "script", "script_if_tracing", "script_method", "set_fusion_strategy",
    "strict_fusion", "trace", "trace_module", "unused", "wait"]

_script_if_tracing = script_if_tracing
script_class = script
Attribute = namedtuple("Attribute", ["value", "type"])
_REASON = "programs of the script compiler are not implemented; call the function itself, or use torch_np.compile"
CompilationUnit = absent_class("CompilationUnit", _REASON, __name__)
_get_trace_graph = absent_function("_get_trace_graph", _REASON, __name__)
export_opnames = absent_function("export_opnames", _REASON, __name__)
last_executed_optimized_graph = absent_function("last_executed_optimized_graph", _REASON, __name__)


class Error(RuntimeError):
    """The class of errors in compiled programs. Functions run in Python raise their own exceptions."""


def annotate(the_type: Any, the_value: _T) -> _T:
    """Returns `the_value`.

    Args:
      the_type: Type of the value, for PyTorch's compiler.
      the_value: Any object.
    """
    return the_value


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """Calls a function at once and returns a completed Future of its result, as PyTorch does outside of
    compiled programs.

    Args:
      func: The function.
      args: Its arguments.
      kwargs: Its keyword arguments.

    Errors: exceptions of the function.
    """
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


_fork = fork


def wait(future: Future[_T]) -> _T:
    """Waits for a Future and returns its value.

    Args:
      future: The Future.
    """
    return future.wait()


_wait = wait


_strategy: list[tuple[str, int]] = [("STATIC", 2), ("DYNAMIC", 10)]


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Sets PyTorch's numbers of specialisations for fused code and returns the previous ones. Results do
    not depend on them, and the engine does not read them.

    Args:
      strategy: Pairs of 'STATIC' or 'DYNAMIC' and a number.
    """
    global _strategy
    previous, _strategy = _strategy, list(strategy)
    return previous


def onednn_fusion_enabled() -> bool:
    """Returns False: there is no script compiler that oneDNN's fusions could serve."""
    return False


def enable_onednn_fusion(enabled: bool) -> None:
    """Accepts False.

    Args:
      enabled: Whether the script compiler uses fusions of oneDNN.

    Errors: NotImplementedError for True.
    """
    if enabled:
        raise NotImplementedError("enable_onednn_fusion(): there is no script compiler; convolutions use oneDNN if it is installed")


class _Nothing:
    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        return None


class strict_fusion(_Nothing):  # noqa: N801  (PyTorch's name)
    """Context manager for code whose operators PyTorch's compiler must fuse. It has no effect on code
    that runs in Python, as in PyTorch.
    """


class optimized_execution(_Nothing):  # noqa: N801  (PyTorch's name)
    """Context manager that turns optimisations of compiled programs on or off. There are no such
    programs, so it has no effect.

    Args:
      should_optimize: Whether to optimise.
    """

    def __init__(self, should_optimize: bool) -> None:
        self.should_optimize = should_optimize
