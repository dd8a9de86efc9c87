"""One checkpointed call: its arguments, and its repetition in the backward pass.

The function runs once with gradients. Its graph tells which leaves it read, parameters of a module
for example, and is dropped. The results then belong to a single node of the tape, whose inputs are
the arguments and these leaves. The node's backward repeats the function and differentiates it.
Gradients therefore reach the leaves as those of any other operator do: by `backward`, by
`autograd.grad`, and through the leaves' hooks.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._torch.autocasting import Restored
from torch_np.autograd import Function, enable_grad, grad
from torch_np.utils._pytree import tree_flatten, tree_unflatten
from torch_np.utils.checkpoint._determinism import Checks, Record
from torch_np.utils.checkpoint._random_state import RandomState


def _differentiable(leaf: object) -> bool:
    return isinstance(leaf, _C.Tensor) and leaf.requires_grad


class Frame:
    """A call of a function, which can be repeated with other tensors as its arguments."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], random_state: RandomState | None,
                 recompute_context: Any, checks: Checks) -> None:
        self._function, self._random_state = function, random_state
        self._recompute_context, self._checks = recompute_context, checks
        self._autocast = Restored()
        self._leaves, self._spec = tree_flatten((args, kwargs))
        self.places = [i for i, leaf in enumerate(self._leaves) if _differentiable(leaf)]
        self.inputs = [self._leaves[i] for i in self.places]
        for i in self.places:
            self._leaves[i] = None  # the node of the tape holds it, and checks its version
        self.record = Record(checks)

    def call(self, inputs: list[_C.Tensor]) -> Any:
        """The result of the function, with these tensors in place of its differentiable arguments.
        """
        leaves = list(self._leaves)
        for i, t in zip(self.places, inputs, strict=True):
            leaves[i] = t
        args, kwargs = tree_unflatten(leaves, self._spec)
        return self._function(*args, **kwargs)

    def repeat(self, inputs: list[_C.Tensor]) -> list[_C.Tensor]:
        """The differentiable results of the second computation."""
        restored = contextlib.nullcontext() if self._random_state is None else self._random_state.restored()
        record = Record(self._checks)
        with restored, enable_grad(), self._autocast, self._recompute_context, record.of_saves():
            outputs = [t for t in tree_flatten(self.call(inputs))[0] if _differentiable(t)]
        record.add_results(outputs)
        self.record.compare(record)
        return outputs


class _Checkpointed(Function):
    """The node of the tape: its inputs are the frame's differentiable arguments and the leaves that
    the function read.
    """

    @staticmethod
    def forward(ctx: Any, frame: Frame, results: list[_C.Tensor], *tensors: _C.Tensor) -> Any:
        ctx.frame = frame
        ctx.save_for_backward(*tensors)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        frame, tensors = ctx.frame, ctx.saved_tensors
        count, recorded = len(frame.places), _C._is_grad_enabled()
        # A recorded backward must lead to the arguments themselves. Their views have no other
        # readers.
        with enable_grad():
            inputs = [t.view_as(t) if recorded else t.detach().requires_grad_() for t in tensors[:count]]
        outputs = frame.repeat(inputs)
        with enable_grad():
            found = grad(outputs, [*inputs, *tensors[count:]], list(grads), retain_graph=True, create_graph=recorded, allow_unused=True)
        return (None, None, *found)


def _leaves_of(outputs: list[_C.Tensor], inputs: list[_C.Tensor]) -> list[_C.Tensor]:
    """The leaves that the graph of the outputs reads, without `inputs`."""
    known, found = {id(t) for t in inputs}, []
    waiting = [t.grad_fn for t in outputs if t.grad_fn is not None]
    found += [t for t in outputs if t.grad_fn is None and id(t) not in known]
    seen = set(waiting)
    while waiting:
        for node, _ in waiting.pop().next_functions:
            if node is None or node in seen:
                continue
            seen.add(node)
            leaf = getattr(node, "variable", None)
            if leaf is None:
                waiting.append(node)
            elif id(leaf) not in known:
                known.add(id(leaf))
                found.append(leaf)
    return found


def run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, keeps_random_state: bool, contexts: tuple[Any, Any],
        checks: Checks) -> Any:
    """Calls the function. Results that require a gradient belong to a node that repeats it."""
    forward_context, recompute_context = contexts
    if not _C._is_grad_enabled():
        with forward_context:
            return function(*args, **kwargs)
    state = RandomState((args, kwargs)) if keeps_random_state else None
    frame = Frame(function, args, kwargs, state, recompute_context, checks)
    inputs = [t.detach().requires_grad_() for t in frame.inputs]
    with forward_context, frame.record.of_saves():
        found, spec = tree_flatten(frame.call(inputs))
    places = [i for i, t in enumerate(found) if _differentiable(t)]
    if not places:
        return tree_unflatten(found, spec)
    outputs = [found[i] for i in places]
    frame.record.add_results(outputs)
    leaves = _leaves_of(outputs, inputs)
    tensors, frame.inputs = frame.inputs, []
    for i, t in zip(places, _Checkpointed.apply(frame, [t.detach() for t in outputs], *tensors, *leaves), strict=True):
        found[i] = t
    return tree_unflatten(found, spec)
