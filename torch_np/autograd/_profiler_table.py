"""The text table of the events of a profile, with PyTorch's columns, and its cells."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}


def format_time(microseconds: float, unit: str | None = None) -> str:
    """A time as text, such as '1.500ms'."""
    if unit is None:
        unit = "s" if microseconds >= 1e6 else "ms" if microseconds >= 1e3 else "us"
    return f"{microseconds / _UNITS[unit]:.3f}{unit}"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


def size_text(size: float) -> str:
    """A size as text, such as '1.50 KB'."""
    for unit, factor in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if abs(size) >= factor:
            return f"{size / factor:.2f} {unit}"
    return f"{int(size)} B"


def shortened(text: str, width: int | None) -> str:
    return text if width is None or len(text) <= width else text[:width - 3] + "..."


def build_table(events: Sequence[Any], *, sort_by: str | None, row_limit: int, name_width: int | None, shapes_width: int | None, header: str | None,
                has_memory: bool, top_level_only: bool, time_unit: str | None) -> str:
    """The table of FunctionEvent or FunctionEventAvg; see EventList.table."""
    if not events:
        return ""
    whole = sum(e.self_cpu_time_total for e in events)
    rows = sorted(events, key=lambda e: getattr(e, _attribute(sort_by)), reverse=True) if sort_by is not None else list(events)
    rows = [e for e in rows if not (top_level_only and e.cpu_parent is not None)]
    has_shapes = any(e.input_shapes for e in events)
    heads = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", *(["CPU Mem", "Self CPU Mem"] if has_memory else []), "# of Calls",
             *(["Input Shapes"] if has_shapes else [])]
    lines = []
    for e in rows if row_limit < 0 else rows[:row_limit]:
        line = [shortened(e.key, name_width), _share(e.self_cpu_time_total, whole), format_time(e.self_cpu_time_total, time_unit),
                "0.00%" if e.is_async else _share(e.cpu_time_total, whole), format_time(e.cpu_time_total, time_unit), format_time(e.cpu_time, time_unit)]
        line += [size_text(e.cpu_memory_usage), size_text(e.self_cpu_memory_usage)] if has_memory else []
        line.append(str(e.count))
        line += [shortened(str(e.input_shapes or ""), shapes_width)] if has_shapes else []
        lines.append(line)
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    rule = "  ".join("-" * w for w in widths)
    title = [header.center(len(rule)), rule] if header is not None else []
    table = ["  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in (heads, *lines)]
    return "\n".join([rule, *title, table[0], rule, *table[1:], rule, f"Self CPU time total: {format_time(whole, time_unit)}", ""])


def _attribute(sort_by: str) -> str:
    for name in ("cuda", "xpu"):
        sort_by = sort_by.replace(name, "device")
    return sort_by
