"""Records of compiled functions as pictures, in Graphviz's language."""
from __future__ import annotations

from typing import Any, NamedTuple

from torch_np._graphviz import quoted


class Slot(NamedTuple):
    """Memory that a record knows of."""

    origin: str  # 'argument', 'outside' (found in a closure or a module), 'constant' or 'step'
    argument: int  # which array of the call; -1
    is_result: bool  # whether the caller gets it


class View(NamedTuple):
    """An array of a record: `%3` is number 3."""

    slot: int
    dtype: str
    shape: tuple[int, ...]


class Step(NamedTuple):
    op: str
    text: str
    reads: list[int]  # views
    writes: list[int]
    reason: str | None  # why it is not fused
    group: int  # of steps that are computed together; -1: by itself
    tiles: int  # of steps that go through the rows of arrays together; -1: by itself


class Record(NamedTuple):
    slots: list[Slot]
    views: list[View]
    steps: list[Step]


def record_of(described: dict[str, Any]) -> Record:
    """What _C.CompiledFunction._describe gives for a record."""
    return Record([Slot(*s) for s in described["slots"]], [View(*v) for v in described["views"]], [Step(*s) for s in described["steps"]])


def _array(record: Record, view: int) -> str:
    v = record.views[view]
    return f"%{view} {v.dtype}{list(v.shape)}"


def _source(slot: Slot, number: int) -> tuple[str, str]:
    """Name and label of what no step has made."""
    if slot.origin == "argument":
        return f"argument{slot.argument}", f"argument {slot.argument}"
    return f"{slot.origin}{number}", slot.origin


def dot(name: str, record: Record) -> str:
    """A directed graph: `step<i>` for each step, `argument<i>`, `outside<slot>` and `constant<slot>` for what no step has made, `result<slot>` for what the caller
    gets, clusters for steps that are fused, and for those that go through rows in tiles. An arrow stands for an array that is read, from the last step that wrote to its memory; dashed, it stands for the
    order alone: memory that was read is written to."""
    sources: dict[str, str] = {}
    arrows: list[str] = []
    results: list[str] = []
    writers: dict[int, str] = {}
    readers: dict[int, list[str]] = {}

    def writer(slot: int) -> str:
        if slot not in writers:
            node, label = _source(record.slots[slot], slot)
            sources[node] = f"{node} [shape=ellipse, label={quoted(label)}];"
            writers[slot] = node
        return writers[slot]

    last: dict[int, int] = {}  # the view that was written last, by slot
    for i, step in enumerate(record.steps):
        here = f"step{i}"
        for view in step.reads:
            arrows.append(f"{writer(record.views[view].slot)} -> {here} [label={quoted(_array(record, view))}];")
            readers.setdefault(record.views[view].slot, []).append(here)
        for view in step.writes:
            slot = record.views[view].slot
            arrows += [f"{r} -> {here} [style=dashed];" for r in dict.fromkeys(readers.pop(slot, [])) if r != here]
            writers[slot], last[slot] = here, view
    for number, memory in enumerate(record.slots):
        if not memory.is_result and (memory.origin == "step" or number not in last):
            continue
        node = f"result{number}"
        view = last.get(number, next((v for v, each in enumerate(record.views) if each.slot == number), -1))
        what = "result" if memory.is_result else f"{_source(memory, number)[1]}, changed"
        results.append(f"{node} [shape=ellipse, style=bold, label={quoted(what)}];")
        arrows.append(f"{writer(number)} -> {node} [label={quoted(_array(record, view))}];")

    boxes = [f"step{i} [shape=box, label={quoted(step.op)}, tooltip={quoted(step.text)}];" for i, step in enumerate(record.steps)]
    lines = [f"digraph {quoted(name)} {{", "rankdir=TB;", "node [fontname=monospace];", "edge [fontname=monospace];", *sources.values()]
    for tiles in sorted({step.tiles for step in record.steps}, reverse=True):  # last, at -1, those of none
        inside = [(box, step) for box, step in zip(boxes, record.steps, strict=True) if step.tiles == tiles]
        if tiles >= 0:
            lines += [f"subgraph cluster_tiles{tiles} {{", f"label={quoted(f'tiles {tiles}')};"]
        for group in sorted({step.group for _, step in inside} - {-1}):
            lines += [f"subgraph cluster{group} {{", f"label={quoted(f'fused {group}')};", *[box for box, step in inside if step.group == group], "}"]
        lines += [box for box, step in inside if step.group < 0]
        if tiles >= 0:
            lines.append("}")
    return "\n".join([*lines, *results, *arrows, "}"]) + "\n"
