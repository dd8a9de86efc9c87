"""Checks the links of a built site: internal links must lead to existing files and anchors, all
other links must be web addresses."""

from __future__ import annotations

import functools
import html.parser
import pathlib
import urllib.parse


class Page(html.parser.HTMLParser):
    """The link targets and the anchors of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.targets.append(value)
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value or "")


@functools.cache
def page(path: pathlib.Path) -> Page:
    return Page(path.read_text(errors="replace"))


def wrong_links(folder: pathlib.Path) -> list[str]:
    """A line for each broken link and each invalid address."""
    folder = folder.resolve()
    found = []
    for path in sorted(folder.rglob("*.html")):
        if path.is_relative_to(folder / "_static"):
            continue  # templates of the theme
        for target in dict.fromkeys(page(path).targets):
            if why := wrong(target, path, folder):
                found.append(f"{path.relative_to(folder)}: '{target}' {why}")
    return found


def wrong(target: str, path: pathlib.Path, folder: pathlib.Path) -> str | None:
    """The problem with a link of a page; None if there is none."""
    parts = urllib.parse.urlsplit(target)
    if parts.scheme in ("data", "mailto"):
        return None
    if parts.scheme or parts.netloc:
        return None if parts.scheme in ("http", "https") and "." in parts.netloc else "is not the address of a page"
    goal = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
    if goal.is_dir():
        goal /= "index.html"
    if not goal.is_file() or not goal.is_relative_to(folder):
        return "leads to no file of the site"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and goal.suffix == ".html" and anchor not in page(goal).anchors:
        return "leads to no anchor of that page"
    return None
