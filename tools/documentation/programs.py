"""The programs in README.md and in the pages of docs/: their ```python blocks, which run as they stand.

    python -m tools.documentation.programs README.md docs/networks.md

runs those of these pages, and prints what differs from what the comments say. The blocks of a page of docs/ are one session, those of
another file, such as README.md, are programs of their own. A line that is an expression, with a comment that begins as a value does
(`w._grad  # array([2., 2.])`), must have that value. Blocks that begin with `>>>` are no programs: they need what the page builds.
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
    """The blocks of a file, each with the line on which its text begins."""
    text = path.read_text()
    return [(text.count("\n", 0, m.start()) + 2, m[1]) for m in BLOCK.finditer(text)]


def disagreements(program: str, names: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Runs a program. Of the lines whose value is not what their comment says: the number, the comment, and the value."""
    lines = program.encode().splitlines()  # where a statement ends, `ast` counts in bytes
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
    """What is wrong with the programs of a file, a line each."""
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
