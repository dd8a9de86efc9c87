"""`Compare`: tables of measurements."""
from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from torch_np.utils.benchmark._measurement import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english


class Colorize(enum.Enum):
    """Which times of a table are coloured against each other."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """A table for each label of measurements, with a column for each description, and rows for
    sub-labels and numbers of threads.

    Args:
      results: The measurements.
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trims, self._colors, self._warns = False, Colorize.NONE, False
        self.extend_results(results)

    def extend_results(self, results: Iterable[Any]) -> None:
        """Adds measurements.

        Args:
          results: The measurements.

        Errors: ValueError for other objects.
        """
        for r in results:
            if not isinstance(r, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(r)} instead.")
            self._results.append(r)

    def trim_significant_figures(self) -> None:
        """Leaves out the digits that the spread of the times makes meaningless."""
        self._trims = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colours the best and the worst times of each column, for terminals.

        Args:
          rowwise: Whether those of each row are coloured instead.
        """
        self._colors = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Marks times whose quartiles are far apart."""
        self._warns = True

    def print(self) -> None:
        """Prints the tables."""
        print(self)

    def __str__(self) -> str:
        groups: dict[str, list[Measurement]] = defaultdict(list)
        for m in Measurement.merge(self._results):
            groups[m.task_spec.label or m.task_spec.stmt].append(m)
        return "\n".join(self._table(label, group) for label, group in groups.items())

    def _table(self, label: str, group: list[Measurement]) -> str:
        unit, scale = select_unit(min(m.median for m in group))
        columns = ordered_unique(m.task_spec.description for m in group)
        rows = ordered_unique((m.task_spec.num_threads, m.env, m.as_row_name) for m in group)
        found = {((m.task_spec.num_threads, m.env, m.as_row_name), m.task_spec.description): m for m in group}
        several = len({env for _, env, _ in rows}) > 1

        def text(m: Measurement | None) -> str:
            if m is None:
                return ""
            value = m.median / scale
            shown = f"{trim_sigfig(value, m.significant_figures):g}" if self._trims else f"{value:.1f}"
            return shown + (f" (! {m.iqr / m.median * 100:.0f}%)" if self._warns and m.has_warnings else "")

        cells = {(row, column): text(found.get((row, column))) for row in rows for column in columns}
        names = {row: f"{f'({row[1]}) ' if several else ''}{row[2]}" for row in rows}
        first = max(len(n) for n in names.values()) + 6
        widths = {c: max([len(c or ""), *(len(cells[row, c]) for row in rows)]) for c in columns}
        lines = [" " * first + "  |  " + "  |  ".join((c or "").center(widths[c]) for c in columns)]
        threads = None
        for row in rows:
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(len(lines[0]), "-"))
            lines.append(f"      {names[row]}".ljust(first) + "  |  " + "  |  ".join(
                self._coloured(cells[row, c].rjust(widths[c]), found.get((row, c)), row, c, found) for c in columns))
        title = f"[{'-' * 2} {label} {'-' * 2}]".center(len(lines[0]))
        return "\n".join([title, *lines, "", f"Times are in {unit_to_english(unit)}s ({unit}).", ""])

    def _coloured(self, text: str, m: Measurement | None, row: Any, column: Any, found: dict[Any, Measurement]) -> str:
        if m is None or self._colors is Colorize.NONE:
            return text
        same = [o.median for (r, c), o in found.items() if (r == row if self._colors is Colorize.ROWWISE else c == column and r[0] == row[0])]
        color = "\033[92m" if m.median <= 1.01 * min(same) else "\033[91m" if m.median >= 0.99 * max(same) else ""
        return f"{color}{text}\033[0m" if color else text
