"""A report as text."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

_MOST_FUNCTIONS = 25


def size(count: int) -> str:
    """Returns a number of bytes as text, such as '1.5 MB'."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def place(line: dict[str, Any]) -> str:
    """Returns a line's file, relative to the current folder if it is below it, and its number."""
    file = os.path.relpath(line["file"]) if os.path.isabs(line["file"]) else line["file"]
    return f"{line['file'] if file.startswith('..') else file}:{line['line']}"


def fused(data: dict[str, Any]) -> str:
    """Returns the sentences about fused expressions."""
    return (f"{data['fused']['operators']:,} operators were fused into {data['fused']['expressions']:,} expressions. The call that first reads a result "
            "computes its expression, and has its time.")


def summary(data: dict[str, Any]) -> str:
    """Returns the sentence above the tables."""
    share = 100 * data["seconds_in_calls"] / data["seconds"] if data["seconds"] else 0
    return (f"{data['calls']:,} calls of torch_np took {data['seconds_in_calls']:.3f} s of {data['seconds']:.3f} s ({share:.0f} %). "
            f"{data['here']:,} ran here, NumPy computed {data['by_numpy']:,}.")


def crossings(data: dict[str, Any]) -> list[tuple[str, ...]]:
    """Returns the rows of arrays that crossed."""
    return [(row["kind"], f"{row['count']:,}", size(row["bytes"]), "yes" if row["kind"].startswith("copied") else "no") for row in data["crossings"]]


def _columns(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], left: tuple[int, ...]) -> list[str]:
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    return ["  ".join(cell.ljust(width) if n in left else cell.rjust(width) for n, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in (head, tuple("-" * width for width in widths), *rows)]


def text(data: dict[str, Any]) -> str:
    """Returns the report as text."""
    functions = data["functions"]
    rows = [(row["function"], f"{row['calls']:,}", f"{row['here']:,}", f"{row['by_numpy']:,}", f"{row['milliseconds']:.2f}") for row in functions[:_MOST_FUNCTIONS]]
    parts = [["torch_np report", summary(data)], _columns(("function", "calls", "here", "by NumPy", "ms"), rows, (0,))]
    if len(functions) > len(rows):
        parts[-1].append(f"and {len(functions) - len(rows)} more functions")
    reasons = sorted(((n["calls"], row["function"], n["reason"]) for row in functions for n in row["reasons"]), reverse=True)
    if reasons:
        parts.append(["Why NumPy computed", *_columns(("calls", "function", "reason"), [(f"{n:,}", f, r[:110]) for n, f, r in reasons[:_MOST_FUNCTIONS]], (1, 2))])
    if data["crossings"]:
        parts.append(["Arrays that crossed to and from other libraries", *_columns(("direction", "count", "size", "copied"), crossings(data), (0, 3))])
    if data["fused"]["expressions"]:
        parts.append([fused(data)])
    if data["lines"]:
        lines = [(f"{row['milliseconds']:.2f}", f"{row['calls']:,}", place(row), row["source"][:80]) for row in data["lines"]]
        parts.append(["Lines of the program with the most time in calls", *_columns(("ms", "calls", "line", "source"), lines, (2, 3))])
    if data["lost_events"]:
        parts.append([f"{data['lost_events']:,} calls are missing for lack of memory."])
    return "\n\n".join("\n".join(part) for part in parts)
