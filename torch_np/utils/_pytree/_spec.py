"""TreeSpec: the structure of a tree, without its leaves."""
from __future__ import annotations

import warnings
from collections import defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from torch_np.utils._pytree._nodes import STANDARD_DICT_TYPES, SUPPORTED_NODES, _get_node_type

IsLeaf = Callable[[Any], bool] | None


class TreeSpec:
    """The structure of a tree: the class and the context of each node, and the positions of its
    leaves.

    Args:
      type: Class of the root node; None for a leaf.
      context: What `unflatten_fn` of the class needs besides the children, such as the keys of a
        dictionary.
      children_specs: Structures of the children.
    """

    __slots__ = ("_children", "_context", "num_children", "num_leaves", "num_nodes", "type")

    def __init__(self, type: Any, context: Any, children_specs: Iterable[TreeSpec]) -> None:
        self.type, self._context, self._children = type, context, list(children_specs)
        self.num_nodes: int = 1 + sum(c.num_nodes for c in self._children)
        self.num_children = len(self._children)
        self.num_leaves: int = 1 if type is None else sum(c.num_leaves for c in self._children)

    @property
    def context(self) -> Any:
        """The context of the root node."""
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        """The structures of the children."""
        return self._children

    def is_leaf(self) -> bool:
        """Whether the tree is a single leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """Returns the structures of the children, in a new list."""
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        """Returns the structure of one child."""
        return self._children[index]

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Returns the parts of `tree` at the leaves of this structure.

        Args:
          tree: A tree that has at least the nodes of this structure. Dictionaries may have their
            keys in another order, and be of another class of dictionaries.

        Errors: ValueError if a node is of another class, or has other keys or another number of
        children.
        """
        found: list[Any] = []
        self._collect(tree, found)
        return found

    def _collect(self, tree: Any, into: list[Any]) -> None:
        if self.type is None:
            into.append(tree)
            return
        kind = _get_node_type(tree)
        if self.type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES:
            keys = self._keys()
            if set(keys) != set(tree):
                missing, extra = set(keys) - set(tree), set(tree) - set(keys)
                parts = [f"; missing key(s): {missing}" if missing else "", f"; extra key(s): {extra}" if extra else ""]
                raise ValueError(f"Node keys mismatch{''.join(parts)}.")
            children = [tree[key] for key in keys]
        else:
            if kind is not self.type:
                raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {kind!r}.")
            children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
            if len(children) != self.num_children:
                raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
            if context != self._context and kind is not deque:
                if kind is namedtuple:
                    raise ValueError(f"Node type mismatch; expected {self._context!r}, but got {context!r}.")
                raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        for spec, child in zip(self._children, children, strict=True):
            spec._collect(child, into)

    def _keys(self) -> list[Any]:
        keys: list[Any] = self._context[1] if self.type is defaultdict else self._context
        return keys

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Returns the tree of this structure with the given leaves.

        Args:
          leaves: The leaves, from left to right.

        Errors: ValueError for another number of leaves.
        """
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
                             f"{self.num_leaves} items ({self}).")
        return self._built(iter(leaves))

    def _built(self, leaves: Any) -> Any:
        if self.type is None:
            return next(leaves)
        return SUPPORTED_NODES[self.type].unflatten_fn([c._built(leaves) for c in self._children], self._context)

    def _text(self, indent: int) -> str:
        if self.type is None:
            return "*"
        indent += 2
        children = f",\n{' ' * indent}".join(c._text(indent) for c in self._children)
        return f"TreeSpec({self.type.__name__}, {self._context}, [{children}])"

    def __repr__(self) -> str:
        return self._text(0)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type is other.type and self.num_children == other.num_children and self._context == other._context
                and self._children == other._children)

    def __hash__(self) -> int:
        context: Any = self._context
        if self.type in STANDARD_DICT_TYPES:
            context = tuple(self._keys())
        return hash((self.type, tuple(context) if isinstance(context, list) else context, tuple(self._children)))


LEAF = TreeSpec(None, None, [])


class _LeafSpecType(type):
    """Makes `isinstance(spec, LeafSpec)` ask whether the structure is a leaf."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafSpecType):
    """The structure of a single leaf. PyTorch deprecates the name: `spec.is_leaf()` tells a leaf.
    """

    __slots__ = ()

    def __new__(cls) -> TreeSpec:  # type: ignore[misc]
        warnings.warn("`isinstance(treespec, LeafSpec)` is deprecated, use `isinstance(treespec, TreeSpec) and treespec.is_leaf()` instead.",
                      FutureWarning, stacklevel=2)
        return LEAF


def _is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    return is_leaf is not None and bool(is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


def flatten_into(tree: Any, leaves: list[Any], is_leaf: IsLeaf) -> TreeSpec:
    """Appends the leaves of a tree to a list, and returns the structure."""
    kind = type(tree)
    if is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return LEAF
    node = SUPPORTED_NODES.get(kind)
    if node is None:
        node = SUPPORTED_NODES.get(_get_node_type(tree))
        if node is None:
            leaves.append(tree)
            return LEAF
    children, context = node.flatten_fn(tree)
    return TreeSpec(node.type, context, [flatten_into(child, leaves, is_leaf) for child in children])
