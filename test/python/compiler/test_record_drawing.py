"""Drawings of traces: their Graphviz text contains the same steps as the trace; and explain()."""
from __future__ import annotations

import re
import shutil
import stat

import pytest

import torch_np
import torch_np.numpy as np

_NODE = re.compile(r'^(\w+) \[(?:shape=(\w+), )?(?:style=\w+, )?label="((?:[^"\\]|\\.)*)"(?:, tooltip="((?:[^"\\]|\\.)*)")?\];$')
_EDGE = re.compile(r'^(\w+) -> (\w+) \[(?:label="([^"]*)"|style=(dashed))\];$')


def parsed(text):
    """Nodes {name: (label, tooltip, cluster)}, edges {(from, to, label)}. Every line is one of
    these, or part of the frame."""
    nodes, edges, cluster = {}, set(), None
    first, *lines, last = text.splitlines()
    assert first.startswith("digraph ") and last == "}"
    for line in lines:
        if (found := _EDGE.match(line)):
            edges.add((found[1], found[2], found[3] if found[3] is not None else found[4]))
        elif (found := re.match(r"^subgraph cluster(\d+) \{$", line)):
            cluster = int(found[1])
        elif line == "}":
            cluster = None
        elif (found := _NODE.match(line)) and found[1] not in ("node", "edge"):
            assert found[1] not in nodes
            nodes[found[1]] = (found[3], found[4], cluster)
        else:
            assert re.match(r'^(rankdir=TB|(node|edge) \[fontname=monospace\]|label="fused \d+");$', line), line
    assert cluster is None
    assert {end for a, b, _ in edges for end in (a, b)} <= set(nodes)
    return nodes, edges


def label(record, view):
    v = record.views[view]
    return f"%{view} {v.dtype}{list(v.shape)}"


def check(lowered):
    """Checks that every step is a node in the cluster of its group, and every read an edge from the
    last writer."""
    record = lowered.details[0]
    nodes, edges = parsed(lowered.dot())
    assert {n for n in nodes if n.startswith("step")} == {f"step{i}" for i in range(len(record.steps))}
    wanted = set()
    written: dict[int, str] = {}
    for i, step in enumerate(record.steps):
        shown, tooltip, cluster = nodes[f"step{i}"]
        assert (shown, tooltip) == (step.op, step.text) and (-1 if cluster is None else cluster) == step.group
        for view in step.reads:
            slot = record.views[view].slot
            origin = record.slots[slot]
            source = f"argument{origin.argument}" if origin.origin == "argument" else f"{origin.origin}{slot}"
            wanted.add((written.get(slot, source), f"step{i}", label(record, view)))
        for view in step.writes:
            written[record.views[view].slot] = f"step{i}"
    assert wanted == {e for e in edges if e[1].startswith("step") and e[2] != "dashed"}
    for number, slot in enumerate(record.slots):
        assert (f"result{number}" in nodes) == (slot.is_result or slot.origin != "step" and number in written)
    return nodes, edges, record


def test_steps_arrays_and_results():
    w = torch_np.ones(3)

    def f(x, y):
        return torch_np.exp(x * 2 + y) * w, (x @ y).sum()
    nodes, edges, _ = check(torch_np.compile(f, fullgraph=True).lower(torch_np.ones(3), torch_np.ones(3)))
    assert nodes["argument0"][0] == "argument 0"
    assert {name.rstrip("0123456789") for name in nodes} >= {"argument", "outside", "constant", "step", "result"}
    assert any("float32[3]" in e[2] for e in edges)


def test_changes_show_their_order():
    def f(x):
        before = x * 2
        x += 1
        return before, x * 3
    nodes, edges, record = check(torch_np.compile(f, fullgraph=True).lower(np.ones(4)))
    assert ("step0", "step1", "dashed") in edges
    assert nodes["result0"][0] == "argument 0, changed"


def test_what_is_fused_is_framed():
    def f(x, y):
        return (x + y) * x - y, x.sum()
    lowered = torch_np.compile(f, fullgraph=True).lower(np.ones(100_000), np.ones(100_000))
    nodes, _, record = check(lowered)
    assert sorted(shown for shown, _, cluster in nodes.values() if cluster == 0) == ["add", "mul", "sub"]
    assert [s.group for s in record.steps if s.op == "sum"] == [-1]


def test_texts_are_quoted():
    def odd_name(x):
        return x + 1
    odd_name.__qualname__ = 'a "name" \\ of\nlines'
    text = torch_np.compile(odd_name).lower(np.ones(2)).dot()
    assert text.splitlines()[0] == 'digraph "a \\"name\\" \\\\ of\\nlines" {'


def test_svg_needs_graphviz(monkeypatch, tmp_path):
    lowered = torch_np.compile(lambda x: x + 1).lower(np.ones(2))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"svg\(\): Graphviz is not installed"):
        lowered.svg()
    assert lowered._repr_svg_() is None
    program = tmp_path / "dot"  # a stub that shows its arguments
    program.write_text('#!/bin/sh\nread -r first\necho "<svg>$1 $first</svg>"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert lowered.svg().startswith("<svg>-Tsvg digraph ") and lowered._repr_svg_() == lowered.svg()
    program.write_text("#!/bin/sh\necho 'no such layout' >&2\nexit 1\n")
    with pytest.raises(RuntimeError, match=r"svg\(\): Graphviz failed: no such layout"):
        lowered.svg()


@pytest.mark.skipif(not shutil.which("dot"), reason="there is no Graphviz")
def test_graphviz_draws_it():
    def f(x, y):
        return (x + y) * x - y, x.sum()
    assert "<svg" in torch_np.compile(f).lower(np.ones(100_000), np.ones(100_000)).svg()


# ------------------------------------------------------------------------------------------------------ explain()

def reasons(function, *args):
    """{operator: its reason in explain()}"""
    text = torch_np.compiler.explain(torch_np.compile(function, fullgraph=True), *args)
    head, *lines = text.partition("  guards:\n")[0].splitlines()
    found = {}
    for line in lines:
        step, _, reason = line.strip().rpartition("): ")
        found[step.partition("(")[0]] = reason
    return head, found


def test_why_steps_are_not_fused():
    big, small = np.ones((400, 400)), np.ones((20, 20))
    head, found = reasons(lambda x, y: ((x + y) * x).sum() + np.sqrt(y)[0, 0], big, big)
    # One group computes the elements that the reduction adds, the other one the two numbers.
    assert head == "record 0: 6 steps, 6 of them fused in 2 groups"
    assert found["mul"] == found["sqrt"] == "fused 0" and found["copy"] == found["add"] == "fused 1"
    assert found["sum"] == "fused 0"
    assert reasons(lambda x: x.sum(), big)[1]["sum"] == "not fused: a reduction"
    assert reasons(lambda x: np.exp(x) * x, small)[1] == {"exp": "fused 0", "mul": "fused 0"}
    assert reasons(lambda x: np.exp(x), small)[1]["exp"] == "not fused: no neighbouring step to fuse with"
    assert reasons(lambda x: x.T + x, big)[1]["add"] == "not fused: a transposed operand"
    assert reasons(lambda x: x @ x, big)[1]["matmul"] == "not fused: not a pointwise operator"
    assert reasons(lambda x: np.exp(x), big)[1]["exp"] == "not fused: no neighbouring step to fuse with"
    assert reasons(lambda x: np.add(x, 1, where=x > 0, out=np.zeros_like(x)), big)[1]["add"] == "not fused: where="
    assert reasons(lambda x: np.add(x, 1, out=x), big)[1]["add"] == "not fused: no neighbouring step to fuse with"
    assert reasons(lambda x: np.exp(np.add(x, 1, out=x)), big)[1] == {"add": "fused 0", "exp": "fused 0"}
    assert reasons(lambda x: np.exp(x), np.ones((0, 3)))[1]["exp"] == "not fused: no elements"
    half = torch_np.ones(10, dtype=torch_np.float16)
    assert reasons(lambda x: torch_np.exp(x), half)[1]["exp"] == "not fused: elements of float16"
    assert reasons(lambda x: np.random.standard_normal(3) + x, np.ones(3))[1]["random_draw"] == "not fused: a random draw"
    assert reasons(lambda x: np.frexp(x), big)[1]["frexp"] == "not fused: two results"

    def looks(x):
        return x if x.sum() > 0 else -x
    assert reasons(looks, small)[1]["look"] == "not fused: Python reads the value"


@pytest.mark.usefixtures("unverified")
def test_what_is_said_of_fused_steps_is_what_happens():
    def f(x, y):
        return ((x + y) * x - y).sum(), np.exp(x) * y
    compiled = torch_np.compile(f, fullgraph=True)
    x = np.ones(100_000)
    fused = sum(s.group >= 0 for s in compiled.lower(x, x).details[0].steps)
    before = torch_np.fusion.statistics()
    compiled(x, x)
    # the reduction is fused, but is not a step of the program
    assert torch_np.fusion.statistics()["steps"] - before["steps"] == fused - 1 == 5


def test_what_runs_as_it_is_says_why():
    assert "memory is exported" in torch_np.compiler.explain(torch_np.compile(lambda x: memoryview(x * 2)), np.ones(2))
    with pytest.raises(TypeError, match="must be made by torch_np.compile"):
        torch_np.compiler.explain(len)
