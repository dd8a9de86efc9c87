"""Events averaged by operator, and their table."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch_np.autograd._profiler_table import format_time, shortened, size_text
from torch_np.profiler._events import Event


class Average:
    """Totals over all events of one name (`key`) and `device`, and of one `input_shapes` if they are
    grouped by shapes.

    `count` is the number of events. Times are in microseconds: `cpu_time_total` includes nested
    events, `self_cpu_time_total` excludes them, and `cpu_time` is the mean of the former. Sizes are
    in bytes: `allocated_bytes` is the memory allocated by arrays, `self_memory_usage` subtracts the
    memory freed, both without nested events, and `memory_usage` is the latter with nested events.
    Sizes are recorded only by a profile with memory.
    """

    def __init__(self, key: str, device: str, input_shapes: str = "") -> None:
        self.key = key
        self.device = device
        self.input_shapes = input_shapes
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.allocated_bytes = 0
        self.memory_usage = 0
        self.self_memory_usage = 0

    @property
    def cpu_time(self) -> float:
        """Mean time of a call in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def _add(self, event: Event) -> None:
        self.count += 1
        self.self_cpu_time_total += event.self_cpu_time_total
        self.allocated_bytes += event.allocated_bytes
        self.self_memory_usage += event.self_memory_usage

    def __repr__(self) -> str:
        return f"<Average {self.key}: {self.count} calls, {format_time(self.cpu_time_total)}, {self.device}>"


_SORTABLE = ("key", "device", "count", "cpu_time_total", "self_cpu_time_total", "cpu_time", "allocated_bytes", "memory_usage", "self_memory_usage")
_PYTORCHS = {"cpu_memory_usage": "memory_usage", "self_cpu_memory_usage": "self_memory_usage"}


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole > 0 else "0.00%"


def _layout(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Lines of a table whose first column is left-aligned and whose other columns are
    right-aligned.
    """
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    rule = "  ".join("-" * w for w in widths)
    lines = ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]) for row in [heads, *rows]]
    return [rule, lines[0], rule, *lines[1:], rule]


class Averages(list[Average]):
    """A list of Average, ordered by the start of their first events."""

    def __init__(self, averages: Iterable[Average], has_memory: bool) -> None:
        super().__init__(averages)
        self._has_memory = has_memory

    @property
    def self_cpu_time_total(self) -> float:
        """Total time in microseconds, summed over threads."""
        return sum(a.self_cpu_time_total for a in self)

    def table(self, sort_by: str | None = None, row_limit: int = 100, max_name_column_width: int = 55) -> str:
        """The averages as a text table.

        Args:
          sort_by: attribute of Average to sort by, largest first ('key' and 'device'
            alphabetically), or PyTorch's 'cpu_memory_usage' or 'self_cpu_memory_usage'; None keeps
            the order
          row_limit: largest number of rows; -1 for all
          max_name_column_width: width to which names are truncated

        Errors: ValueError if `sort_by` is none of these.
        """
        rows: list[Average] = list(self)
        if sort_by is not None:
            attribute = _PYTORCHS.get(sort_by, sort_by)
            if attribute not in _SORTABLE:
                raise ValueError(f"table(): sort_by must be one of {', '.join(map(repr, [*_SORTABLE, *_PYTORCHS]))}, got {sort_by!r}")
            rows.sort(key=lambda a: getattr(a, attribute), reverse=attribute not in ("key", "device"))
        whole = self.self_cpu_time_total
        heads = ["Name", "Device", "# of Calls", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        if self._has_memory:
            heads += ["Allocated", "Self Mem", "Mem"]
        has_shapes = any(a.input_shapes for a in rows)
        heads += ["Input Shapes"] if has_shapes else []
        cells: list[list[str]] = []
        for a in rows if row_limit < 0 else rows[:row_limit]:
            cells.append([shortened(a.key, max_name_column_width), a.device, str(a.count), _share(a.self_cpu_time_total, whole), format_time(a.self_cpu_time_total),
                          _share(a.cpu_time_total, whole), format_time(a.cpu_time_total), format_time(a.cpu_time)])
            if self._has_memory:
                cells[-1] += map(size_text, (a.allocated_bytes, a.self_memory_usage, a.memory_usage))
            if has_shapes:
                cells[-1].append(a.input_shapes)
        return "\n".join([*_layout(heads, cells), f"Self CPU time total: {format_time(whole)}", ""])

    def __str__(self) -> str:
        return self.table()

    def __reduce__(self) -> Any:
        return Averages, (list(self), self._has_memory)


def averages(threads: Iterable[list[Event]], has_memory: bool, by_shapes: bool = False) -> Averages:
    found: dict[tuple[str, ...], Average] = {}
    for events in threads:
        # Memory usage of each event with nested events, by id. Nested events follow their parent.
        usage: dict[int, int] = {}
        for event in reversed(events):
            own = usage.get(id(event), 0) + event.self_memory_usage
            usage[id(event)] = own
            if event.cpu_parent is not None:
                usage[id(event.cpu_parent)] = usage.get(id(event.cpu_parent), 0) + own
        # For each event, the keys of itself and its ancestors. An event nested in one of the same
        # key is already counted in the outer one's totals.
        around: dict[int, frozenset[tuple[str, ...]]] = {}
        for event in events:
            key = (event.name, event.device, str(event.input_shapes)) if by_shapes and event.input_shapes else (event.name, event.device)
            outer = around[id(event.cpu_parent)] if event.cpu_parent is not None else frozenset()
            around[id(event)] = outer if key in outer else outer | {key}
            average = found.setdefault(key, Average(*key))
            average._add(event)
            if key not in outer:
                average.cpu_time_total += event.cpu_time_total
                average.memory_usage += usage[id(event)]
    return Averages(found.values(), has_memory)
