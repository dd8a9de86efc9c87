"""The class `profile`, which records a profile."""
from __future__ import annotations

import os
import threading
from os import PathLike
from types import TracebackType

from torch_np import _C
from torch_np.profiler import _trace
from torch_np.profiler._averages import Averages, averages
from torch_np.profiler._events import Event, Profile, Stopped, read
from torch_np.profiler._memory import MemoryTimeline


class profile:  # noqa: N801  (PyTorch's name)
    """Records the operators of all threads of the process, between `start()` and `stop()` or within
    a `with` statement.

    Only one profile can be recorded at a time. Events that begin before it are not included. Events
    that are unfinished at its end are cut there. If an exception leaves the `with` statement, the
    profile ends and keeps its events. A new `start()` discards them. Times are CPU times: for GPU
    operators, the times of the launch.

    Args:
      memory: record the bytes that arrays allocate and free, too
      profile_memory: PyTorch's name of `memory`

    Errors: RuntimeError if any thread is already recording a profile.
    """

    def __init__(self, *, memory: bool = False, profile_memory: bool = False) -> None:
        self._has_memory = bool(memory or profile_memory)
        self._is_running = False
        self._stopped: Stopped | None = None
        self._read: Profile | None = None  # decoded from `_stopped` on first use
        self._thread_names: dict[int, str] = {}

    def start(self) -> None:
        """Starts recording.

        Errors: RuntimeError if a profile is already being recorded.
        """
        _C._profiler_start(self._has_memory)
        self._is_running = True
        self._stopped = self._read = None

    def stop(self) -> None:
        """Stops recording.

        Errors: RuntimeError if this profile is not being recorded.
        """
        if not self._is_running:
            raise RuntimeError("profile.stop(): this profile is not being recorded")
        self._is_running = False
        self._stopped = _C._profiler_stop()
        self._thread_names = {t.native_id: t.name for t in threading.enumerate() if t.native_id is not None}

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._is_running:
            self.stop()

    def _finished(self, caller: str) -> Profile:
        if self._stopped is None:
            raise RuntimeError(f"profile.{caller}(): the profile {'is still being recorded' if self._is_running else 'has not been recorded yet'}")
        if self._read is None:
            self._read = read(self._stopped)
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

    def key_averages(self) -> Averages:
        """Events grouped by name and device, as Averages; its `table()` formats them.

        Errors: RuntimeError before the profile has ended.
        """
        return averages(self._finished("key_averages").threads.values(), self._has_memory)

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
