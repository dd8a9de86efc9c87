"""Graphviz: quoting for its language, and its program."""
from __future__ import annotations

import shutil
import subprocess


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def svg(text: str) -> str:
    """Errors: RuntimeError where Graphviz's program `dot` is not installed, or fails."""
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError("svg(): Graphviz is not installed: there is no program `dot` to draw the picture; dot() gives its text")
    drawn = subprocess.run([program, "-Tsvg"], input=text, capture_output=True, text=True, check=False)
    if drawn.returncode != 0:
        raise RuntimeError(f"svg(): Graphviz failed: {drawn.stderr.strip()}")
    return drawn.stdout


class Picture:
    """What dot() gives in Graphviz's language."""

    def dot(self) -> str:
        raise NotImplementedError

    def svg(self) -> str:
        """The picture as SVG, which Graphviz's program `dot` draws.
        Errors: RuntimeError where Graphviz is not installed, or fails."""
        return svg(self.dot())

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except RuntimeError:
            return None  # notebooks show the text
