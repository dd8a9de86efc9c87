"""Helpers for Graphviz: quoting for its language, and calls of its program `dot`."""
from __future__ import annotations

import shutil
import subprocess


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def svg(text: str) -> str:
    """Draws a graph as SVG. Errors: RuntimeError if Graphviz's program `dot` is not installed, or
    fails.
    """
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError("svg(): Graphviz is not installed: there is no program `dot` to draw the picture; dot() gives its text")
    drawn = subprocess.run([program, "-Tsvg"], input=text, capture_output=True, text=True, check=False)
    if drawn.returncode != 0:
        raise RuntimeError(f"svg(): Graphviz failed: {drawn.stderr.strip()}")
    return drawn.stdout


class Picture:
    """Base class of objects that are drawn from the text that dot() returns in Graphviz's language.
    """

    def dot(self) -> str:
        raise NotImplementedError

    def svg(self) -> str:
        """Returns the drawing as SVG, made by Graphviz's program `dot`.

        Errors: RuntimeError if Graphviz is not installed, or fails.
        """
        return svg(self.dot())

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except RuntimeError:
            return None  # notebooks then show the text
