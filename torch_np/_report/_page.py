"""A report as an HTML page, without other files."""
from __future__ import annotations

from html import escape
from typing import Any

from torch_np._report import _table

_STYLE = """
.torch-np-report { font: 15px/1.5 system-ui, sans-serif; color: #1c2430; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
.torch-np-report h1 { font-size: 1.5rem; margin: 0 0 .3rem; } .torch-np-report h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.torch-np-report table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.torch-np-report th { text-align: left; font-weight: 600; color: #5a6675; border-bottom: 2px solid #dde3ea; }
.torch-np-report th, .torch-np-report td { padding: .28rem .7rem .28rem 0; vertical-align: top; }
.torch-np-report td { border-bottom: 1px solid #edf0f4; } .torch-np-report .n { text-align: right; white-space: nowrap; }
.torch-np-report .bar { width: 22%; } .torch-np-report .bar i { display: block; height: .7rem; margin-top: .4rem; border-radius: 2px; background: #3b7dd8; }
.torch-np-report .bar i b { display: block; height: 100%; border-radius: 2px; background: #e08a2b; }
.torch-np-report code { font: 13px/1.5 ui-monospace, monospace; } .torch-np-report .key i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; }
@media (prefers-color-scheme: dark) { .torch-np-report { color: #d9e0e8; } body.torch-np-page { background: #171c23; }
.torch-np-report td, .torch-np-report th { border-color: #2c3541; } .torch-np-report th { color: #98a5b3; } }
"""


def _rows(head: list[tuple[str, bool]], rows: list[list[str]]) -> str:
    """Returns a table. `head` has pairs of a title and whether its column has numbers; cells are HTML."""
    def line(tag: str, cells: list[str]) -> str:
        return "<tr>" + "".join(f"<{tag}{' class=n' if number else ''}>{cell}</{tag}>" for cell, (_, number) in zip(cells, head)) + "</tr>"

    return "<table>" + line("th", [escape(title) for title, _ in head]) + "".join(line("td", row) for row in rows) + "</table>"


def _bar(milliseconds: float, of_numpy: float, most: float) -> str:
    width = 100 * milliseconds / most if most else 0
    inner = 100 * of_numpy / milliseconds if milliseconds else 0
    return f'<div class=bar style="width:12rem"><i style="width:{width:.1f}%"><b style="width:{inner:.1f}%"></b></i></div>'


def body(data: dict[str, Any]) -> str:
    """Returns the report as HTML inside of a page."""
    functions, most = data["functions"], max((row["milliseconds"] for row in data["functions"]), default=0)
    parts = [f"<style>{_STYLE}</style><div class=torch-np-report><h1>torch_np report</h1><p>{escape(_table.summary(data))}</p>"]
    parts.append('<h2>Functions</h2><p class=key><i style="background:#3b7dd8"></i> torch_np &nbsp; <i style="background:#e08a2b"></i> NumPy</p>')
    parts.append(_rows([("function", False), ("calls", True), ("here", True), ("by NumPy", True), ("ms", True), ("", False)], [
        [f"<code>{escape(row['function'])}</code>", f"{row['calls']:,}", f"{row['here']:,}", f"{row['by_numpy']:,}", f"{row['milliseconds']:.2f}",
         _bar(row["milliseconds"], row["milliseconds_of_numpy"], most)] for row in functions]))
    reasons = sorted(((n["calls"], row["function"], n["reason"]) for row in functions for n in row["reasons"]), reverse=True)
    if reasons:
        parts.append("<h2>Why NumPy computed</h2>" + _rows([("calls", True), ("function", False), ("reason", False)],
                                                           [[f"{n:,}", f"<code>{escape(f)}</code>", escape(r)] for n, f, r in reasons]))
    if data["crossings"]:
        parts.append("<h2>Arrays that crossed to and from other libraries</h2>" + _rows(
            [("direction", False), ("count", True), ("size", True), ("copied", False)], [[escape(c) for c in row] for row in _table.crossings(data)]))
    if data["fused"]["expressions"]:
        parts.append(f"<h2>Fusion</h2><p>{escape(_table.fused(data))}</p>")
    if data["lines"]:
        most = data["lines"][0]["milliseconds"]
        parts.append("<h2>Lines of the program with the most time in calls</h2>" + _rows(
            [("ms", True), ("calls", True), ("line", False), ("source", False), ("", False)],
            [[f"{row['milliseconds']:.2f}", f"{row['calls']:,}", escape(_table.place(row)), f"<code>{escape(row['source'])}</code>",
              _bar(row["milliseconds"], 0, most)] for row in data["lines"]]))
    if data["lost_events"]:
        parts.append(f"<p>{data['lost_events']:,} calls are missing for lack of memory.</p>")
    return "\n".join(parts) + "</div>"


def page(data: dict[str, Any]) -> str:
    """Returns the report as a page."""
    return ('<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1">'
            f"<title>torch_np report</title></head><body class=torch-np-page>\n{body(data)}\n</body></html>\n")
