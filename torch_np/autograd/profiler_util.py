"""Events of `torch_np.autograd.profiler.profile`, their averages and tables, with PyTorch's names."""
from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable
from os import PathLike
from typing import Any, NamedTuple

from torch_np._absent import absent_class
from torch_np.autograd._device_type import DeviceType
from torch_np.autograd._profiler_table import build_table, format_time as _format_time

__all__ = ["EventList", "FormattedTimesMixin", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel", "MemRecordsAcc", "StringTable"]


class Interval:
    """A time interval in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """The length of the interval in microseconds."""
        return self.end - self.start


class Kernel(NamedTuple):
    """A kernel of a GPU. Profiles record none."""

    name: str
    device: int
    duration: float


def _formatted(name: str) -> Any:
    def formatted(self: Any) -> str:
        return _format_time(getattr(self, name))

    return property(formatted)


class FormattedTimesMixin:
    """Mean times and times as text, of a class with `*_time_total` and `count`."""

    count: int
    cpu_time_total: float
    device_time_total: float
    cpu_time_str = _formatted("cpu_time")
    device_time_str = _formatted("device_time")
    cpu_time_total_str = _formatted("cpu_time_total")
    device_time_total_str = _formatted("device_time_total")
    self_cpu_time_total_str = _formatted("self_cpu_time_total")
    self_device_time_total_str = _formatted("self_device_time_total")

    @property
    def cpu_time(self) -> float:
        """Mean time of a call in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """Mean time of the kernels of a call in microseconds; they are not recorded."""
        return self.device_time_total / self.count if self.count else 0.0

    cuda_time = device_time


class FunctionEvent(FormattedTimesMixin):
    """One call of an operator, a node of a backward pass, or a label.

    Args:
      id: A number.
      name: The name: `aten::mul` of an operator, `MulBackward0` of a node.
      thread: The thread.
      start_us: Begin in microseconds.
      end_us: End in microseconds.
      options: Other attributes of PyTorch's events by their names: node_id, scope (1 of a backward
        pass), input_shapes, cpu_memory_usage, device_memory_usage, is_async, is_remote, ...
    """

    count = 1

    def __init__(self, id: int, name: str, thread: int, start_us: float, end_us: float, **options: Any) -> None:  # noqa: A002  (PyTorch's name)
        self.id, self.name, self.thread = id, name, thread
        self.time_range = Interval(start_us, end_us)
        self.kernels: list[Kernel] = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.overload_name: str | None = None
        self.trace_name = name
        self.fwd_thread: int | None = None
        self.input_shapes: Any = None
        self.concrete_inputs: Any = None
        self.stack: list[str] | None = None
        self.scope = 0
        self.use_device: str | None = None
        self.cpu_memory_usage = self.device_memory_usage = 0
        self.is_async = self.is_remote = self.is_legacy = self.is_user_annotation = False
        self.sequence_nr = self.node_id = -1
        self.device_type, self.device_index = DeviceType.CPU, 0
        self.flops: int | None = None
        unknown = sorted(set(options) - set(vars(self)))
        if unknown:
            raise TypeError(f"FunctionEvent() got an unexpected keyword argument {unknown[0]!r}")
        vars(self).update(options)

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Adds a kernel.

        Args:
          name: Its name.
          device: Index of the GPU.
          duration: Its time in microseconds.
        """
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Adds an event that is directly within this one.

        Args:
          child: The event.
        """
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Sets the event that is directly around this one.

        Args:
          parent: The event.
        """
        self.cpu_parent = parent

    @property
    def key(self) -> str:
        """The name."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Time in microseconds, with the events within."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:
        """Time in microseconds, without the events within."""
        return 0.0 if self.is_async else self.cpu_time_total - sum(c.cpu_time_total for c in self.cpu_children)

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        """Time of the kernels in microseconds, with the events within."""
        if self.is_async or not self.use_device:
            return 0.0
        return sum(k.duration for k in self.kernels) + sum(c.device_time_total for c in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:
        """Time of the kernels in microseconds, without the events within."""
        return self.device_time_total - sum(c.device_time_total for c in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes allocated minus bytes freed on the CPU, without the events within."""
        return self.cpu_memory_usage - sum(c.cpu_memory_usage for c in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        """Bytes allocated minus bytes freed on GPUs, without the events within."""
        return self.device_memory_usage - sum(c.device_memory_usage for c in self.cpu_children)

    def __repr__(self) -> str:
        return (f"<FunctionEvent id={self.id} name={self.name} node_id={self.node_id} cpu_time={self.cpu_time_str} start_us={self.time_range.start} "
                f"end_us={self.time_range.end} cpu_children={[c.id for c in self.cpu_children]} thread={self.thread} input_shapes={self.input_shapes} "
                f"cpu_memory_usage={self.cpu_memory_usage} is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr}>")


_SUMS = ("cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage", "device_memory_usage",
         "self_cpu_memory_usage", "self_device_memory_usage", "count")
_OF_THE_FIRST = ("key", "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes", "stack", "scope", "device_type",
                 "is_legacy", "use_device", "is_user_annotation")


class FunctionEventAvg(FormattedTimesMixin):
    """The sums of events of one name: `count`, `cpu_time_total`, `self_cpu_time_total` and so on."""

    def __init__(self) -> None:
        self.key: str | None = None
        for name in _OF_THE_FIRST[1:]:
            setattr(self, name, None)
        for name in _SUMS:
            setattr(self, name, 0)
        self.flops = 0

    def add(self, other: Any) -> FunctionEventAvg:
        """Adds an event, or the sums of several, and returns the sums.

        Args:
          other: FunctionEvent or FunctionEventAvg.

        Errors: AssertionError for another object, and for events of another name.
        """
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if self.key is None:
            for name in _OF_THE_FIRST:
                setattr(self, name, getattr(other, name))
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops += other.flops or 0
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} count={self.count} "
                f"input_shapes={getattr(self, 'input_shapes')}>")


class EventList(list[Any]):
    """A list of FunctionEvent or FunctionEventAvg.

    Args:
      events: The events.
      use_device: PyTorch's name of the GPUs of the profile.
      profile_memory: Whether tables have columns of memory.
      with_flops: Ignored: operations are not counted.
    """

    def __init__(self, events: Iterable[Any] = (), *, use_device: str | None = None, profile_memory: bool = False, with_flops: bool = False) -> None:
        super().__init__(events)
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops

    def _populate_cpu_children(self) -> None:
        """Makes each event a child of the shortest one of its thread that contains it."""
        def of_thread(e: FunctionEvent) -> tuple[int, int]:
            return e.thread, e.node_id

        events = sorted((e for e in self if not e.is_async), key=lambda e: e.thread)
        for _, group in itertools.groupby(events, key=of_thread):
            around: list[FunctionEvent] = []
            for event in sorted(group, key=lambda e: (e.time_range.start, -e.time_range.end)):
                while around and (event.time_range.start >= around[-1].time_range.end or event.time_range.end > around[-1].time_range.end):
                    around.pop()
                if around:
                    around[-1].append_cpu_child(event)
                    event.set_cpu_parent(around[-1])
                around.append(event)

    @property
    def self_cpu_time_total(self) -> float:
        """Time of all events in microseconds, without the events within each."""
        return sum(e.self_cpu_time_total for e in self)

    def table(self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75, max_name_column_width: int = 55,
              max_shapes_column_width: int = 80, header: str | None = None, top_level_events_only: bool = False, time_unit: str | None = None) -> str:
        """The events as a text table.

        Args:
          sort_by: An attribute by which to sort, largest first; None keeps the order.
          row_limit: Largest number of rows; -1 is all.
          max_src_column_width: Ignored: there is no column of source lines.
          max_name_column_width: Width to which names are truncated.
          max_shapes_column_width: Width to which shapes are truncated.
          header: A title.
          top_level_events_only: Whether to leave out events within others.
          time_unit: 's', 'ms' or 'us' for all times; None chooses for each.

        Errors: AttributeError for a `sort_by` that events do not have.
        """
        return build_table(self, sort_by=sort_by, row_limit=row_limit, name_width=max_name_column_width, shapes_width=max_shapes_column_width, header=header,
                           has_memory=self._profile_memory, top_level_only=top_level_events_only, time_unit=time_unit)

    def __str__(self) -> str:
        return self.table()

    def export_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Writes the events as a trace for ui.perfetto.dev and chrome://tracing.

        Args:
          path: Path of the file.
        """
        events = [{"name": e.trace_name, "ph": "X", "ts": e.time_range.start, "dur": e.time_range.elapsed_us(), "tid": e.thread, "pid": "CPU functions",
                   "args": {}} for e in self if e.trace_name is not None]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(events, file)

    def supported_export_stacks_metrics(self) -> list[str]:
        """PyTorch's names of the times that `export_stacks` may write."""
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def export_stacks(self, path: str, metric: str) -> None:
        """Raises NotImplementedError: stacks are not recorded."""
        raise NotImplementedError("export_stacks(): stacks are not recorded; use export_chrome_trace")

    def key_averages(self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList:
        """The sums of the events of each name, as an EventList of FunctionEventAvg.

        Args:
          group_by_input_shapes: Whether to group by the shapes of the arguments, too.
          group_by_stack_n: Only 0: stacks are not recorded.
          group_by_overload_name: Only False: names of overloads are not recorded.

        Errors: NotImplementedError for other groups.
        """
        if group_by_stack_n or group_by_overload_name:
            raise NotImplementedError("key_averages(): stacks and overloads are not recorded; events are grouped by name and shapes")
        found: dict[tuple[str, ...], FunctionEventAvg] = defaultdict(FunctionEventAvg)
        for e in self:
            found[(e.key, str(e.input_shapes)) if group_by_input_shapes else (e.key,)].add(e)
        averages = EventList(found.values(), use_device=self._use_device, profile_memory=self._profile_memory)
        for average in averages:
            average.stack = []
            average.input_shapes = average.input_shapes if group_by_input_shapes else ""
        return averages

    def total_average(self) -> FunctionEventAvg:
        """The sums of all events, with the key 'Total'."""
        total = FunctionEventAvg()
        for e in self:
            total.key = e.key
            total.add(e)
        total.key = "Total"
        return total


class StringTable(dict[str, str]):
    """Names of events: each name for itself. Names of the engine are not mangled."""

    def __missing__(self, key: str) -> str:
        self[key] = key
        return key


MemRecordsAcc = absent_class("MemRecordsAcc", "records of Kineto are not read; use torch_np.profiler.profile(profile_memory=True)", __name__)
