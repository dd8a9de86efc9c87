"""Python objects for the engine's recorded profile (aten/core/profiler/profiler.h)."""
from __future__ import annotations

import struct
from typing import NamedTuple

# tnp::profiler::Entry: begin, end, bytes, parent, name, kind, device type, device index.
_ENTRY = struct.Struct("<qqqiIBbb5x")
_KINDS = ("operator", "backward", "fused", "compiled", "step", "function", "label", "memory")
_MEMORY = _KINDS.index("memory")
_MARKS = len(_KINDS) + 1  # and above: entries for reports (aten/core/profiler/marks.h)


class TimeRange(NamedTuple):
    """A time interval from `start` to `end`, in microseconds since the profile began."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """The length of the interval in microseconds."""
        return self.end - self.start


class Event:
    """One recorded event, with PyTorch's attribute names.

    `kind` is 'operator', 'backward' (a node of the tape), 'fused' (pending results are computed),
    'compiled' (a replay of a compiled function), 'step' (of such a replay), 'function' (of the
    NumPy face, in Python) or 'label'. `name`, `thread`, `device` ('cpu', 'cuda:0', ...),
    `cpu_parent` (the enclosing event or None) and `cpu_children` are attributes. With `record_shapes`,
    `input_shapes` has a list for each argument of an operator: the shape of a tensor, otherwise empty.
    """

    __slots__ = ("name", "kind", "thread", "device", "cpu_parent", "cpu_children", "allocated_bytes", "self_memory_usage", "input_shapes", "_begin",
                 "_end")

    def __init__(self, name: str, kind: str, thread: int, device: str, cpu_parent: Event | None, begin: int, end: int) -> None:
        self.name = name
        self.kind = kind
        self.thread = thread
        self.device = device
        self.cpu_parent = cpu_parent
        self.cpu_children: list[Event] = []
        self.allocated_bytes = 0  # allocated by arrays, without nested events
        self.self_memory_usage = 0  # allocated minus freed, without nested events
        self.input_shapes: list[list[int]] = []
        self._begin = begin  # nanoseconds
        self._end = end

    @property
    def time_range(self) -> TimeRange:
        """Start and end of the event, a TimeRange."""
        return TimeRange(self._begin / 1000, self._end / 1000)

    @property
    def cpu_time_total(self) -> float:
        """Duration in microseconds, with nested events."""
        return (self._end - self._begin) / 1000

    @property
    def self_cpu_time_total(self) -> float:
        """Duration in microseconds, without nested events."""
        return (self._end - self._begin - sum(c._end - c._begin for c in self.cpu_children)) / 1000

    @property
    def memory_usage(self) -> int:
        """Bytes that arrays allocated minus bytes that they freed, with nested events."""
        return self.self_memory_usage + sum(c.memory_usage for c in self.cpu_children)

    def _take(self, inner: Event) -> None:
        """Takes the place of an event within this one, and its children."""
        self._begin, self._end = inner._begin, inner._end
        self.cpu_children = inner.cpu_children
        self.allocated_bytes += inner.allocated_bytes
        self.self_memory_usage += inner.self_memory_usage
        for child in self.cpu_children:
            child.cpu_parent = self

    def _leave(self) -> None:
        """Hands the children to the enclosing event, in place of this one."""
        outer = self.cpu_parent
        for child in self.cpu_children:
            child.cpu_parent = outer
        if outer is not None:
            at = next(i for i, e in enumerate(outer.cpu_children) if e is self)
            outer.cpu_children[at:at + 1] = self.cpu_children
            outer.allocated_bytes += self.allocated_bytes
            outer.self_memory_usage += self.self_memory_usage

    def __repr__(self) -> str:
        return f"<Event {self.name}: {self.kind}, {self.cpu_time_total:.3f} us, {self.device}, thread {self.thread}>"


class Change(NamedTuple):
    """An allocation of `bytes` bytes by an array, or a free if negative."""

    time: int  # nanoseconds since the profile began
    bytes: int
    device: str
    event: Event | None  # the event during which it happened


# Result of _C._profiler_stop(): began, duration, lost, names, and the entries of each thread.
Stopped = tuple[int, int, int, list[str], list[tuple[int, bytes]]]


class Profile(NamedTuple):
    began: int  # nanoseconds since 1970
    duration: int  # nanoseconds
    lost: int  # events dropped for lack of memory
    threads: dict[int, list[Event]]  # ordered by start
    changes: list[Change]  # of all threads, ordered by time


def _device(kind: int, index: int) -> str:
    return "cpu" if kind == 0 else f"cuda:{index}" if kind == 1 else "meta"


def _read_thread(thread: int, entries: bytes, names: list[str], changes: list[Change]) -> list[Event]:
    found: list[Event | None] = []  # by entry
    for begin, end, size, parent, name, kind, device_type, device_index in _ENTRY.iter_unpack(entries):
        if kind >= _MARKS:
            found.append(None)
            continue
        device = _device(device_type, device_index)
        within = found[parent] if parent >= 0 else None
        if kind == _MEMORY:
            found.append(None)
            changes.append(Change(begin, size, device, within))
            if within is not None:
                within.self_memory_usage += size
                within.allocated_bytes += max(size, 0)
            continue
        event = Event(names[name], _KINDS[kind], thread, device, within, begin, end)
        found.append(event)
        if within is not None:
            within.cpu_children.append(event)
    return [e for e in found if e is not None]


def read(stopped: Stopped) -> Profile:
    began, duration, lost, names, threads = stopped
    changes: list[Change] = []
    events = {thread: _read_thread(thread, entries, names, changes) for thread, entries in threads}
    changes.sort(key=lambda c: c.time)
    return Profile(began, duration, lost, events, changes)
