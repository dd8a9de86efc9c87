"""Schedules of profiles: which steps of a program are recorded; kinds of activities; trace
handlers.
"""
from __future__ import annotations

import enum
import os
import socket
import time
from collections.abc import Callable
from typing import Any

from torch_np._absent import absent_class


class ProfilerAction(enum.Enum):
    """What a profile does in a step of the program."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


class ProfilerActivity(enum.Enum):
    """Kinds of recorded events. Only those of the CPU are recorded: for a GPU, the launches."""

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5


def supported_activities() -> set[ProfilerActivity]:
    """Returns the kinds of events that can be recorded: only those of the CPU."""
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """False: profiles are recorded by the engine, not by the library Kineto."""
    return False


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0) -> Callable[[int], ProfilerAction]:
    """Returns a function of a step's number that says what a profile does in it. A cycle waits,
    warms up, and records; the last recorded step of each cycle calls `on_trace_ready`.

    Args:
      wait: Steps of a cycle that are not recorded.
      warmup: Steps before the recorded ones, which are not recorded either.
      active: Recorded steps.
      repeat: Number of cycles; 0 goes on to the end of the profile.
      skip_first: Steps before the first cycle.
      skip_first_wait: Whether the first cycle does not wait, 0 or 1.

    Errors: AssertionError for negative numbers, and without recorded steps.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), active={active} "
                             f"(need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0).")
    cycle = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        if repeat and step >= repeat * cycle:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE
    return action


def record_always(step: int) -> ProfilerAction:
    """The schedule of a profile without one."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False) -> Callable[[Any], None]:
    """Returns a function for `on_trace_ready` that writes trace files into a folder.

    Args:
      dir_name: The folder, which is created.
      worker_name: Beginning of the files' names; None is the machine's name and the process number.
      use_gzip: Whether the files are compressed.
      use_python_export: Has no effect.

    Errors: RuntimeError if the folder cannot be created.
    """
    def write(profile: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(f"Can't create directory: {dir_name}") from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        profile.export_chrome_trace(os.path.join(dir_name, name))
    return write


_REASON = "settings of PyTorch's profiling libraries are not used; profile() records the engine's events"
_MODULE = "torch_np.profiler"
CuspyConfig: Any = absent_class("CuspyConfig", _REASON, _MODULE)
PerformanceMetricsConfig: Any = absent_class("PerformanceMetricsConfig", _REASON, _MODULE)
ProfilerActivityConfig: Any = absent_class("ProfilerActivityConfig", _REASON, _MODULE)
ExecutionTraceObserver: Any = absent_class(
    "ExecutionTraceObserver", "traces of executions are not written; use profile() and export_chrome_trace()", _MODULE)
