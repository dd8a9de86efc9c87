"""Runs the programs in README.md and in the pages of docs/: their ```python blocks.

    python -m tools.documentation.programs README.md docs/networks.md

runs the programs of these pages and prints each result that differs from its comment. The blocks of
a page in docs/ form one session. Blocks of other files, such as README.md, are separate programs.
If an expression has a comment that begins like a value (`w._grad  # array([2., 2.])`), it must have
that value. Blocks that begin with `>>>` are skipped: they need the results of the page's own build
steps.
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

from tools.documentation import examples

DOCS = examples.ROOT / "docs"
BLOCK = re.compile(r"^```python\n(?!>>> )(.*?)^```", re.MULTILINE | re.DOTALL)
VALUE = re.compile(r"\s*#\s*((?:array\(|tensor\(|np\.|torch_np\.|[\[({'\"]|-?\d|(?:True|False|None)\b).*)")


def programs(path: pathlib.Path) -> list[tuple[int, str]]:
    """The blocks of a file, each with its first line number."""
    text = path.read_text()
    return [(text.count("\n", 0, m.start()) + 2, m[1]) for m in BLOCK.finditer(text)]


def disagreements(program: str, names: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Runs a program. For lines whose value differs from their comment: line number, comment, and
    value."""
    lines = program.encode().splitlines()  # `ast` counts columns in bytes
    for statement in ast.parse(program).body:
        last = statement.end_lineno or 0
        said = VALUE.fullmatch(lines[last - 1][statement.end_col_offset:].decode())
        if said and isinstance(statement, ast.Expr):
            value = repr(eval(compile(ast.Expression(statement.value), "<program>", "eval"), names))
            if not examples.agree(value, said[1]):
                yield last, said[1], value
        else:
            exec(compile(ast.Module([statement], []), "<program>", "exec"), names)


def run(path: pathlib.Path) -> Iterator[str]:
    """Runs a file's programs and returns the problems, one per line."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for begin, program in programs(path):
        if path.parent != DOCS:
            names = {"__name__": "__main__"}
        try:
            for line, said, value in disagreements(program, names):
                yield f"{path}:{begin + line - 1}: the comment says {said}, the value is {value}"
        except Exception as error:
            yield f"{path}:{begin}: {type(error).__name__}: {error}"


def main() -> int:
    wrong = [line for name in sys.argv[1:] for line in run(pathlib.Path(name).resolve())]
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
