"""PyTorch's older names of the profiler. `torch_np.profiler` is the profiler itself."""
from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from torch_np._absent import absent_class, absent_function

from torch_np.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg as FunctionEventAvg, MemRecordsAcc as MemRecordsAcc

if TYPE_CHECKING:
    from torch_np.profiler import Event, profile as _Recorder, record_function as record_function

__all__ = ["EnforceUnique", "EventList", "FunctionEvent", "KinetoStepTracker", "MemRecordsAcc", "emit_itt", "emit_nvtx", "load_nvprof",
           "parse_nvprof_trace", "profile", "record_function"]


def __getattr__(name: str) -> Any:
    if name != "record_function":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from torch_np.profiler import record_function
    globals()[name] = record_function
    return record_function


# Names of operators of the engine that are none of PyTorch's.
_OWN_NAMES = frozenset(("getitem", "setitem", "join"))
_REFUSED = ("use_cuda", "with_stack", "with_flops", "with_modules")


class profile:  # noqa: N801  (PyTorch's name)
    """Records the operators of all threads within a `with` statement, with PyTorch's older names.
    `torch_np.profiler.profile` records the same.

    An operator is an event `aten::mul`, a node of a backward pass `MulBackward0`. Events have no
    sequence numbers.

    Args:
      enabled: Whether to record.
      use_cuda: Must be False: times of GPU kernels are not recorded.
      use_device: Must be None.
      record_shapes: Whether to record the shapes of the arguments of operators, of this thread.
      profile_memory: Whether to record the bytes that arrays allocate and free.
      options: with_flops, with_stack and with_modules must be False; use_kineto, use_cpu and others
        choose among PyTorch's ways of recording and have no effect.

    Errors: NotImplementedError for what is not recorded; RuntimeError if a profile is being recorded
    already.
    """

    def __init__(self, enabled: bool = True, *, use_cuda: bool = False, use_device: str | None = None, record_shapes: bool = False,
                 profile_memory: bool = False, **options: Any) -> None:
        asked = [name for name in _REFUSED if {**options, "use_cuda": use_cuda or use_device}.get(name)]
        if asked:
            raise NotImplementedError(f"profile(): {', '.join(asked)}: only the names, times, shapes and memory of operators are recorded")
        self.enabled, self.record_shapes, self.profile_memory = enabled, record_shapes, profile_memory
        self.entered = False
        self.function_events: EventList | None = None
        self._recorder: _Recorder | None = None

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        from torch_np.profiler import profile as recorder

        self.entered = True
        self._recorder = recorder(profile_memory=self.profile_memory, record_shapes=self.record_shapes)
        self._recorder.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._recorder is not None:
            self._recorder.stop()
            self.function_events = EventList(_function_events(self._recorder.events()), profile_memory=self.profile_memory)

    def _finished(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else repr(self.function_events)

    def table(self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75, max_name_column_width: int = 55,
              max_shapes_column_width: int = 80, header: str | None = None, top_level_events_only: bool = False, time_unit: str | None = None) -> str:
        """The events as a text table: EventList.table.

        Args:
          sort_by: As there, like the other arguments.

        Errors: RuntimeError before the profile has ended.
        """
        return self._finished().table(sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header, top_level_events_only,
                                      time_unit)

    def export_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Writes a trace for ui.perfetto.dev and chrome://tracing.

        Args:
          path: Path of the file.

        Errors: RuntimeError before the profile has ended.
        """
        self._finished()
        assert self._recorder is not None
        self._recorder.export_chrome_trace(path)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList:
        """The sums of the events of each name: EventList.key_averages.

        Args:
          group_by_input_shape: Whether to group by the shapes of the arguments, too.
          group_by_stack_n: Only 0.
          group_by_overload_name: Only False.

        Errors: RuntimeError before the profile has ended; NotImplementedError for other groups.
        """
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """The sums of all events. Errors: RuntimeError before the profile has ended."""
        return self._finished().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events in microseconds. Errors: RuntimeError before the profile has ended."""
        return self._finished().self_cpu_time_total


def _function_events(events: list[Event]) -> list[FunctionEvent]:
    """The events of a profile as PyTorch's."""
    made: dict[int, FunctionEvent] = {}
    for number, event in enumerate(events):
        name = f"aten::{event.name}" if event.kind == "operator" and event.name not in _OWN_NAMES else event.name
        memory = "cpu_memory_usage" if event.device == "cpu" else "device_memory_usage"
        found = FunctionEvent(number, name, event.thread, event.time_range.start, event.time_range.end, input_shapes=event.input_shapes,
                              scope=int(event.kind == "backward"), is_user_annotation=event.kind == "label", **{memory: event.memory_usage})
        made[id(event)] = found
        if event.cpu_parent is not None:
            found.set_cpu_parent(made[id(event.cpu_parent)])
            made[id(event.cpu_parent)].append_cpu_child(found)
    return list(made.values())


class EnforceUnique:
    """Raises RuntimeError if a key is seen twice."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Notes a key.

        Args:
          key: The parts of the key.

        Errors: RuntimeError if it was noted before.
        """
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """Counts the steps of several programs; the current step is the largest count."""

    _current_step = 0
    _steps: dict[str, int] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Starts a count at the current step.

        Args:
          requester: Name of the count.
        """
        cls._steps[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Removes a count, and returns whether there was one.

        Args:
          requester: Name of the count.
        """
        return cls._steps.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Adds one to a count, and returns the current step.

        Args:
          requester: Name of the count.
        """
        if requester not in cls._steps:
            cls.init_step_count(requester)
        cls._steps[requester] += 1
        cls._current_step = max(cls._current_step, *cls._steps.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """The current step."""
        return cls._current_step


_NO_TRACES = "traces of other profilers are not written or read; use torch_np.profiler.profile and export_chrome_trace"
emit_itt = absent_class("emit_itt", _NO_TRACES, __name__)
emit_nvtx = absent_class("emit_nvtx", _NO_TRACES, __name__)
load_nvprof = absent_function("load_nvprof", _NO_TRACES, __name__)
parse_nvprof_trace = absent_function("parse_nvprof_trace", _NO_TRACES, __name__)
