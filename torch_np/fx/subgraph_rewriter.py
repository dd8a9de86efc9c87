"""Replacement of patterns in graphs."""
from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch_np.fx._symbolic_trace import symbolic_trace
from torch_np.fx.graph import Graph
from torch_np.fx.graph_module import GraphModule
from torch_np.fx.node import Node, map_arg

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """A place where a pattern was found: the last node, and the node for each node of the pattern."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A replaced pattern: its last node, the node for each node of the pattern, and the new nodes."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node] = field(default_factory=list)


class _Matcher:
    """Finds places where the nodes of a pattern's graph appear in a graph.

    Placeholders of the pattern stand for any value. Other values in the place may be used outside of it
    only if they are results of the pattern.
    """

    def __init__(self, pattern: Graph) -> None:
        self.pattern = pattern
        self.results: list[Node] = []
        map_arg(pattern.output_node().args, lambda n: self.results.append(n) or n)  # type: ignore[func-returns-value]
        if not self.results:
            raise NotImplementedError("replace_pattern(): a pattern without a result is not implemented")

    def match(self, graph: Graph) -> list[dict[Node, Node]]:
        anchor = self.results[0]
        if anchor.op == "placeholder":
            raise NotImplementedError("replace_pattern(): a pattern that returns an argument is not implemented")
        found: list[dict[Node, Node]] = []
        taken: set[Node] = set()
        for node in graph.nodes:
            for mapping in self._at(graph, anchor, node):
                inner = {n for p, n in mapping.items() if p.op not in ("placeholder", "output")}
                if not inner & taken and self._is_closed(mapping, inner):
                    taken |= inner
                    found.append(mapping)
                    break
        return found

    def _at(self, graph: Graph, anchor: Node, node: Node) -> list[dict[Node, Node]]:
        mappings: list[dict[Node, Node]] = []
        first: dict[Node, Node] = {}
        if self._same(anchor, node, first):
            mappings = [first]
        for other in self.results[1:]:
            extended = []
            for mapping in mappings:
                if other in mapping:
                    extended.append(mapping)
                    continue
                for candidate in graph.nodes:
                    trial = dict(mapping)
                    if self._same(other, candidate, trial):
                        extended.append(trial)
            mappings = extended
        return mappings

    def _same(self, p: Node, n: Any, mapping: dict[Node, Node]) -> bool:
        if not isinstance(n, Node):
            return False
        if p in mapping:
            return mapping[p] is n
        if p.op == "placeholder":
            mapping[p] = n
            return True
        if n in mapping.values() or not self._same_operation(p, n):
            return False
        mapping[p] = n
        return self._same_argument(p.args, n.args, mapping) and self._same_argument(p.kwargs, n.kwargs, mapping)

    @staticmethod
    def _same_operation(p: Node, n: Node) -> bool:
        if p.op != n.op:
            return False
        if p.op == "call_module":
            own, other = p.graph.owning_module, n.graph.owning_module
            if own is not None and other is not None:
                return type(own.get_submodule(str(p.target))) is type(other.get_submodule(str(n.target)))
        if p.op == "get_attr":
            return str(p.target).rpartition(".")[2] == str(n.target).rpartition(".")[2]
        return bool(p.target == n.target)

    def _same_argument(self, a: Any, b: Any, mapping: dict[Node, Node]) -> bool:
        if isinstance(a, Node):
            return self._same(a, b, mapping)
        if isinstance(b, Node):
            return False
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all(self._same_argument(x, y, mapping) for x, y in zip(a, b))
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(self._same_argument(a[key], b[key], mapping) for key in a)
        if isinstance(a, slice) and isinstance(b, slice):
            return self._same_argument((a.start, a.stop, a.step), (b.start, b.stop, b.step), mapping)
        return type(a) is type(b) and bool(a == b)

    def _is_closed(self, mapping: dict[Node, Node], inner: set[Node]) -> bool:
        results = {mapping[p] for p in self.results}
        return all(n in results or all(user in inner for user in n.users) for n in inner)


def _graph_of(pattern: Callable[..., Any] | Graph | GraphModule) -> Graph:
    if isinstance(pattern, Graph):
        return pattern
    return pattern.graph if isinstance(pattern, GraphModule) else symbolic_trace(pattern).graph


def _take_attributes(gm: GraphModule, replacement: Any) -> None:
    """Gives the module the submodules and parameters that the replacement names."""
    gm.delete_all_unused_submodules()
    if not isinstance(replacement, GraphModule):
        return
    for node in replacement.graph.nodes:
        if node.op in ("call_module", "get_attr"):
            found: Any = gm
            for part in str(node.target).split("."):
                found = getattr(found, part, None)
            if found is None:
                value: Any = replacement
                for part in str(node.target).split("."):
                    value = getattr(value, part)
                value = copy.deepcopy(value)
                if node.op == "call_module":
                    gm.add_submodule(str(node.target), value)
                else:
                    setattr(gm, str(node.target), value)


def replace_pattern(gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule) -> list[Match]:
    """Replaces each place of a graph that computes the same as `pattern`, without overlap, and returns the
    places.

    Args:
      gm: Module whose graph changes.
      pattern: Function or module whose graph is looked for. Its arguments stand for any value.
      replacement: Function or module with the same number of arguments and results.

    Errors: TraceError for control flow in the functions that depends on arguments.
    """
    return [Match(m.anchor, m.nodes_map) for m in replace_pattern_with_filters(gm, pattern, replacement)]


def replace_pattern_with_filters(
        gm: GraphModule, pattern: Callable[..., Any] | Graph | GraphModule,
        replacement: Callable[..., Any] | Graph | GraphModule | None = None,
        match_filters: list[Callable[[Any, Graph, Graph], bool]] | None = None, ignore_literals: bool = False,
        replacement_callback: Callable[[Any, Graph, Graph], Graph] | None = None) -> list[ReplacedPatterns]:
    """Replaces each place of a graph that computes the same as `pattern` and that all filters accept; see
    `replace_pattern`.

    Args:
      gm: Module whose graph changes.
      pattern: Function, graph or module to look for.
      replacement: Function, graph or module in its place.
      match_filters: Functions of a Match, the graph and the pattern's graph that return whether to
        replace.
      ignore_literals: Must be False.
      replacement_callback: Function of a Match, the graph and the pattern's graph that returns the
        replacement.

    Errors: NotImplementedError if `ignore_literals`.
    """
    if ignore_literals:
        raise NotImplementedError("replace_pattern_with_filters(): ignore_literals=True is not implemented; use a filter")
    graph, sought = gm.graph, _graph_of(pattern)
    if replacement_callback is None and replacement is None:
        raise AssertionError("Must provide either replacement or replacement_callback")
    places = [(mapping, Match(mapping[_Matcher(sought).results[0]], mapping)) for mapping in _Matcher(sought).match(graph)]
    replaced: list[ReplacedPatterns] = []
    renamed: dict[Node, Node] = {}
    for mapping, place in places:
        if not all(accept(place, graph, sought) for accept in match_filters or ()):
            continue
        new = replacement_callback(place, graph, sought) if replacement_callback else _graph_of(replacement)  # type: ignore[arg-type]
        replaced.append(_replace(graph, sought, new, {p: renamed.get(n, n) for p, n in mapping.items()}, renamed))
    gm.recompile()
    _take_attributes(gm, replacement)
    return replaced


def _replace(graph: Graph, sought: Graph, new: Graph, mapping: dict[Node, Node], renamed: dict[Node, Node]) -> ReplacedPatterns:
    arguments = [n for n in sought.nodes if n.op == "placeholder"]
    given = [n for n in new.nodes if n.op == "placeholder"]
    if len(arguments) != len(given):
        raise RuntimeError(f"replace_pattern(): the pattern has {len(arguments)} arguments, and the replacement {len(given)}")
    results: list[Node] = []
    map_arg(sought.output_node().args, lambda n: results.append(n) or n)  # type: ignore[func-returns-value]
    inner = {mapping[p] for p in mapping if p.op not in ("placeholder", "output")}
    copies = {r: mapping[p] for p, r in zip(arguments, given) if p in mapping}
    old_results = [mapping[p] for p in results]
    users = {user for n in old_results for user in n.users if user not in inner}
    order = {n: i for i, n in enumerate(graph.nodes)}
    before = min(users, key=order.__getitem__) if users else graph.output_node()
    with graph.inserting_before(before):
        made = graph.graph_copy(new, copies)
    made_results: list[Node] = []
    map_arg(made, lambda n: made_results.append(n) or n)  # type: ignore[func-returns-value]
    if len(made_results) != len(old_results):
        raise RuntimeError(f"replace_pattern(): the pattern has {len(old_results)} results, and the replacement {len(made_results)}")
    for old, fresh in zip(old_results, made_results):
        old.replace_all_uses_with(fresh)
        renamed[old] = fresh
    for n in reversed(list(graph.nodes)):
        if n in inner and not n.users:
            graph.erase_node(n)
    added = [copies[r] for r in new.nodes if r in copies and r.op != "placeholder"]
    return ReplacedPatterns(mapping[results[0]], mapping, added)
