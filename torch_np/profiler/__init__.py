"""torch_np.profiler: records the time and memory of a program, operator by operator.

    with torch_np.profiler.profile(memory=True) as p:
        model(x).sum().backward()
    print(p)                             # a table by operator
    print(p.key_averages().table(sort_by="count", row_limit=10))
    p.export_chrome_trace("trace.json")  # for ui.perfetto.dev or chrome://tracing
    p.memory_timeline()                  # a picture in notebooks; .svg() is its text

A profile covers all threads of the process. Its events are operator calls of both faces and the
calls nested in them, functions of the NumPy face written in Python, nodes of the tape in backward
passes, evaluations of pending results (`fused(3)` of three operators), replays of compiled
functions and their steps, and labels of `record_function`. Times are CPU times: for a GPU operator,
the time of the launch only.

Without a profile, an operator tests one flag. With one, each event costs about 50 ns. Results and
their order do not change.
"""
from torch_np.profiler._averages import Average, Averages
from torch_np.profiler._events import Event, TimeRange
from torch_np.profiler._memory import MemoryTimeline
from torch_np.profiler._profile import profile
from torch_np.profiler._record_function import record_function
from torch_np.profiler._schedule import (
    CuspyConfig, ExecutionTraceObserver, PerformanceMetricsConfig, ProfilerAction, ProfilerActivity, ProfilerActivityConfig, kineto_available,
    schedule, supported_activities, tensorboard_trace_handler,
)

__all__ = [
    "Average", "Averages", "CuspyConfig", "Event", "ExecutionTraceObserver", "MemoryTimeline", "PerformanceMetricsConfig", "ProfilerAction",
    "ProfilerActivity", "ProfilerActivityConfig", "TimeRange", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]
