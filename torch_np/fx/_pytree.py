"""torch_np.fx._pytree: flattens nested containers by a structure that is known."""
from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from torch_np.utils._pytree import TreeSpec, tree_flatten

FlattenFuncSpec = Callable[[Any, TreeSpec], list[Any]]
FlattenFuncExactMatchSpec = Callable[[Any, TreeSpec], bool]
SUPPORTED_NODES: dict[Any, FlattenFuncSpec] = {}
SUPPORTED_NODES_EXACT_MATCH: dict[Any, FlattenFuncExactMatchSpec | None] = {}


def register_pytree_flatten_spec(cls: Any, flatten_fn_spec: FlattenFuncSpec, flatten_fn_exact_match_spec: FlattenFuncExactMatchSpec | None = None) -> None:
    """Registers a class of containers.

    Args:
      cls: The class.
      flatten_fn_spec: Returns the children of a container with a structure.
      flatten_fn_exact_match_spec: Whether a container has just the children of a structure.
    """
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def _deregister_pytree_flatten_spec(cls: Any) -> None:
    del SUPPORTED_NODES[cls], SUPPORTED_NODES_EXACT_MATCH[cls]


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """Returns the leaves of nested containers in the order of a structure.

    Args:
      pytree: The containers.
      spec: The structure; keys of a dictionary that it lacks are skipped.

    Errors: RuntimeError if containers of another class have another structure.
    """
    if spec.is_leaf():
        return [pytree]
    if spec.type in SUPPORTED_NODES:
        children = SUPPORTED_NODES[spec.type](pytree, spec)
        return [leaf for child, its in zip(children, spec.children()) for leaf in tree_flatten_spec(child, its)]
    leaves, found = tree_flatten(pytree)
    if spec != found:
        raise RuntimeError(f"Real spec {found} of object {pytree} is different from expected spec {spec}.")
    return leaves


def _items(items: Any, spec: TreeSpec) -> list[Any]:
    return [items[i] for i in range(spec.num_children)]


def _has_all(container: Any, spec: TreeSpec) -> bool:
    return len(container) == spec.num_children


register_pytree_flatten_spec(dict, lambda d, spec: [d[key] for key in spec.context], _has_all)
for _kind in (list, tuple, namedtuple):
    register_pytree_flatten_spec(_kind, _items, _has_all)
