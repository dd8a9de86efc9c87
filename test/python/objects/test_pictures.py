"""Displays in notebooks: arrays as tables, and the graph behind a result."""
from __future__ import annotations

import shutil

import numpy
import pytest

import torch_np
import torch_np.numpy as np

needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def network():
    w, b = torch_np.ones(3, 2, requires_grad=True), torch_np.zeros(2, requires_grad=True)
    return w, b, ((torch_np.ones(4, 3) @ w + b).relu() ** 2).sum()


def test_the_graph_has_operators_and_leaves():
    w, b, loss = network()
    graph = torch_np.autograd.graph(loss, {"w": w})
    assert [node.name() for node in graph.nodes][0] == "SumBackward0"
    assert repr(graph) == f"<Graph of {len(graph.nodes) - 2} operators and 2 leaves>"
    lines = str(graph).splitlines()
    assert lines[0] == "%0: float32[] = SumBackward0(%1)" and len(lines) == len(graph.nodes)
    leaves = [line.partition(": ")[2] for line in lines if "leaf" in line]
    assert sorted(leaves) == ["leaf float32[2]", "leaf w float32[3, 2]"]
    text = graph.dot()
    assert text.count("shape=ellipse, label") == 2 and 'label="w\\nfloat32[3, 2]"' in text
    assert text.count(" -> ") == sum(source is not None for node in graph.nodes for source, _ in node.next_functions) + 1


def test_each_node_comes_after_all_that_read_it():
    x = torch_np.ones(2, requires_grad=True)
    y = x * 2
    for _ in range(50):
        y = y * y + x
    graph = torch_np.autograd.graph(y)
    places = {node: i for i, node in enumerate(graph.nodes)}
    assert len(places) == len(graph.nodes) == 1 + 1 + 100
    assert all(places[source] > places[node] for node in graph.nodes for source, _ in node.next_functions if source is not None)


def test_long_tapes():
    x = torch_np.ones(1, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + 1
    assert len(torch_np.autograd.graph(y).nodes) == 20_001


def test_of_either_face_and_of_several_results():
    x = np.ones(4)
    x._requires_grad_()
    q, r = np.linalg.qr(x.reshape(2, 2) + np.eye(2))
    text = str(torch_np.autograd.graph(q.sum() + r.sum()))
    assert "float64[2, 2]" in text and "leaf float64[4]" in text


def test_what_has_no_graph():
    with pytest.raises(ValueError, match="graph\\(\\): result has no graph"):
        torch_np.autograd.graph(torch_np.ones(2))
    with pytest.raises(TypeError, match="must be a Tensor or an ndarray, not list"):
        torch_np.autograd.graph([1])


@needs_graphviz
def test_pictures_are_drawn():
    graph = torch_np.autograd.graph(network()[2])
    assert graph.svg().lstrip().startswith("<?xml") and graph._repr_svg_() == graph.svg()


def test_nodes_know_their_leaf_and_what_arrives():
    w, _, loss = network()
    leaf = next(n for n in torch_np.autograd.graph(loss).nodes if n.name() == "torch::autograd::AccumulateGrad" and n.variable is w)
    assert leaf._input_metadata == (((3, 2), torch_np.float32, torch_np.device("cpu")),)
    with pytest.raises(AttributeError, match="variable"):
        loss.grad_fn.variable


@pytest.mark.parametrize("array, head, cells", [
    (np.array([[1, 2], [3, 4]]), "ndarray, shape (2, 2), int64", ["1", "2", "3", "4"]),
    (np.array([0.1, numpy.nan, -numpy.inf]), "ndarray, shape (3,), float64", ["0.1", "nan", "-inf"]),
    (np.array(True), "ndarray, shape (), bool", ["True"]),
    (np.array([1 + 2j]), "ndarray, shape (1,), complex128", ["1+2j"]),
    (torch_np.tensor([1.5, 2.25]), "Tensor, shape (2,), float32", ["1.5", "2.25"]),
    (torch_np.ones(2, 0), "Tensor, shape (2, 0), float32", []),
])
def test_small_arrays_are_tables(array, head, cells):
    text = array._repr_html_()
    assert f"<code>{head}</code>" in text
    assert [part.partition("</td>")[0] for part in text.split("<td>")[1:]] == cells


def test_the_middle_of_large_ones_is_left_out():
    text = np.arange(10_000).reshape(100, 100)._repr_html_()
    assert text.count("<tr>") == 13 and text.count("<td>") == 13 * 13 and "9999" in text and "⋮" in text and "…" in text


def test_more_axes_are_text_and_gradients_are_told():
    assert "<pre>array([[[1., 1.]]])</pre>" in np.ones((1, 1, 2))._repr_html_()
    w, _, loss = network()
    assert "requires_grad" in w._repr_html_() and "grad_fn SumBackward0" in loss._repr_html_()
    assert "<pre>" in torch_np.ones(3, device="meta")._repr_html_()
