"""Sums of the profiler's events by function, reason and line."""
from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

_KINDS = ("operator", "backward", "fused", "compiled", "step", "function", "label", "memory", "dropped", "crossing")  # aten/core/profiler/
_CALLS = frozenset(("operator", "backward", "fused", "compiled", "function"))
_BY_NUMPY = ", computed by NumPy: "  # kByNumpy of aten/core/profiler/marks.h
_LINES = 10


class _Sum:
    def __init__(self) -> None:
        self.here = self.by_numpy = self.nanoseconds = self.nanoseconds_of_numpy = 0
        self.reasons: dict[str, int] = defaultdict(int)

    def as_data(self, name: str) -> dict[str, Any]:
        return {"function": name, "calls": self.here + self.by_numpy, "here": self.here, "by_numpy": self.by_numpy,
                "milliseconds": self.nanoseconds / 1e6, "milliseconds_of_numpy": self.nanoseconds_of_numpy / 1e6,
                "reasons": [{"reason": reason, "calls": n} for reason, n in sorted(self.reasons.items(), key=lambda item: -item[1])]}


class Sums:
    """What a report has counted so far."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.lines: list[tuple[str, int, str]] = []
        self._lost = 0
        self._functions: dict[str, _Sum] = defaultdict(_Sum)
        self._by_line: dict[int, list[int]] = defaultdict(lambda: [0, 0])  # calls, nanoseconds
        self._crossings: dict[str, list[int]] = defaultdict(lambda: [0, 0])  # count, bytes
        self._fused = [0, 0]  # expressions, operators in them

    def add(self, summed: tuple[int, int, list[str], list[tuple[int, int, bool, int, int, int, int, int]]]) -> None:
        """Adds the sums of a part of the time, from `_C._profiler_stop_and_sum_up()`."""
        _, lost, names, totals = summed
        self._lost += lost
        for number, kind_number, outermost, line, count, nanoseconds, _, size in totals:
            name, kind = names[number], _KINDS[kind_number]
            if kind == "crossing":
                self._crossings[name][0] += count
                self._crossings[name][1] += size
            if kind == "fused":
                self._fused[0] += count
                self._fused[1] += count * int("".join(re.findall(r"\d+", name)) or 0)
            if outermost:
                self._add_call(name, kind, count, nanoseconds, line)

    def _add_call(self, name, kind, count, nanoseconds, line):
        function, by_numpy, reason = name.partition(_BY_NUMPY)
        if by_numpy:
            total = self._functions[f"numpy.{function.removeprefix('numpy.')}"]
            total.by_numpy += count
            total.nanoseconds_of_numpy += nanoseconds
            total.reasons[reason.strip().rstrip(".")] += count
        elif kind in _CALLS:
            total = self._functions["fused expressions" if kind == "fused" else name]
            total.here += count
        else:
            return
        total.nanoseconds += nanoseconds
        self._by_line[line][0] += count
        self._by_line[line][1] += nanoseconds

    def data(self) -> dict[str, Any]:
        """Returns the report as dictionaries and lists."""
        functions = sorted((total.as_data(name) for name, total in self._functions.items()), key=lambda row: -row["milliseconds"])
        by_line = sorted(((line, *sums) for line, sums in self._by_line.items() if 0 < line <= len(self.lines)), key=lambda row: -row[2])
        return {
            "seconds": self.seconds,
            "seconds_in_calls": sum(row["milliseconds"] for row in functions) / 1e3,
            "calls": sum(row["calls"] for row in functions), "here": sum(row["here"] for row in functions),
            "by_numpy": sum(row["by_numpy"] for row in functions),
            "functions": functions,
            "crossings": [{"kind": kind, "count": count, "bytes": size} for kind, (count, size) in sorted(self._crossings.items())],
            "fused": {"expressions": self._fused[0], "operators": self._fused[1]},
            "lines": [self._line(*row) for row in by_line[:_LINES]],
            "lost_events": self._lost,
        }

    def _line(self, number, calls, nanoseconds):
        file, line, function = self.lines[number - 1]
        return {"file": file, "line": line, "function": function, "calls": calls, "milliseconds": nanoseconds / 1e6, "source": _source(file, line)}


def _source(file, line):
    import linecache

    return linecache.getline(file, line).strip()
