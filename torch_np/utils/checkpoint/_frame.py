"""One checkpointed call: its arguments, and its repetition in the backward pass.

While the function runs, hooks replace each tensor that an operator saves by a holder without
memory. When a backward pass needs such a tensor, the frame calls the function again, with hooks
that note the tensors that are saved then. The tensor saved at the same place is the one that was
asked for. The graph is that of the first call, so gradients, leaves and hooks are as without a
checkpoint.
"""
from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._torch.autocasting import Restored
from torch_np.autograd import Function, enable_grad
from torch_np.autograd.graph import queue_callback, saved_tensors_hooks
from torch_np.utils._pytree import tree_flatten, tree_unflatten
from torch_np.utils.checkpoint._determinism import Checks, Record
from torch_np.utils.checkpoint._random_state import RandomState


class _Holder:
    """A place in the order in which operators save tensors."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int) -> None:
        self.number = number


class _Finished(BaseException):  # noqa: N818  (no error; functions that catch Exception let it pass)
    """Ends the second computation: all tensors have been saved that the first one saved."""


class _Arguments(Function):
    """A node that holds the arguments: it checks their versions, and hooks around the checkpoint receive them."""

    @staticmethod
    def forward(ctx: Any, empty: _C.Tensor, *tensors: _C.Tensor) -> _C.Tensor:
        ctx.save_for_backward(*tensors)
        return empty.clone()


class _Values:
    """The tensors of the second computation in one backward pass."""

    def __init__(self) -> None:
        self.waiting: weakref.WeakKeyDictionary[_Holder, tuple[_C.Tensor, int]] = weakref.WeakKeyDictionary()
        self.node: Any = None  # the last one that took tensors
        self.taken: dict[int, _C.Tensor] = {}  # by it: a node may read a tensor several times

    def take(self, holder: _Holder, node: Any) -> _C.Tensor | None:
        if node is None or node is not self.node:
            self.node, self.taken = node, {}
        found = self.taken.get(holder.number)
        if found is None and holder in self.waiting:
            found, version = self.waiting.pop(holder)
            if found._version != version:
                raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace operation in the second "
                                   f"computation of a checkpoint: [{found.dtype} {tuple(found.shape)}] is at version {found._version}; expected version "
                                   f"{version} instead")
            self.taken[holder.number] = found
        return found


class Frame:
    """A call of a function, which can be repeated."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], random_state: RandomState | None,
                 recompute_context: Any, checks: Checks) -> None:
        self._function, self._random_state = function, random_state
        self._recompute_context, self._checks = recompute_context, checks
        self._autocast = Restored()
        self._leaves, self._spec = tree_flatten((args, kwargs))
        self._places = [i for i, leaf in enumerate(self._leaves)
                        if isinstance(leaf, _C.Tensor) and not _C._is_sparse(leaf) and not _C._is_wrapped(leaf)]
        empty = _C._torch.empty(0, device="cpu", requires_grad=True)
        self._arguments = _Arguments.apply(empty, *(self._leaves[i] for i in self._places)).grad_fn
        for i in self._places:
            self._leaves[i] = None
        self._holders: list[weakref.ref[_Holder]] = []
        self._values: dict[int, _Values] = {}  # by the number of the backward pass
        self._record = Record(checks)

    def run_first(self, context: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of the first computation."""
        with context, self._record.logged(), saved_tensors_hooks(self._hold, self._unpack):
            return self._function(*args, **kwargs)

    def _hold(self, tensor: _C.Tensor) -> _Holder:
        self._record.add(tensor)
        holder = _Holder(len(self._holders))
        self._holders.append(weakref.ref(holder))
        return holder

    def _unpack(self, holder: _Holder) -> _C.Tensor:
        number = _C._backward_pass()
        if number not in self._values:
            values = self._values[number] = _Values()
            try:
                self._repeat(values)
            except BaseException:
                del self._values[number]
                raise
            if number:
                queue_callback(lambda: self._forget(number))
        found = self._values[number].take(holder, _C._current_autograd_node() if number else None)
        if not number:
            self._forget(number)  # read outside of a pass
        if found is None:
            if number:  # a later node reads again what an earlier one took
                self._forget(number)
                return self._unpack(holder)
            raise AssertionError("a tensor of a checkpoint was not computed again")
        return found

    def _forget(self, number: int) -> None:
        self._values.pop(number, None)

    def _repeat(self, values: _Values) -> None:
        """The second computation: fills `values`."""
        record, count = Record(self._checks), len(self._holders)

        def note(tensor: _C.Tensor) -> _C.Tensor:
            number = len(record)
            record.add(tensor)
            kept = tensor.detach() if tensor.requires_grad else tensor
            holder = self._holders[number]() if number < count else None
            if holder is not None:
                values.waiting[holder] = kept, kept._version
            if self._checks.stops_early and number == count - 1:
                raise _Finished
            return kept

        leaves = list(self._leaves)
        for i, t in zip(self._places, self._arguments.saved_tensors, strict=True):
            leaves[i] = t
        args, kwargs = tree_unflatten(leaves, self._spec)
        restored = contextlib.nullcontext() if self._random_state is None else self._random_state.restored()
        with contextlib.suppress(_Finished), restored, enable_grad(), self._autocast, self._recompute_context, record.logged(), \
                saved_tensors_hooks(note, lambda t: t):
            self._function(*args, **kwargs)
        self._record.compare(record)


def run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, keeps_random_state: bool, contexts: tuple[Any, Any],
        checks: Checks) -> Any:
    """Calls the function. Backward passes call it again, for the tensors that its operators saved."""
    forward_context, recompute_context = contexts
    if not _C._is_grad_enabled():
        with forward_context:
            return function(*args, **kwargs)
    state = RandomState((args, kwargs)) if keeps_random_state else None
    return Frame(function, args, kwargs, state, recompute_context, checks).run_first(forward_context, args, kwargs)
