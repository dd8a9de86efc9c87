"""The files that the reference links to, as pages with numbered lines."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename


def write(root: pathlib.Path, files: Iterable[str], folder: pathlib.Path) -> None:
    for name in files:
        lexer = get_lexer_for_filename(name)
        formatter = HtmlFormatter(full=True, title=name, linenos="inline", lineanchors="line", anchorlinenos=True)
        target = folder / f"{name}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        page = highlight((root / name).read_text(), lexer, formatter)
        target.write_text(page.replace("<head>", '<head>\n  <link rel="icon" href="data:,">', 1))  # otherwise browsers request one
