"""Shapes of the tensors that operators get, for profiles with `record_shapes`.

While such a profile is recorded, a dispatch mode sees each operator of its thread. It runs the
operator within a label, whose name has the number of the call. `take` removes these labels from the
events.
"""
from __future__ import annotations

import threading
from typing import Any

from torch_np import _C
from torch_np._transforms import dispatch
from torch_np.profiler._events import Event

_MARK = "torch_np.profiler shapes "


def _shape(value: Any) -> list[int]:
    """The shape of a tensor; a list of tensors and other arguments have none."""
    return list(value.shape) if isinstance(value, _C.Tensor) else []


class Shapes:
    """The shapes of the operators that one thread calls, from `start()` to `stop()`."""

    def __init__(self) -> None:
        self.calls: list[list[list[int]]] = []
        self._thread = 0

    def start(self) -> None:
        """Starts recording on this thread."""
        self._thread = threading.get_ident()
        dispatch.push_mode(_Mode(self.calls))

    def stop(self) -> None:
        """Stops recording. Errors: RuntimeError on another thread."""
        if threading.get_ident() != self._thread:
            raise RuntimeError("profile.stop(): a profile with record_shapes must be stopped by the thread that started it")
        dispatch.pop_mode()


class _Mode:
    def __init__(self, calls: list[list[list[int]]]) -> None:
        self._calls = calls

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        ticket = _C._profiler_begin(f"{_MARK}{len(self._calls)}")
        self._calls.append([_shape(v) for v in (*args, *kwargs.values())])
        try:
            return func(*args, **kwargs)
        finally:
            _C._profiler_end(ticket)


def take(events: list[Event], calls: list[list[list[int]]]) -> list[Event]:
    """Moves the shapes of calls into the events of a thread, and returns the events without the labels.

    An operator that the mode saw has the label as its only child, and the label has the operator
    again. They become one event with the time of the inner one.
    """
    removed: set[int] = set()
    for label in events:
        if label.kind != "label" or not label.name.startswith(_MARK):
            continue
        shapes, outer = calls[int(label.name[len(_MARK):])], label.cpu_parent
        inner = next((e for e in label.cpu_children if e.kind == "operator"), None)
        removed.add(id(label))
        if outer is not None and inner is not None and outer.name == inner.name and outer.kind == "operator" and outer.cpu_children == [label]:
            outer._take(inner)
            outer.input_shapes = shapes
            removed.add(id(inner))
            continue
        if inner is not None:
            inner.input_shapes = shapes
        elif outer is not None and outer.kind == "operator":
            outer.input_shapes = shapes
        label._leave()
    return [e for e in events if id(e) not in removed]
