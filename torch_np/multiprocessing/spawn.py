"""Processes that run one function, and end together if one of them fails."""
from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from typing import Any

__all__ = ["ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "spawn", "start_processes"]


class ProcessException(Exception):
    """A process failed. `error_index` is its number, and `pid` its process identifier."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The function raised an exception in a process; the message holds its traceback."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg, error_index, error_pid)


class ProcessExitedException(ProcessException):
    """A process ended by a signal, or with another exit code than 0. `signal_name` is None without a signal."""

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _run(fn: Callable[..., Any], index: int, args: tuple[Any, ...], error_file: str) -> None:
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the parent is interrupted, too
    except Exception:
        with open(error_file, "w", encoding="utf-8") as file:
            file.write(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """Started processes. `processes` is their list."""

    def __init__(self, processes: list[BaseProcess], error_files: list[str]) -> None:
        self.processes, self.error_files = processes, error_files
        self.sentinels: dict[Any, int] = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int | None]:
        """Returns the identifiers of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until a process ends. Returns whether all have ended.

        If a process failed, the others are terminated, and its error is raised.

        Args:
          timeout: Longest time to wait, in seconds; None has no limit.
          grace_period: Time between the signals SIGTERM and SIGKILL for the other processes, in seconds; None is 30.

        Errors: ProcessRaisedException for an exception in a process, ProcessExitedException for another failure.
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in connection.wait(self.sentinels.keys(), timeout):
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self.sentinels
        self._end_all(30 if grace_period is None else grace_period)
        raise self._error(failed)

    def _end_all(self, grace_period: float) -> None:
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        until = time.monotonic() + grace_period
        for process in self.processes:
            process.join(max(0, until - time.monotonic()))
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()

    def _error(self, index: int) -> ProcessException:
        process = self.processes[index]
        code, pid = process.exitcode or 0, process.pid or 0
        if os.path.exists(self.error_files[index]):
            with open(self.error_files[index], encoding="utf-8") as file:
                return ProcessRaisedException(f"\n\n-- Process {index} terminated with the following error:\n{file.read()}", index, pid)
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"<Unknown signal {-code}>"
            return ProcessExitedException(f"process {index} terminated with signal {name}", index, pid, code, name)
        return ProcessExitedException(f"process {index} terminated with exit code {code}", index, pid, code)


class SpawnContext(ProcessContext):
    """Processes of the start method 'spawn'."""


def start_processes(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False,
                    start_method: str = "spawn", numa_options: None = None) -> ProcessContext | None:
    """Runs `fn(i, *args)` in processes i = 0 ... nprocs - 1.

    Args:
      fn: Function at the top of a module, which a new process can import.
      args: Its further arguments.
      nprocs: Number of processes.
      join: Whether to wait until all have ended; False returns a ProcessContext.
      daemon: Whether the processes end with this one.
      start_method: Start method of Python's multiprocessing.
      numa_options: Must be None.

    Errors: with `join`, those of ProcessContext.join; NotImplementedError for `numa_options`.
    """
    if numa_options is not None:
        raise NotImplementedError("start_processes(): numa_options is not implemented; bind processes by numactl")
    context = multiprocessing.get_context(start_method)
    folder = tempfile.TemporaryDirectory(prefix="torch_np_spawn_")
    processes: list[BaseProcess] = []
    files = [os.path.join(folder.name, f"{i}.txt") for i in range(nprocs)]
    for i, file in enumerate(files):
        process = context.Process(target=_run, args=(fn, i, args, file), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
    started = (SpawnContext if start_method == "spawn" else ProcessContext)(processes, files)
    started._folder = folder  # type: ignore[attr-defined]  # removed with the context
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False,
          start_method: str = "spawn") -> ProcessContext | None:
    """Runs `fn(i, *args)` in new processes i = 0 ... nprocs - 1. See `start_processes`.

    Args:
      fn: Function at the top of a module.
      args: Its further arguments.
      nprocs: Number of processes.
      join: Whether to wait until all have ended; False returns a ProcessContext.
      daemon: Whether the processes end with this one.
      start_method: Start method; only 'spawn' should be given here.

    Errors: as those of `start_processes`.
    """
    return start_processes(fn, args, nprocs, join, daemon, start_method)
