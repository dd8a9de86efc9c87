"""Counts comment lines that are hard to read, and lines of prose that are too long; `make lint` fails if there are more than allowed.

    python -m tools.words [--list] [FOLDER ...]

A comment line counts if it has a clause with a free "what" or "who" ("what is pending", "who looks"). The count is rough: a few such
clauses are plain English. Prose is all text of the pages but code blocks, tables, and lines with a link or an address.
"""
from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ["aten", "csrc", "torch_np", "tools"]
MOST_FREE_CLAUSES = 60
COLUMNS = 100
FREE = re.compile(r"\b(what|who|whoever|whatever)\b(?! is (it|this|that)\?)", re.IGNORECASE)


def tracked(*patterns: str) -> list[str]:
    return subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def comments(path: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate((ROOT / path).read_text(errors="ignore").splitlines(), 1):
        if found := re.match(r"\s*(?://|#)\s?(.*)", line):
            yield number, found[1].strip()


def long_prose(path: str) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and len(line) > COLUMNS and not line.startswith("    ") and not line.lstrip().startswith(("|", "http", "![", "`")) \
                and "](" not in line:
            yield number, line


def main() -> int:
    parser = argparse.ArgumentParser(description="Comments that are hard to read, and prose that is too long.")
    parser.add_argument("--list", action="store_true", help="print the lines")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    options = parser.parse_args()
    sources = [f for f in tracked(*options.folders) if f.endswith((".h", ".cpp", ".cu", ".cuh", ".cc", ".py"))]
    lines = [(f, number, text) for f in sources for number, text in comments(f)]
    free = [line for line in lines if FREE.search(line[2])]
    pages = tracked("*.md")
    wide = [(page, number, text) for page in pages for number, text in long_prose(page)]
    print(f"{len(free)} of {len(lines)} comment lines have a clause with a free what or who (at most {MOST_FREE_CLAUSES}); "
          f"{len(wide)} lines of prose in {len(pages)} pages are longer than {COLUMNS} columns (at most 0)")
    failed = len(free) > MOST_FREE_CLAUSES or bool(wide)
    if failed or options.list:
        print("\n".join(f"{path}:{number}: {text}" for path, number, text in free + wide))
    return failed


if __name__ == "__main__":
    sys.exit(main())
