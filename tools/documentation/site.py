"""Builds the site: stages docs/ and the reference in build/docs/source, runs Sphinx into
build/docs/html, and checks the links.

    python -m tools.documentation.site              # any warning is an error
    python -m tools.documentation.site --no-gallery # without the plotting scripts
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import sys
from sphinx.cmd.build import build_main

from tools.documentation import links, reference, source_pages

ROOT = reference.ROOT
BUILD = ROOT / "build/docs"


def stage(source: pathlib.Path) -> reference.Reference:
    """Copies docs/ and the reference into one folder. Files outside of docs/ that a page links to
    become source pages."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("examples", "__pycache__", "conf.py"))
    pages = reference.Reference(source / "reference")
    pages.write()
    for path in source.glob("*.md"):
        path.write_text(inside(path.read_text(), pages.sources))
    return pages


def inside(text: str, sources: set[str]) -> str:
    """A page's text with links to repository files redirected to their source pages; links to
    folders are removed."""
    def link(match: re.Match[str]) -> str:
        target = (ROOT / "docs" / match[2]).resolve()
        if not target.exists():
            raise FileNotFoundError(f"a page of docs/ points to '{match[2]}', which is not there")
        if target.is_dir():
            return f"`{target.relative_to(ROOT)}/`"
        name = str(target.relative_to(ROOT))
        sources.add(name)
        return f"<a href='_source/{name}.html'>{match[1]}</a>"

    return re.sub(r"\[([^\]\n]*)\]\((\.\./[^)#\n]*)(?:#[^)\n]*)?\)", link, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-gallery", action="store_true", help="do not run the scripts of the gallery")
    parser.add_argument("-j", "--jobs", default="1", help="processes that write pages")
    options = parser.parse_args()
    source, html = BUILD / "source", BUILD / "html"
    pages = stage(source)
    arguments = ["-W", "--keep-going", "-q", "-j", options.jobs, "-c", str(ROOT / "docs"), "-d", str(BUILD / "doctrees")]
    if options.no_gallery:
        arguments += ["-D", "sphinx_gallery_conf.plot_gallery=0"]
    failed = build_main([*arguments, str(source), str(html)])
    source_pages.write(ROOT, pages.sources, html / "_source")
    wrong = links.wrong_links(html)
    print("\n".join(wrong) or f"{html}/index.html: {sum(1 for _ in html.rglob('*.html'))} pages, all links between them lead somewhere")
    return failed or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
