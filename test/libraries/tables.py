"""Writes the table of docs/libraries.md from the cases.

    PYTHONPATH=.:test python -m libraries.tables docs/libraries.md

rewrites it, with the versions of the libraries that are installed.
"""
from __future__ import annotations

import sys
from collections import Counter
from importlib import metadata
from pathlib import Path

from libraries.case import AS_NUMPYS, DIFFERS, FAILS, OURS, SHARED, Library
from libraries.cases import array_api, computing, files, pictures, scipy_dispatch, sklearn_dispatch, tables

GROUPS = (scipy_dispatch, sklearn_dispatch, array_api, computing, pictures, tables, files)
LIBRARIES: list[Library] = [library for group in GROUPS for library in group.LIBRARIES]
BY_NAME = {library.name: library for library in LIBRARIES}

BEGIN, END = "<!-- table: made by `make libraries-table` -->\n", "<!-- end of the table -->\n"


def version(package: str) -> str:
    """The version of the installed package, or a dash."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "–"


def row(library: Library) -> list[str]:
    """The cells of a row; the second is the version."""
    kinds = Counter(case.kind for case in library.cases())
    words = {OURS: "our arrays", AS_NUMPYS: "same as with NumPy's arrays", SHARED: "the same memory"}
    gives = ", ".join(f"{words[kind]} ({kinds[kind]})" for kind in words if kinds[kind])
    reasons: dict[str, list[str]] = {}
    for case in library.cases():
        if case.kind in (FAILS, DIFFERS):
            verb = "raises" if case.kind == FAILS else "differs"
            reasons.setdefault(f"{verb}: {case.reason}", []).append(f"`{case.call}`")
    fails = "; ".join(f"{', '.join(calls)} {reason}" for reason, calls in reasons.items())
    return [library.name, version(library.package), str(sum(kinds.values())), gives, fails.replace("|", "\\|")]


def table() -> str:
    """The table as Markdown."""
    head = ["library", "version", "calls", "results", "failures, with reasons"]
    rows = [row(library) for library in LIBRARIES]
    total = sum(int(cells[2]) for cells in rows)
    lines = [head, ["---"] * len(head), *rows, [f"{len({library.package for library in LIBRARIES})} libraries", "", str(total), "", ""]]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def with_table(page: str) -> str:
    """The page with its table replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_table(path.read_text()))
