"""The table of examples in docs/examples/*.txt, which the reference shows and
test_documentation_examples.py runs.

A file is a page of the reference. It begins with lines `module: torch_np.numpy` and `title: Making
arrays`. If its examples need a GPU, MPI or Dask, a line `device: cuda`, `needs: mpi` or `needs:
dask` follows. Then come entries: a line with the names that the entry demonstrates, and an indented
interpreter session:

    cumsum, cumprod
        >>> np.cumsum([1, 2, 3])
        array([1, 3, 6])

Each entry runs by itself, with `np`, `torch`, `nn`, `F` and `optim` imported. `python -m
tools.documentation.examples` runs all of them. With `--write`, it replaces the expected output by
the actual one; review it before you commit. `--device cuda` selects the files that need a GPU
(TORCH_NP_CUDA_EMULATED=1 emulates one), `--needs mpi` or `--needs dask` the files with this
requirement; otherwise files without requirements run.
"""

from __future__ import annotations

import contextlib
import doctest
import functools
import importlib
import io
import itertools
import pathlib
import re
import sys
import textwrap
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/examples"
IMPORTS = {"np": "torch_np.numpy", "torch": "torch_np", "nn": "torch_np.nn", "F": "torch_np.nn.functional", "optim": "torch_np.optim"}
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Entry:
    names: tuple[str, ...]
    text: str  # an interpreter session without indentation
    line: int

    def steps(self) -> list[doctest.Example]:
        return doctest.DocTestParser().get_examples(self.text)


@dataclass
class Page:
    path: pathlib.Path
    module: str
    title: str
    device: str = "cpu"
    needs: str = ""  # or "mpi", "dask"
    entries: list[Entry] = field(default_factory=list)

    def __str__(self) -> str:
        head = f"module: {self.module}\ntitle: {self.title}\n" + (f"device: {self.device}\n" if self.device != "cpu" else "")
        head += f"needs: {self.needs}\n" if self.needs else ""
        return head + "".join(f"\n{', '.join(e.names)}\n{textwrap.indent(e.text, '    ')}" for e in self.entries)


def read(path: pathlib.Path) -> Page:
    """Reads a page. ValueError, with file and line, if the file is malformed."""
    lines = path.read_text().splitlines()
    head = dict(line.split(": ", 1) for line in itertools.takewhile(lambda line: ": " in line, lines))
    if not {"module", "title"} <= head.keys() <= {"module", "title", "device", "needs"}:
        raise ValueError(f"{path}:1: begins with '{lines[0]}', not with lines 'module: ...' and 'title: ...'")
    page = Page(path, **head)
    for i, line in enumerate(lines[len(head):], len(head) + 1):
        if not line.strip():
            continue
        if not line.startswith("    "):
            page.entries.append(Entry(tuple(line.split(", ")), "", i))
        elif not page.entries:
            raise ValueError(f"{path}:{i}: '{line}' stands before the first entry")
        else:
            last = page.entries.pop()
            page.entries.append(Entry(last.names, f"{last.text}{line[4:]}\n", last.line))
    for e in page.entries:
        if not e.text.startswith(">>> "):
            raise ValueError(f"{path}:{e.line}: the entry of {', '.join(e.names)} begins with '{e.text[:20].strip()}', not with '>>> '")
    return page


def pages() -> list[Page]:
    return [read(path) for path in sorted(FOLDER.glob("*.txt"))]


@functools.cache
def by_name() -> dict[str, dict[str, Entry]]:
    """The first entry of each name, by module."""
    found: dict[str, dict[str, Entry]] = {}
    for page in pages():
        for entry in page.entries:
            for name in entry.names:
                found.setdefault(page.module, {}).setdefault(name, entry)
    return found


def namespace(**replaced: Any) -> dict[str, Any]:
    return {"__name__": "example", **{name: importlib.import_module(module) for name, module in IMPORTS.items()}, **replaced}


def execute(step: doctest.Example, names: dict[str, Any]) -> str:
    """The interpreter's output for a step; for an exception its last lines, below doctest's
    traceback header."""
    printed = io.StringIO()
    show = sys.displayhook
    sys.displayhook = lambda value: None if value is None else print(repr(value), file=printed)
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(step.source, "<example>", "single"), names)
    except Exception as error:
        last = "".join(traceback.format_exception_only(error))
        return f"{printed.getvalue()}Traceback (most recent call last):\n    ...\n{last}"
    finally:
        sys.displayhook = show
    return printed.getvalue()


def agree(got: str, want: str) -> bool:
    """Whether two texts agree up to whitespace, the last digits of decimal numbers, and `...` in
    `want`."""
    want = want.replace("<BLANKLINE>", "")
    if NUMBER.sub("#", got).split() == NUMBER.sub("#", want).split():
        pairs = zip(NUMBER.findall(got), NUMBER.findall(want))
        return all(abs(float(a) - float(b)) <= 2e-7 + 1e-5 * abs(float(b)) for a, b in pairs)
    return doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)


def disagreements(text: str, names: dict[str, Any]) -> Iterator[tuple[doctest.Example, str]]:
    """The steps of a text whose output is unexpected, each with its actual output."""
    for step in doctest.DocTestParser().get_examples(text):
        got = execute(step, names)
        want = step.want if step.exc_msg is None else f"Traceback (most recent call last):\n    ...\n{step.exc_msg}"
        if not agree(got, want):
            yield step, got


def written(text: str) -> str:
    """The text of an entry, with the actual output wherever it differs from the expected one."""
    names, parts = namespace(), []
    for step in doctest.DocTestParser().get_examples(text):
        first, *more = step.source.splitlines()
        parts += [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        got = execute(step, names)
        kept = step.want if step.exc_msg is None and agree(got, step.want) else got
        parts += (line or "<BLANKLINE>" for line in kept.splitlines())
    return "\n".join(parts) + "\n"


def main() -> int:
    device, needs = (sys.argv[sys.argv.index(option) + 1] if option in sys.argv else default
                     for option, default in (("--device", "cpu"), ("--needs", "")))
    failed = 0
    for page in pages():
        if page.device != device or page.needs != needs:
            continue
        if "--write" in sys.argv:
            page.entries = [Entry(e.names, written(e.text), e.line) for e in page.entries]
            page.path.write_text(str(page))
            continue
        for entry in page.entries:
            for step, got in disagreements(entry.text, namespace()):
                failed += 1
                print(f"{page.path}:{entry.line}: {step.source}  expected\n{step.want}  came\n{got}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
