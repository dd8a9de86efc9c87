"""The profile itself."""
from __future__ import annotations

import os
import threading
from os import PathLike
from types import TracebackType

from torch_np import _C
from torch_np.profiler import _trace
from torch_np.profiler._averages import Averages, averages
from torch_np.profiler._events import Event, Recording, Stopped, read
from torch_np.profiler._memory import MemoryTimeline


class profile:  # noqa: N801  (PyTorch's name)
    """Records what all threads of the process do between start() and stop(), or within a `with` statement.

    `memory` (bool; PyTorch's `profile_memory` means the same): the bytes that arrays take and give back, too. Times are the CPU's: for operators on a GPU
    those of their launch.

    There is one profile at a time. What a thread has begun before is not in it; what it has not ended by then ends with the profile. Where a `with` statement
    is left by an exception, the profile ends and keeps what it has. Started again, it forgets what it had.
    Errors: RuntimeError where a profile is being recorded already, also by another thread."""

    def __init__(self, *, memory: bool = False, profile_memory: bool = False) -> None:
        self._has_memory = bool(memory or profile_memory)
        self._is_running = False
        self._stopped: Stopped | None = None
        self._read: Recording | None = None  # the same, once somebody asks
        self._thread_names: dict[int, str] = {}

    def start(self) -> None:
        """Begins to record. Errors: RuntimeError where a profile is being recorded already."""
        _C._profiler_start(self._has_memory)
        self._is_running = True
        self._stopped = self._read = None

    def stop(self) -> None:
        """Ends it. Errors: RuntimeError where this profile is not being recorded."""
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

    def _recorded(self, caller: str) -> Recording:
        if self._stopped is None:
            raise RuntimeError(f"profile.{caller}(): the profile {'is still being recorded' if self._is_running else 'has not been recorded yet'}")
        if self._read is None:
            self._read = read(self._stopped)
        return self._read

    def _memory(self, caller: str) -> Recording:
        recording = self._recorded(caller)
        if not self._has_memory:
            raise RuntimeError(f"profile.{caller}(): the profile has no memory: it is one with profile(memory=True)")
        return recording

    def events(self) -> list[Event]:
        """All events, thread by thread, in the order in which they began. Errors: RuntimeError before the profile has ended."""
        return [event for events in self._recorded("events").threads.values() for event in events]

    def key_averages(self) -> Averages:
        """Events by name and device: Averages, whose table() is the table of them. Errors: RuntimeError before the profile has ended."""
        return averages(self._recorded("key_averages").threads.values(), self._has_memory)

    def export_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Writes a file that ui.perfetto.dev and chrome://tracing show: events nested by thread, and the memory of arrays as a curve for each device. Compressed by
        gzip where its name ends in '.gz'. Errors: RuntimeError before the profile has ended, OSError for a file that cannot be written."""
        _trace.write(path, self._recorded("export_chrome_trace"), os.getpid(), self._thread_names)

    def memory_timeline(self) -> MemoryTimeline:
        """The memory of arrays over the profile's time, which notebooks show as a picture. Errors: RuntimeError before the profile has ended, and for one without
        memory."""
        recording = self._memory("memory_timeline")
        return MemoryTimeline(recording.changes, recording.duration)

    def __str__(self) -> str:
        if self._stopped is None:
            return repr(self)
        lost = self._recorded("__str__").lost
        text = self.key_averages().table(sort_by="self_cpu_time_total")
        return text + (f"{lost} events are missing: there was no memory for them\n" if lost else "")

    def __repr__(self) -> str:
        if self._stopped is None:
            return f"<profile: {'being recorded' if self._is_running else 'not recorded yet'}>"
        recording = self._recorded("__repr__")
        count = sum(map(len, recording.threads.values()))
        return f"<profile: {count} events of {len(recording.threads)} threads in {recording.duration / 1e6:.3f} ms>"
