"""Graphviz drawings of the traces of compiled functions."""
from __future__ import annotations

from typing import Any, NamedTuple

from torch_np._graphviz import quoted


class Slot(NamedTuple):
    """A block of memory that a trace uses."""

    origin: str  # 'argument', 'outside' (found in a closure or a module), 'constant' or 'step'
    argument: int  # index of the array among the call's arguments; -1 if it is not an argument
    is_result: bool  # whether the function returns the array


class View(NamedTuple):
    """An array in a trace, a view of a slot: `%3` is view 3."""

    slot: int
    dtype: str
    shape: tuple[int, ...]


class Step(NamedTuple):
    op: str
    text: str
    reads: list[int]  # indices of views
    writes: list[int]
    reason: str | None  # the reason why the step is not fused; None if it is fused
    group: int  # index of the fused group; -1 if not fused
    tiles: int  # index of the tiled loop over rows that runs the step; -1 if none


class Trace(NamedTuple):
    slots: list[Slot]
    views: list[View]
    steps: list[Step]


def trace_of(described: dict[str, Any]) -> Trace:
    """Converts the description of a trace by _C.CompiledFunction._describe."""
    return Trace([Slot(*s) for s in described["slots"]], [View(*v) for v in described["views"]], [Step(*s) for s in described["steps"]])


def _array(trace: Trace, view: int) -> str:
    v = trace.views[view]
    return f"%{view} {v.dtype}{list(v.shape)}"


def _source(slot: Slot, number: int) -> tuple[str, str]:
    """Returns the node's name and label for a slot that no step writes."""
    if slot.origin == "argument":
        return f"argument{slot.argument}", f"argument {slot.argument}"
    return f"{slot.origin}{number}", slot.origin


def dot(name: str, trace: Trace) -> str:
    """Returns a directed graph of a trace in Graphviz's language.

    The nodes are `step<i>`; `argument<i>`, `outside<slot>` and `constant<slot>` for slots that no
    step writes; and `result<slot>` for results. Clusters enclose steps that are fused, and steps
    that share a tiled loop over rows. A solid arrow is an array that a step reads, from the last
    step that wrote to its memory. A dashed arrow is a write-after-read dependency.
    """
    sources: dict[str, str] = {}
    arrows: list[str] = []
    results: list[str] = []
    writers: dict[int, str] = {}
    readers: dict[int, list[str]] = {}

    def writer(slot: int) -> str:
        if slot not in writers:
            node, label = _source(trace.slots[slot], slot)
            sources[node] = f"{node} [shape=ellipse, label={quoted(label)}];"
            writers[slot] = node
        return writers[slot]

    last: dict[int, int] = {}  # view of the last write to each slot
    for i, step in enumerate(trace.steps):
        here = f"step{i}"
        for view in step.reads:
            arrows.append(f"{writer(trace.views[view].slot)} -> {here} [label={quoted(_array(trace, view))}];")
            readers.setdefault(trace.views[view].slot, []).append(here)
        for view in step.writes:
            slot = trace.views[view].slot
            arrows += [f"{r} -> {here} [style=dashed];" for r in dict.fromkeys(readers.pop(slot, [])) if r != here]
            writers[slot], last[slot] = here, view
    for number, memory in enumerate(trace.slots):
        if not memory.is_result and (memory.origin == "step" or number not in last):
            continue
        node = f"result{number}"
        view = last.get(number, next((v for v, each in enumerate(trace.views) if each.slot == number), -1))
        what = "result" if memory.is_result else f"{_source(memory, number)[1]}, changed"
        results.append(f"{node} [shape=ellipse, style=bold, label={quoted(what)}];")
        arrows.append(f"{writer(number)} -> {node} [label={quoted(_array(trace, view))}];")

    boxes = [f"step{i} [shape=box, label={quoted(step.op)}, tooltip={quoted(step.text)}];" for i, step in enumerate(trace.steps)]
    lines = [f"digraph {quoted(name)} {{", "rankdir=TB;", "node [fontname=monospace];", "edge [fontname=monospace];", *sources.values()]
    # In descending order: -1, which stands for steps without tiles, comes last.
    for tiles in sorted({step.tiles for step in trace.steps}, reverse=True):
        inside = [(box, step) for box, step in zip(boxes, trace.steps, strict=True) if step.tiles == tiles]
        if tiles >= 0:
            lines += [f"subgraph cluster_tiles{tiles} {{", f"label={quoted(f'tiles {tiles}')};"]
        for group in sorted({step.group for _, step in inside} - {-1}):
            lines += [f"subgraph cluster{group} {{", f"label={quoted(f'fused {group}')};", *[box for box, step in inside if step.group == group], "}"]
        lines += [box for box, step in inside if step.group < 0]
        if tiles >= 0:
            lines.append("}")
    return "\n".join([*lines, *results, *arrows, "}"]) + "\n"
