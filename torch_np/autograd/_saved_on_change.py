"""Saved tensors that are copied when an operator changes them in place."""
from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Iterator, MutableMapping
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from torch_np import _C
from torch_np._transforms import dispatch
from torch_np.autograd._saved_tensors import saved_tensors_hooks

_OUTSIDE = ("Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally recorded.")


class _Handle:
    """A saved value, which nodes of the graph own."""


class _State(threading.local):
    """Whether the context is active in a thread."""

    active = False


_state = _State()


class _MutationContext:
    """The object of `with allow_mutation_on_saved_tensors() as context`: the saved tensors, and the copies
    of those that have changed since.
    """

    def __init__(self) -> None:
        self.cloned: MutableMapping[_Handle, _C.Tensor] = WeakKeyDictionary()
        self.original: MutableMapping[_Handle, _C.Tensor] = WeakKeyDictionary()
        self.tid_to_weakhandle: MutableMapping[Any, _Handle] = WeakValueDictionary()
        self.sid_to_tid: dict[Any, set[Any]] = defaultdict(set)

    def clear(self) -> None:
        """Forgets all saved tensors."""
        for kept in (self.cloned, self.original, self.tid_to_weakhandle, self.sid_to_tid):
            kept.clear()

    def save(self, tensor: _C.Tensor) -> _Handle:
        """Keeps a tensor, and returns its handle."""
        memory = _memory(tensor)
        identity = id(tensor), memory
        self.sid_to_tid[memory].add(identity)
        handle = self.tid_to_weakhandle.get(identity)
        if handle is None:
            handle = self.tid_to_weakhandle[identity] = _Handle()
            self.original[handle] = tensor
        return handle

    def saved(self, handle: _Handle) -> _C.Tensor:
        """The value that was saved. Errors: AssertionError outside of the context."""
        if not _state.active or handle not in self.cloned and handle not in self.original:
            raise AssertionError(_OUTSIDE)
        return self.cloned[handle] if handle in self.cloned else self.original[handle]

    def before_change(self, tensor: _C.Tensor) -> None:
        """Copies the saved tensors that share memory with a tensor."""
        for identity in self.sid_to_tid.get(_memory(tensor), ()):
            handle = self.tid_to_weakhandle.get(identity)
            if handle is not None and handle not in self.cloned:
                self.cloned[handle] = self.original.pop(handle).clone()


def _memory(tensor: _C.Tensor) -> Any:
    return tensor.untyped_storage().data_ptr(), tensor._version


class _CopyingMode:
    """Copies saved tensors before an operator changes them."""

    def __init__(self, context: _MutationContext) -> None:
        self.context = context

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for tensor in dispatch._changed(func, list(args), kwargs or {}):
            self.context.before_change(tensor)
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_MutationContext]:
    """Context manager: tensors that operators within it save for backward may be changed in place. They
    are copied then. The backward pass must run within the same context.

    Errors: RuntimeError within another one; AssertionError for a backward pass outside.
    """
    context = _MutationContext()
    with saved_tensors_hooks(context.save, context.saved):
        if _state.active:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        dispatch.push_mode(_CopyingMode(context))
        _state.active = True
        try:
            yield context
        finally:
            context.clear()
            _state.active = False
            dispatch.pop_mode()
