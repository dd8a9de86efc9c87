"""The class `profile`, which records a profile."""
from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable
from os import PathLike
from types import TracebackType
from typing import Any

from torch_np import _C, cuda
from torch_np.profiler import _trace
from torch_np.profiler._averages import Averages, averages
from torch_np.profiler._events import Event, Profile, Stopped, read
from torch_np.profiler._memory import MemoryTimeline
from torch_np.profiler._record_function import record_function
from torch_np.profiler._schedule import ProfilerAction, ProfilerActivity, record_always
from torch_np.profiler._shapes import Shapes, take


_RECORDED = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def _check_options(activities: Iterable[Any] | None, use_cuda: bool | None, not_recorded: dict[str, bool], refused: dict[str, Any]) -> None:
    kinds = set(activities or (ProfilerActivity.CPU,))
    if ProfilerActivity.CPU not in kinds:
        raise ValueError("profile(): activities must contain ProfilerActivity.CPU, the only kind of events that is recorded")
    for name, value in refused.items():
        if value:
            raise NotImplementedError(f"profile(): {name} is not implemented; leave it out")
    lacking = [name for name, value in not_recorded.items() if value]
    if (len(kinds) > 1 or use_cuda) and cuda.is_available():
        lacking.append("activities of GPUs")
    if lacking:
        warnings.warn(f"profile(): not recorded: {', '.join(lacking)}", stacklevel=3)


class profile:  # noqa: N801  (PyTorch's name)
    """Records the operators of all threads of the process, between `start()` and `stop()` or within
    a `with` statement.

    Only one profile can be recorded at a time. Events that begin before it are not included. Events
    that are unfinished at its end are cut there. If an exception leaves the `with` statement, the
    profile ends and keeps its events. A new `start()` discards them. Times are CPU times: for GPU
    operators, the times of the launch.

    With a `schedule`, the program calls `step()` after each of its steps. Only the steps that the
    schedule names are recorded, and `on_trace_ready` is called after the last one of a cycle.

    Args:
      memory: record the bytes that arrays allocate and free, too
      profile_memory: PyTorch's name of `memory`
      activities: kinds of events, a ProfilerActivity each; they must contain CPU. Others are not
        recorded
      schedule: function of a step's number that returns a ProfilerAction; None records everything
      on_trace_ready: function that is called with the profile when its events are complete
      record_shapes: record the shapes of the arguments of operators (`Event.input_shapes`), of the
        thread that starts the profile, which must stop it, too. It costs some 100 us an operator
      with_stack: not recorded; True warns
      with_flops: not recorded; True warns
      with_modules: not recorded; True warns
      experimental_config: only None
      execution_trace_observer: only None
      acc_events: only False: a new cycle discards the events of the last one
      use_cuda: PyTorch's former way to name CUDA among the activities; not recorded
      custom_trace_id_callback: only None

    Errors: RuntimeError if any thread is already recording a profile; ValueError for activities
    without CPU; NotImplementedError for the options that must be None or False.
    """

    def __init__(self, *, memory: bool = False, profile_memory: bool = False, activities: Iterable[Any] | None = None,
                 schedule: Callable[[int], ProfilerAction] | None = None, on_trace_ready: Callable[..., Any] | None = None,
                 record_shapes: bool = False, with_stack: bool = False, with_flops: bool = False, with_modules: bool = False,
                 experimental_config: Any = None, execution_trace_observer: Any = None, acc_events: bool = False,
                 use_cuda: bool | None = None, custom_trace_id_callback: Any = None) -> None:
        self._has_memory = bool(memory or profile_memory)
        self._shapes = Shapes() if record_shapes else None
        _check_options(activities, use_cuda, {"with_stack": with_stack, "with_flops": with_flops, "with_modules": with_modules},
                       {"experimental_config": experimental_config, "execution_trace_observer": execution_trace_observer,
                        "acc_events": acc_events, "custom_trace_id_callback": custom_trace_id_callback})
        self._schedule = record_always if schedule is None else schedule
        self._scheduled = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self._schedule(0)
        self._step: record_function | None = None
        self._is_running = False
        self._stopped: Stopped | None = None
        self._read: Profile | None = None  # decoded from `_stopped` on first use
        self._thread_names: dict[int, str] = {}

    def start(self) -> None:
        """Starts recording, if the schedule records the first step.

        Errors: RuntimeError if a profile is already being recorded.
        """
        self.step_num = 0
        self.current_action = self._schedule(0)
        self._stopped = self._read = None
        if self.current_action in _RECORDED:
            self._record()

    def _record(self) -> None:
        _C._profiler_start(self._has_memory)
        self._is_running = True
        self._stopped = self._read = None
        if self._shapes is not None:
            self._shapes = Shapes()
            self._shapes.start()
        if self._scheduled:
            self._label()

    def _label(self) -> None:
        self._step = record_function(f"ProfilerStep#{self.step_num}")
        self._step.__enter__()

    def _end_label(self) -> None:
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def step(self) -> None:
        """Says that a step of the program has ended, and begins the next one of the schedule."""
        before = self.current_action
        self._end_label()
        self.step_num += 1
        self.current_action = self._schedule(self.step_num)
        ends = before is ProfilerAction.RECORD_AND_SAVE or self.current_action not in _RECORDED
        if self._is_running and ends:
            self._finish(before is ProfilerAction.RECORD_AND_SAVE)
        if not self._is_running and self.current_action in _RECORDED:
            self._record()
        elif self._is_running:
            self._label()

    def stop(self) -> None:
        """Stops recording.

        Errors: RuntimeError if this profile is not being recorded.
        """
        if not self._is_running and not self._scheduled:
            raise RuntimeError("profile.stop(): this profile is not being recorded")
        self._end_label()
        if self._is_running:
            self._finish(True)

    def _finish(self, ready: bool) -> None:
        if self._shapes is not None:
            self._shapes.stop()
        self._is_running = False
        self._stopped = _C._profiler_stop()
        self._thread_names = {t.native_id: t.name for t in threading.enumerate() if t.native_id is not None}
        if ready and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._is_running or self._scheduled:
            self.stop()

    def _finished(self, caller: str) -> Profile:
        if self._stopped is None:
            raise RuntimeError(f"profile.{caller}(): the profile {'is still being recorded' if self._is_running else 'has not been recorded yet'}")
        if self._read is None:
            self._read = read(self._stopped)
            if self._shapes is not None:
                for thread, events in self._read.threads.items():
                    self._read.threads[thread] = take(events, self._shapes.calls)
        return self._read

    def _memory(self, caller: str) -> Profile:
        data = self._finished(caller)
        if not self._has_memory:
            raise RuntimeError(f"profile.{caller}(): the profile has no memory: it is one with profile(memory=True)")
        return data

    def events(self) -> list[Event]:
        """All events, thread by thread, ordered by their start.

        Errors: RuntimeError before the profile has ended.
        """
        return [event for events in self._finished("events").threads.values() for event in events]

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> Averages:
        """Events grouped by name and device, as Averages; its `table()` formats them.

        Args:
          group_by_input_shape: whether to group by the shapes of the arguments, too, in a profile
            with record_shapes
          group_by_stack_n: only 0: stacks are not recorded

        Errors: RuntimeError before the profile has ended, and for shapes that were not recorded;
        NotImplementedError for groups by stack.
        """
        if group_by_stack_n:
            raise NotImplementedError("profile.key_averages(): stacks are not recorded; group_by_stack_n must be 0")
        if group_by_input_shape and self._shapes is None:
            raise RuntimeError("profile.key_averages(): the profile has no shapes: it is one with profile(record_shapes=True)")
        return averages(self._finished("key_averages").threads.values(), self._has_memory, group_by_input_shape)

    def export_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Writes a trace file for ui.perfetto.dev and chrome://tracing, with events nested by
        thread and a memory curve for each device.

        Args:
          path: path of the file; the file is compressed by gzip if it ends in '.gz'

        Errors: RuntimeError before the profile has ended; OSError if the file cannot be written.
        """
        _trace.write(path, self._finished("export_chrome_trace"), os.getpid(), self._thread_names)

    def memory_timeline(self) -> MemoryTimeline:
        """The memory of arrays over the time of the profile, which notebooks show as a picture.

        Errors: RuntimeError before the profile has ended, and for a profile without memory.
        """
        data = self._memory("memory_timeline")
        return MemoryTimeline(data.changes, data.duration)

    def __str__(self) -> str:
        if self._stopped is None:
            return repr(self)
        lost = self._finished("__str__").lost
        text = self.key_averages().table(sort_by="self_cpu_time_total")
        return text + (f"{lost} events are missing: there was no memory for them\n" if lost else "")

    def __repr__(self) -> str:
        if self._stopped is None:
            return f"<profile: {'being recorded' if self._is_running else 'not recorded yet'}>"
        data = self._finished("__repr__")
        count = sum(map(len, data.threads.values()))
        return f"<profile: {count} events of {len(data.threads)} threads in {data.duration / 1e6:.3f} ms>"
