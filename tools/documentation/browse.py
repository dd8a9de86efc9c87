"""Opens the built site in a headless browser and checks it.

It visits every page of docs/ and of the gallery, and a reference page for each module and class. No
page may have a script error or a missing file, and the search must find functions by name.

    python -m tools.documentation.browse [folder for screenshots]

The browser is Debian's (`apt-get install chromium`), driven by playwright.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import pathlib
import shutil
import sys
import threading
from collections.abc import Iterator

from playwright.sync_api import Page, sync_playwright

from tools.documentation import examples, public_names

ROOT = examples.ROOT
HTML = ROOT / "build/docs/html"
# Search terms, and a page that must be among the results.
SEARCHES = {"histogram2d": "numpy_reductions", "logsumexp": "torch_reductions", "MultiheadAttention": "nn_layers", "gradient": "gradients",
            "einsum": "numpy_products", "DataLoader": "utils_data", "PackedSequence": "nn_utils_rnn", "threads": "threads"}


def pages() -> list[str]:
    """The pages to open: all guides, the whole gallery, and one reference page for each module and
    class (its first page of examples, or else its index), and a source page."""
    guides = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))
    gallery = ["index", *sorted(path.stem for path in (ROOT / "docs/gallery").glob("plot_*.py"))]
    first = {page.module: page.path.stem for page in reversed(examples.pages())}
    reference = ["index", "numpys_modules", *(first.get(m, f"{m}.index") for m in [*public_names.MODULES, *public_names.CLASSES])]
    source = "_source/native_functions/reductions.yaml"
    return [*guides, *(f"auto_gallery/{name}" for name in gallery), *(f"reference/{name}" for name in reference), source]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: pathlib.Path) -> Iterator[str]:
    """Serves a folder and returns its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def walk(page: Page, address: str, pictures: pathlib.Path | None) -> list[str]:
    """Visits the pages and returns the problems found, one per line."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(f"{page.url}: {error}"))
    page.on("console", lambda said: found.append(f"{page.url}: {said.text}") if said.type == "error" else None)
    # Requests to other hosts are errors: a reader may be offline.
    page.on("request", lambda asked: None if asked.url.startswith((address, "data:")) else found.append(f"{page.url} asks for {asked.url}"))
    page.on("response", lambda got: found.append(f"{page.url}: {got.url} is {got.status}") if got.status >= 400 else None)
    for name in pages():
        page.goto(f"{address}/{name}.html")
        if not page.title():
            found.append(f"{name}: has no title")
        broken = page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)")
        found += [f"{name}: the picture {source} does not show" for source in broken]
        if pictures:
            page.screenshot(path=pictures / f"{name.replace('/', '.')}.png")
    for text, goal in SEARCHES.items():
        page.goto(f"{address}/search.html?q={text}")
        with contextlib.suppress(Exception):
            page.wait_for_selector("#search-results ul.search li a", timeout=20_000)
        page.wait_for_timeout(1_000)
        results = page.eval_on_selector_all("#search-results ul.search li a", "links => links.map(a => a.href)")
        if not any(goal in link for link in results):
            found.append(f"the search for '{text}' finds {results[:5] or 'nothing'}, and no page '{goal}'")
        if pictures:
            page.screenshot(path=pictures / f"search.{text}.png")
    return found


def main() -> int:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("there is no chromium: apt-get install chromium")
        return 1
    if not (HTML / "index.html").exists():
        print(f"{HTML} has no site: make docs")
        return 1
    pictures = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with served(HTML) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found = walk(browser.new_page(viewport={"width": 1280, "height": 900}), address, pictures)
        browser.close()
    print("\n".join(found) or f"{len(pages())} pages opened, {len(SEARCHES)} searches made: no errors")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
