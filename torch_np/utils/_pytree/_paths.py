"""Leaves of trees with their paths: the keys that lead from the root to a leaf."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch_np.utils._pytree._maps import tree_flatten
from torch_np.utils._pytree._nodes import SUPPORTED_NODES, KeyPath, _get_node_type
from torch_np.utils._pytree._spec import IsLeaf, TreeSpec, _is_leaf


def _with_paths(path: KeyPath, tree: Any, is_leaf: IsLeaf) -> Iterator[tuple[KeyPath, Any]]:
    if _is_leaf(tree, is_leaf):
        yield path, tree
        return
    with_keys = SUPPORTED_NODES[_get_node_type(tree)].flatten_with_keys_fn
    if with_keys is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {type(tree)}. Please pass a flatten_with_keys_fn argument to "
                         "register_pytree_node.")
    for key, child in with_keys(tree)[0]:
        yield from _with_paths((*path, key), child, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """Returns pairs of a path and the leaf that it leads to.

    Args:
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.

    Errors: ValueError for nodes of a class that was registered without `flatten_with_keys_fn`.
    """
    return list(_with_paths((), tree, is_leaf))


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Returns pairs of a path and a leaf, and the structure of the tree.

    Args:
      tree: The tree.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.

    Errors: ValueError for nodes of a class that was registered without `flatten_with_keys_fn`.
    """
    return tree_leaves_with_path(tree, is_leaf), tree_flatten(tree, is_leaf)[1]


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Returns the tree of the results of a function of a path and of the leaves there.

    Args:
      func: Function of the path, and of a leaf of each tree.
      tree: The tree whose structure the result has.
      rests: Further trees that have at least its nodes.
      is_leaf: Function of a part of the tree that returns whether it counts as a leaf.

    Errors: ValueError if the structure of another tree differs, and for nodes of a class that was
    registered without `flatten_with_keys_fn`.
    """
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(r) for r in rests]
    return spec.unflatten(func(*values) for values in zip(*zip(*pairs), *others)) if pairs else spec.unflatten(())


def keystr(kp: KeyPath) -> str:
    """Returns a path as the Python text that follows the name of a tree, such as "['a'][0].x".

    Args:
      kp: The path.
    """
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """Returns the part of a tree that a path leads to.

    Args:
      obj: The tree.
      kp: The path.
    """
    for key in kp:
        obj = key.get(obj)
    return obj
