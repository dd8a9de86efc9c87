"""Profiles in Chrome's trace format, which Perfetto and chrome://tracing read."""
from __future__ import annotations

import gzip
import json
from os import PathLike, fspath
from typing import Any

from torch_np.profiler._events import Event, Profile


def _complete(event: Event, pid: int) -> dict[str, Any]:
    made: dict[str, Any] = {"ph": "X", "cat": event.kind, "name": event.name, "pid": pid, "tid": event.thread, "ts": event._begin / 1000,
                            "dur": (event._end - event._begin) / 1000, "args": {"device": event.device}}
    if event.allocated_bytes:
        made["args"]["allocated_bytes"] = event.allocated_bytes
    return made


def trace_events(profile: Profile, pid: int, names: dict[int, str]) -> list[dict[str, Any]]:
    """The events of a profile as dictionaries of the trace format.

    Args:
      names: names of the threads
    """
    made: list[dict[str, Any]] = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": "torch_np"}}]
    for thread, events in profile.threads.items():
        made.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": thread, "args": {"name": names.get(thread, f"thread {thread}")}})
        made += (_complete(event, pid) for event in events)
    held: dict[str, int] = {}
    for change in profile.changes:
        held[change.device] = held.get(change.device, 0) + change.bytes
        made.append({"ph": "C", "name": f"memory {change.device}", "pid": pid, "tid": 0, "ts": change.time / 1000, "args": {"bytes": held[change.device]}})
    return made


def write(path: str | PathLike[str], profile: Profile, pid: int, names: dict[int, str]) -> None:
    """Writes a trace file; its field `baseTimeNanoseconds` is the absolute time of event time 0."""
    trace = {"schemaVersion": 1, "displayTimeUnit": "ns", "baseTimeNanoseconds": profile.began, "traceEvents": trace_events(profile, pid, names)}
    if fspath(path).endswith(".gz"):
        with gzip.open(path, "wt", encoding="utf-8") as packed:
            json.dump(trace, packed)
    else:
        with open(path, "w", encoding="utf-8") as plain:
            json.dump(trace, plain)
