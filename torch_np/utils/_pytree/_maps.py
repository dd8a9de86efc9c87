"""Functions over the leaves of trees."""
from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch_np.utils._pytree._nodes import SUPPORTED_NODES, _get_node_type
from torch_np.utils._pytree._spec import IsLeaf, TreeSpec, _is_leaf, flatten_into


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Returns the leaves of a tree, and its structure.

    Args:
      tree: Any object; one that is no node is a tree with a single leaf.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    leaves: list[Any] = []
    spec = flatten_into(tree, leaves, is_leaf)
    return leaves, spec


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Returns the tree with the given leaves and structure.

    Args:
      leaves: The leaves, from left to right.
      treespec: The structure.

    Errors: TypeError unless `treespec` is a TreeSpec; ValueError for another number of leaves.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"tree_unflatten(): treespec must be a TreeSpec, not {type(treespec).__name__}")
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """Iterates over the leaves of a tree.

    Args:
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    if _is_leaf(tree, is_leaf):
        yield tree
    else:
        for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
            yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Returns the leaves of a tree.

    Args:
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    return list(tree_iter(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """Returns the structure of a tree.

    Args:
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    return tree_flatten(tree, is_leaf)[1]


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a tree is a single leaf.

    Args:
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    return _is_leaf(tree, is_leaf)


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Returns the tree of the results of a function of the leaves.

    Args:
      func: Function of a leaf of each tree.
      tree: The tree whose structure the result has.
      rests: Further trees that have at least its nodes.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.

    Errors: ValueError if the structure of another tree differs.
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *(spec.flatten_up_to(r) for r in rests)))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Calls a function with each leaf, drops its results, and returns the tree itself.

    Args:
      func: Function of a leaf of each tree.
      tree: The tree.
      rests: Further trees that have at least its nodes.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.

    Errors: ValueError if the structure of another tree differs.
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    for values in zip(leaves, *(spec.flatten_up_to(r) for r in rests), strict=True):
        func(*values)
    return tree


def _test(types_or_predicate: Any) -> Callable[[Any], bool]:
    if isinstance(types_or_predicate, (type, tuple, types.UnionType)):
        return lambda leaf: isinstance(leaf, types_or_predicate)
    if callable(types_or_predicate):
        return types_or_predicate
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def tree_map_only(type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Returns the tree with the results of a function in place of some of its leaves.

    Args:
      type_or_types_or_pred: Class, tuple or union of classes of these leaves, or a function that
        returns whether a leaf is one of them.
      func: Function of a leaf.
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.

    Errors: TypeError for a first argument of another kind.
    """
    chosen = _test(type_or_types_or_pred)
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Calls a function with some of the leaves, drops its results, and returns the tree itself.

    Args:
      type_or_types_or_pred: Class, tuple or union of classes of these leaves, or a function that
        returns whether a leaf is one of them.
      func: Function of a leaf.
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.

    Errors: TypeError for a first argument of another kind.
    """
    chosen = _test(type_or_types_or_pred)
    return tree_map_(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a predicate holds for all leaves.

    Args:
      pred: Function of a leaf.
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a predicate holds for any leaf.

    Args:
      pred: Function of a leaf.
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a predicate holds for all leaves of some classes.

    Args:
      type_or_types: The class, or a tuple or union of classes.
      pred: Function of a leaf.
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether a predicate holds for any leaf of some classes.

    Args:
      type_or_types: The class, or a tuple or union of classes.
      pred: Function of a leaf.
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.
    """
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """Returns the leaves of all arguments."""
    return [leaf for a in (*args, *kwargs.values()) for leaf in tree_iter(a)]


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """The leaves of a tree, each repeated for all leaves below it in `treespec`; None if a node
    differs.
    """
    if _is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    kind = _get_node_type(tree)
    if treespec.is_leaf() or kind is not treespec.type:
        return None
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec.children_specs, strict=True):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        found += part
    return found
