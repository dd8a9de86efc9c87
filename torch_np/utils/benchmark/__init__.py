"""torch_np.utils.benchmark: times of statements (`Timer`), and tables of them (`Compare`), with
PyTorch's names.

    t = torch_np.utils.benchmark.Timer("x + x", globals={"x": torch_np.ones(1000)})
    print(t.blocked_autorange())
"""
from torch_np.utils.benchmark._compare import Colorize, Compare
from torch_np.utils.benchmark._fuzzer import FuzzedParameter, FuzzedSparseTensor, FuzzedTensor, Fuzzer, ParameterAlias
from torch_np.utils.benchmark._measurement import (
    Measurement, TaskSpec, ordered_unique, select_unit, set_torch_threads, trim_sigfig, unit_to_english,
)
from torch_np.utils.benchmark._timer import (
    CallgrindStats, CopyIfCallgrind, FunctionCount, FunctionCounts, Language, Timer, timer,
)

__all__ = [
    "CallgrindStats", "Colorize", "Compare", "CopyIfCallgrind", "FunctionCount", "FunctionCounts", "FuzzedParameter", "FuzzedSparseTensor",
    "FuzzedTensor", "Fuzzer", "Language", "Measurement", "ParameterAlias", "TaskSpec", "Timer", "ordered_unique", "select_unit",
    "set_torch_threads", "timer", "trim_sigfig", "unit_to_english",
]
