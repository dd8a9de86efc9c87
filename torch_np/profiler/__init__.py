"""torch_np.profiler: where a program spends its time and its memory, operator by operator.

    with torch_np.profiler.profile(memory=True) as p:
        model(x).sum().backward()
    print(p)                                                    # a table by operator
    print(p.key_averages().table(sort_by="count", row_limit=10))
    p.export_chrome_trace("trace.json")                         # for ui.perfetto.dev or chrome://tracing
    p.memory_timeline()                                         # a picture in notebooks; .svg() is its text

A profile has the calls of operators of both faces, those that they are made of within them; functions of NumPy's face that are written in Python; nodes of
the tape in backward passes; computations of pending results (`fused(3)` of three operators); replays of compiled functions and their steps; and labels of
`record_function`. It is one of all threads of the process. Times are the CPU's: for what runs on a GPU that of the launch, after which the GPU goes on by itself.

While no profile is recorded, an operator asks one flag. While one is, each event costs some 50 ns, and nothing else changes: not the results, not their order.
"""
from torch_np.profiler._averages import Average, Averages
from torch_np.profiler._events import Event, TimeRange
from torch_np.profiler._memory import MemoryTimeline
from torch_np.profiler._profile import profile
from torch_np.profiler._record_function import record_function

__all__ = ["Average", "Averages", "Event", "MemoryTimeline", "TimeRange", "profile", "record_function"]
