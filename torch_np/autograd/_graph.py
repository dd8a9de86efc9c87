"""Drawings of the autograd graph of a result."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from torch_np import _C
from torch_np._graphviz import Picture, quoted

Node = _C.Node


class _Arrow(NamedTuple):
    source: Node
    target: Node
    output: int  # index of the source's output that the target reads


class Graph(Picture):
    """The autograd graph of a result: the operators that computed it from leaves that require
    gradients.

    `nodes` starts with the result; each node comes after all nodes that read its output. Its text
    has a line for each node. `dot()` returns a drawing in Graphviz's language, and `svg()` an
    image, which notebooks show.

    Args:
      root: Node of the result.
      names: Names of leaves by the address of their memory.
    """

    def __init__(self, root: Node, names: Mapping[int, str]) -> None:
        self.nodes = _sorted(root)
        self._names = names
        self._numbers = {node: i for i, node in enumerate(self.nodes)}

    def _arrows(self) -> Iterator[_Arrow]:
        for node in self.nodes:
            for source, output in node.next_functions:
                if source is not None:
                    yield _Arrow(source, node, output)

    def _array(self, node: Node, output: int) -> str:
        metadata = node._input_metadata
        if output >= len(metadata):
            return ""
        shape, dtype, device = metadata[output]
        name = str(dtype).rpartition(".")[2]
        return f"{name}{list(shape)}" + ("" if device.type == "cpu" else f" {device}")

    def _label(self, node: Node) -> str:
        leaf = _leaf(node)
        if leaf is None:
            return node.name()
        name = self._names.get(leaf.data_ptr())
        return f"{name}\n{self._array(node, 0)}" if name else self._array(node, 0)

    def dot(self) -> str:
        """Returns the drawing in Graphviz's language. Boxes are operators, with the names of their
        nodes. Ovals are leaves, with dtype, shape and name. Arrows are arrays, from the node that
        computes them to the nodes that read them.
        """
        lines = ["digraph graph_of_a_result {", "rankdir=TB;", "node [fontname=monospace];", "edge [fontname=monospace];"]
        for i, node in enumerate(self.nodes):
            shape = "box" if _leaf(node) is None else "ellipse"
            lines.append(f"node{i} [shape={shape}, label={quoted(self._label(node))}];")
        lines.append("result [shape=ellipse, style=bold];")
        for source, target, output in self._arrows():
            lines.append(f"node{self._numbers[source]} -> node{self._numbers[target]} [label={quoted(self._array(source, output))}];")
        lines.append(f"node0 -> result [label={quoted(self._array(self.nodes[0], 0))}];")
        return "\n".join([*lines, "}"]) + "\n"

    def __str__(self) -> str:
        lines = []
        for i, node in enumerate(self.nodes):
            sources = ", ".join(f"%{self._numbers[source]}" for source, _ in node.next_functions if source is not None)
            label = self._label(node).replace("\n", " ")
            lines.append(f"%{i}: {self._array(node, 0)} = {node.name()}({sources})" if _leaf(node) is None else f"%{i}: leaf {label}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        leaves = sum(_leaf(node) is not None for node in self.nodes)
        return f"<Graph of {len(self.nodes) - leaves} operators and {leaves} leaves>"


def _leaf(node: Node) -> Any:
    return getattr(node, "variable", None)


def _sorted(root: Node) -> list[Node]:
    """Sorts the nodes so that each comes after those that read its outputs. It does not recurse, as
    graphs may be deep.
    """
    readers: dict[Node, int] = {root: 0}
    waiting = [root]
    while waiting:
        for source, _ in waiting.pop().next_functions:
            if source is None:
                continue
            if source not in readers:
                readers[source] = 0
                waiting.append(source)
            readers[source] += 1
    nodes, ready = [], [root]
    while ready:
        node = ready.pop()
        nodes.append(node)
        for source, _ in node.next_functions:
            if source is None:
                continue
            readers[source] -= 1
            if readers[source] == 0:
                ready.append(source)
    return nodes


def graph(result: Any, names: Mapping[str, Any] | None = None) -> Graph:
    """Returns the autograd graph of an array that requires a gradient, for `str()`, `dot()` and
    `svg()`.

    Args:
      result: Tensor or ndarray.
      names: Leaves by name, such as `dict(model.named_parameters())`; the drawing shows the names.

    Errors: TypeError unless `result` is a Tensor or ndarray, ValueError if `result` has no graph.
    """
    if not isinstance(result, (_C.Tensor, _C.ndarray)):
        raise TypeError(f"graph(): result must be a Tensor or an ndarray, not {type(result).__name__}")
    tensor = result if isinstance(result, _C.Tensor) else result._torch()
    if tensor.grad_fn is None:
        raise ValueError("graph(): result has no graph: no operator has made it of arrays that require gradients")
    by_address = {(array if isinstance(array, _C.Tensor) else array._torch()).data_ptr(): name for name, array in (names or {}).items()}
    return Graph(tensor.grad_fn, by_address)
