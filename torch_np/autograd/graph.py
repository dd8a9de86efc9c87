"""The autograd graph: its nodes and edges, hooks of saved tensors, and hooks of several tensors.

The module is a function too: `torch_np.autograd.graph(result)` returns a drawing of the graph.
"""
from __future__ import annotations

import abc
import sys
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._absent import absent_class, absent_function
from torch_np.autograd._edges import GradientEdge, get_gradient_edge
from torch_np.autograd._graph import Graph as Graph, graph as _draw
from torch_np.autograd._saved_on_change import allow_mutation_on_saved_tensors
from torch_np.autograd._saved_tensors import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

__all__ = ["GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version",
           "node_creation_hook", "queue_callback", "region_activation_memory_budget", "register_multi_grad_hook", "save_on_cpu",
           "saved_tensors_hooks", "set_override_stale_capture_stream", "set_warn_on_accumulate_grad_stream_mismatch"]


class _Module(ModuleType):
    """The class of this module, whose call draws a graph."""

    def __call__(self, result: Any, names: Any = None) -> Graph:
        return _draw(result, names)


_Module.__call__.__doc__ = _draw.__doc__
sys.modules[__name__].__class__ = _Module


if TYPE_CHECKING:
    from torch_np._C import Node as Node
else:
    class Node(abc.ABC):
        """A node of the graph, for `isinstance` and `issubclass`: the class of each `grad_fn`, and of the contexts of Functions,
        counts as a subclass. None has this class among its bases.
        """

        @classmethod
        def __subclasshook__(cls, subclass: type) -> Any:
            return issubclass(subclass, (_C.Node, _C.FunctionCtx)) or subclass.__module__ == "torch_np._C._functions" or NotImplemented


def increment_version(tensor: _C.Tensor | Iterable[_C.Tensor]) -> None:
    """Marks tensors as changed in place, after code that torch_np does not see changed their
    memory. Backward then raises if it needs the old values.

    Args:
      tensor: Tensor, or iterable of them.

    Shapes: any.
    Errors: RuntimeError for other objects.
    """
    tensors = (tensor,) if isinstance(tensor, _C.Tensor) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        if not isinstance(t, _C.Tensor):
            raise RuntimeError(f"increment_version(): expected Tensors, got {type(t).__name__}")
        _C._increment_version(t)


def queue_callback(callback: Callable[[], None]) -> None:
    """Calls a function at the end of the backward pass that this thread executes, if the pass
    succeeds. Hooks and the `backward` of autograd Functions use it.

    Args:
      callback: Function without arguments.

    Errors: RuntimeError outside of a backward pass, TypeError unless `callback` is callable.
    """
    _C._queue_callback(callback)


class _Handle:
    """Handle of a hook of several tensors."""

    def __init__(self, handles: Iterable[Any]) -> None:
        self._handles = tuple(handles)

    def remove(self) -> None:
        """Removes the hook."""
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> _Handle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[_C.Tensor], fn: Callable[..., None], *, mode: str = "all") -> _Handle:
    """Registers a function of the gradients of several tensors, and returns a handle whose
    `remove()` removes it.

    In mode "all" a backward pass calls `fn(gradients)` once, with None for tensors without a
    gradient in this pass: after the last gradient if all tensors get one, else at the end of the
    pass. In mode "any" it calls `fn(gradient)` with the first one. A pass in which no tensor gets a
    gradient does not call it.

    Args:
      tensors: The tensors, which require gradients.
      fn: The function; its result is ignored.
      mode: "all" or "any".

    Shapes: the gradients as the tensors.
    Errors: ValueError for another mode; RuntimeError for a tensor that does not require a gradient.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    passes: dict[int, list[_C.Tensor | None]] = {}  # gradients so far, by the number of the backward pass

    def finish(number: int) -> None:
        found = passes.pop(number, None)
        if found is not None and mode == "all":
            fn(found)

    def hook_of(index: int) -> Callable[[_C.Tensor], None]:
        def hook(gradient: _C.Tensor) -> None:
            number = _C._backward_pass()
            if number not in passes:
                passes[number] = [None] * len(tensors)
                queue_callback(lambda: finish(number))
                if mode == "any":
                    fn(gradient)
            found = passes[number]
            found[index] = gradient
            if mode == "all" and all(g is not None for g in found):
                finish(number)
        return hook

    return _Handle([t.register_hook(hook_of(i)) for i, t in enumerate(tensors)])


node_creation_hook = absent_class(
    "node_creation_hook", "nodes are created without calling Python; use Tensor.grad_fn and Node.register_hook of results instead", __name__)
region_activation_memory_budget = absent_function(
    "region_activation_memory_budget", "compiled functions do not recompute activations; use torch_np.utils.checkpoint instead", __name__)


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accepted for compatibility; no result depends on it. A backward pass uses the streams that
    are current where it runs, so gradients and leaves have no streams of their own to mismatch.

    Args:
      enabled: Ignored.
    """


set_override_stale_capture_stream = absent_function(
    "set_override_stale_capture_stream", "nodes record no streams; capture the backward pass on the current stream instead", __name__)
