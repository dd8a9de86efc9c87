"""`Timer`: measures a statement, and the names of PyTorch's counts of instructions."""
from __future__ import annotations

import enum
import textwrap
import timeit
from collections.abc import Callable
from typing import Any, NamedTuple

from torch_np._absent import absent_class
from torch_np.utils.benchmark._measurement import Measurement, TaskSpec, set_torch_threads

_MODULE = "torch_np.utils.benchmark"
_COUNTS = "instructions are not counted; use blocked_autorange(), or valgrind outside of Python"
CallgrindStats: Any = absent_class("CallgrindStats", _COUNTS, _MODULE)
FunctionCounts: Any = absent_class("FunctionCounts", _COUNTS, _MODULE)
CopyIfCallgrind: Any = absent_class("CopyIfCallgrind", _COUNTS, _MODULE)


class FunctionCount(NamedTuple):
    """Number of instructions of a function."""

    count: int  # type: ignore[assignment]  # hides tuple.count, as PyTorch's does
    function: str


class Language(enum.Enum):
    """Languages of statements. Only Python is measured."""

    PYTHON = 0
    CPP = 1


def timer() -> float:
    """Returns the time in seconds, after all queued work of the GPU is done."""
    from torch_np import cuda

    if cuda.is_available():
        cuda.synchronize()
    return timeit.default_timer()


class Timer:
    """Measures the time of a statement.

    Args:
      stmt: The statement.
      setup: Statement that runs once before.
      global_setup: Only empty: it is for C++.
      timer: Function that returns the time in seconds.
      globals: Variables of the statements.
      label: Label of the measurements: for `Compare`, of a table.
      sub_label: Label of the row.
      description: Label of the column.
      env: Label of the environment.
      num_threads: Number of threads.
      language: Language.PYTHON or 'python'.

    Errors: NotImplementedError for another language, and for `global_setup`.
    """

    _timer_cls: Any = timeit.Timer

    def __init__(self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer,
                 globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,  # noqa: A002
                 description: str | None = None, env: str | None = None, num_threads: int = 1, language: Any = Language.PYTHON) -> None:
        if language not in (Language.PYTHON, "py", "python") or global_setup:
            raise NotImplementedError("Timer(): statements in C++ are not measured; the language must be Python, without global_setup")
        stmt, setup = textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip() or "pass"
        names = dict(globals or {})
        if "torch" not in names:
            import torch_np

            names["torch"] = torch_np
        self._timer, self._language = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=names), Language.PYTHON
        self._globals = names
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """Returns the time of some executions, as one run.

        Args:
          number: Number of executions.
        """
        with set_torch_threads(self._task_spec.num_threads):
            self._timer.timeit(number=max(number // 100, 2))  # warms up
            return Measurement(number, [self._timer.timeit(number=number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Raises NotImplementedError, as PyTorch's does. Errors: NotImplementedError."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> None:
        """Raises NotImplementedError, as PyTorch's does. Errors: NotImplementedError."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _estimate_block_size(self, min_run_time: float) -> int:
        overhead = sorted(self._timer.timeit(0) for _ in range(5))[2]
        number = 1
        while True:
            taken = self._timer.timeit(number)
            relative = overhead / taken if taken > 0 else 1.0
            if relative <= 1e-4 and taken >= min_run_time / 1000 or taken > min_run_time:
                return number
            number *= 10

    def blocked_autorange(self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2) -> Measurement:
        """Returns the times of runs of as many executions as make the timer's own time negligible.

        Args:
          callback: Function that is called with the number and the time of each run.
          min_run_time: Seconds that all runs take at least.
        """
        with set_torch_threads(self._task_spec.num_threads):
            number = self._estimate_block_size(min_run_time)
            times: list[float] = []
            total = 0.0
            while total < min_run_time:
                taken = self._timer.timeit(number)
                times.append(taken)
                total += taken
                if callback is not None:
                    callback(number, taken)
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
                           callback: Callable[[int, float], Any] | None = None) -> Measurement:
        """As `blocked_autorange`, until the quartiles of the times are near each other.

        Args:
          threshold: Their greatest distance, relative to the median.
          min_run_time: Seconds that all runs take at least.
          max_run_time: Seconds after which it ends in any case.
          callback: Function that is called with the number and the time of each run.
        """
        with set_torch_threads(self._task_spec.num_threads):
            number = self._estimate_block_size(0.05)
            times: list[float] = []
            total = 0.0
            while total < max_run_time:
                taken = self._timer.timeit(number)
                times.append(taken)
                total += taken
                if callback is not None:
                    callback(number, taken)
                if total >= min_run_time and len(times) > 3 and Measurement(number, times, self._task_spec).meets_confidence(threshold):
                    break
        return Measurement(number, times, self._task_spec)

    def collect_callgrind(self, number: int = 100, *, repeats: int | None = None, collect_baseline: bool = True, retain_out_file: bool = False) -> Any:
        """Raises NotImplementedError: instructions are not counted. Errors: NotImplementedError."""
        raise NotImplementedError(f"Timer.collect_callgrind(): {_COUNTS}")
