"""Measurements: the times of a statement, and their statistics."""
from __future__ import annotations

import collections
import dataclasses
import math
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

_UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def select_unit(t: float) -> tuple[str, float]:
    """Returns the largest unit in which a time is at least 1, and its length in seconds. For times
    below a nanosecond it is the second, as in PyTorch.

    Args:
      t: The time in seconds.
    """
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(math.floor(math.log10(t)) // 3 if t > 0 else 0, "s")
    return unit, _UNITS[unit]


def unit_to_english(u: str) -> str:
    """Returns the name of a unit, such as 'microsecond'.

    Args:
      u: 's', 'ms', 'us' or 'ns'.
    """
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


def trim_sigfig(x: float, n: int) -> float:
    """Returns a number rounded to some significant digits.

    Args:
      x: The number.
      n: Number of digits.
    """
    if x == 0:
        return x
    return float(f"{x:.{n - 1}e}")


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Returns the different elements, in the order of their first places."""
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A context with another number of threads.

    Args:
      n: The number.
    """
    import torch_np

    before = torch_np.get_num_threads()
    try:
        torch_np.set_num_threads(n)
        yield
    finally:
        torch_np.set_num_threads(before)


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """The statement of a measurement, and its labels."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The labels as text."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt + (f": {self.sub_label}" if self.sub_label else "")
        return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self) -> str:
        """Returns the setup as text."""
        if self.setup == "pass" or not self.setup:
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Returns labels, setup and number of threads as text."""
        parts = [self.title, self.description or "", self.setup_str()]
        return "\n".join([f"{i}\n" if "\n" in i else i for i in parts if i])


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """The times of several runs of a statement, each of `number_per_run` executions."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:  # stmt, label, num_threads, ... of the task
        if name.startswith("__") or name == "task_spec":
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @property
    def times(self) -> list[float]:
        """Seconds of one execution, for each run."""
        return [t / self.number_per_run for t in self.raw_times]

    def _sorted(self) -> Any:
        if not self.raw_times:
            raise ValueError("Measurement: there are no times")
        return numpy.sort(numpy.array(self.times, dtype=numpy.float64))

    @property
    def median(self) -> float:
        """The median of the times."""
        return float(numpy.median(self._sorted()))

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return float(numpy.mean(self._sorted()))

    @property
    def iqr(self) -> float:
        """The distance between the quartiles of the times."""
        low, high = numpy.quantile(self._sorted(), [0.25, 0.75])
        return float(high - low)

    @property
    def significant_figures(self) -> int:
        """Number of digits of the median that the spread of the times leaves."""
        times, n = self._sorted(), len(self.raw_times)
        middle = times[n // 4:math.ceil(3 * n / 4) + 1]  # the spread of the slowest runs says little
        interval = max(1.645 * float(numpy.std(middle)) / math.sqrt(len(middle)), 25e-9)
        return min(max(math.floor(math.log10(max(self.median, interval) / interval)), 1), 4)

    @property
    def has_warnings(self) -> bool:
        """Whether the quartiles are more than a tenth of the median apart."""
        return not self.meets_confidence()

    def meets_confidence(self, threshold: float = 0.1) -> bool:
        """Whether the quartiles are near each other.

        Args:
          threshold: Their greatest distance, relative to the median.
        """
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        """The labels as text."""
        return self.task_spec.title

    @property
    def env(self) -> str:
        """Label of the environment."""
        return "Unspecified env" if self.task_spec.env is None else self.task_spec.env

    @property
    def as_row_name(self) -> str:
        """Label of the row in a table."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Returns a measurement for each task, with the times of all its measurements.

        Args:
          measurements: The measurements.
        """
        groups: dict[TaskSpec, list[Measurement]] = collections.defaultdict(list)
        for m in measurements:
            groups[m.task_spec].append(m)

        def joined(group: list[Measurement]) -> Measurement:
            number = group[0].number_per_run
            return Measurement(number, [t * number for m in group for t in m.times], group[0].task_spec, None)
        return [joined(g) for g in groups.values()]

    def __repr__(self) -> str:
        text = [super().__repr__(), "\n", self.task_spec.summarize(), "\n"]
        unit, scale = select_unit(self.median)
        n = len(self.raw_times)
        if n > 1:
            text.append(f"  Median: {self.median / scale:.2f} {unit}\n  IQR:    {self.iqr / scale:.2f} {unit}\n")
        else:
            text.append(f"  {self.median / scale:.2f} {unit}\n")
        text.append(f"  {n} measurement{'s' if n > 1 else ''}, {self.number_per_run} runs per measurement, {self.task_spec.num_threads} thread"
                    f"{'s' if self.task_spec.num_threads > 1 else ''}")
        if n > 1 and self.has_warnings:
            text.append(f"\n  WARNING: Interquartile range is {self.iqr / self.median * 100:.1f}% of the median measurement.")
        return "".join(text)
