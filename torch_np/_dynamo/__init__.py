"""torch_np._dynamo: PyTorch's recorder of Python functions, by name. torch_np.compile has its own."""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_names
from torch_np._dynamo._module import OptimizedModule as OptimizedModule
from torch_np.compiler import (
    allow_in_graph as allow_in_graph, assume_constant_result as assume_constant_result, compile as compile, disable as disable,
    is_compiling as is_compiling, list_backends as list_backends, nonstrict_trace as nonstrict_trace, reset as reset,
    set_stance as set_stance, substitute_in_graph as substitute_in_graph,
)

_RECORDER = "this part of PyTorch's recorder is not implemented; torch_np.compile records by itself"


class _Config:
    """Settings of PyTorch's recorder. torch_np.compile does not read them; any name can be set and read
    again.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def patch(self, *args: Any, **changes: Any) -> Any:
        """Context manager in which settings have other values.

        Args:
          args: A name and a value, or a dict of them.
          changes: Values by name.
        """
        import contextlib

        @contextlib.contextmanager
        def patched() -> Any:
            given = dict(args[0]) if len(args) == 1 else {args[0]: args[1]} if args else {}
            given.update(changes)
            before = {name: self.__dict__.get(name) for name in given}
            self.__dict__.update(given)
            try:
                yield
            finally:
                self.__dict__.update(before)
        return patched()


config = _Config()


def _returned(fn: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Returns the function: hints to PyTorch's recorder have no effect here."""
    return fn if fn is not None else lambda function: function


disallow_in_graph = forbid_in_graph = dont_skip_tracing = disable_nested_graph_breaks = _returned


def graph_break(msg: str = "") -> None:
    """Does nothing: torch_np.compile breaks its records where it must.

    Args:
      msg: Reason.
    """


def skip_frame(msg: str = "") -> None:
    """Does nothing; see `graph_break`.

    Args:
      msg: Reason.
    """


def step_unsupported(msg: str = "") -> None:
    """Does nothing; see `graph_break`.

    Args:
      msg: Reason.
    """


def mark_dynamic(t: Any, index: Any, *args: Any, **kwargs: Any) -> None:
    """Does nothing: torch_np.compile makes one record for each shape.

    Args:
      t: Tensor.
      index: Dimension.
    """


maybe_mark_dynamic = mark_dynamic


def mark_static(t: Any, index: Any = None) -> None:
    """Does nothing: each record is for one shape.

    Args:
      t: Tensor.
      index: Dimension.
    """


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Does nothing: records do not depend on addresses.

    Args:
      t: Tensor.
      guard: Whether PyTorch checks the address.
    """


def reset_recompile_user_contexts() -> None:
    """Does nothing: there are no such contexts."""


def optimize(backend: Any = "inductor", *args: Any, **kwargs: Any) -> Any:
    """Returns a decorator that compiles a function by torch_np.compile.

    Args:
      backend: 'inductor', or the name of a registered partitioner.
      args: Must be empty.
      kwargs: Options of torch_np.compile.
    """
    return lambda function: compile(function, backend=backend, **kwargs)


def explain(f: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns a function that calls a compiled function and describes the call; see
    torch_np.compiler.explain.

    Args:
      f: Function.
    """
    from torch_np import compiler
    return lambda *inputs, **named: compiler.explain(compile(f), *inputs, **named)


def is_dynamo_disable_recursive(method: Any) -> None:
    """Returns None: `disable` leaves no mark that applies to called functions.

    Args:
      method: Function.
    """


__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "compile", "config", "disable", "disable_nested_graph_breaks",
    "disallow_in_graph", "dont_skip_tracing", "explain", "forbid_in_graph", "graph_break", "is_compiling", "is_dynamo_disable_recursive",
    "list_backends", "mark_dynamic", "mark_static", "mark_static_address", "maybe_mark_dynamic", "nonstrict_trace", "optimize", "reset",
    "reset_recompile_user_contexts", "set_stance", "skip_frame", "step_unsupported", "substitute_in_graph", *absent_names(
        globals(), _RECORDER, functions="""allow_c_slot bytecode_debugger error_on_graph_break export lookup_backend optimize_assert
        override_cudagraphs override_optimization_hint patch_dynamo_config register_backend replay run set_recursion_limit""")]
