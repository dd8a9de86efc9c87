"""torch_np.utils._pytree: nested containers as trees, with PyTorch's names.

Lists, tuples, named tuples, dictionaries and deques are nodes; `register_pytree_node` adds other
classes. All other objects, None among them, are leaves.
"""
from torch_np.utils._pytree._maps import (
    _broadcast_to_and_flatten as _broadcast_to_and_flatten, arg_tree_leaves, tree_all, tree_all_only, tree_any, tree_any_only, tree_flatten,
    tree_is_leaf, tree_iter, tree_leaves, tree_map, tree_map_, tree_map_only, tree_map_only_, tree_structure, tree_unflatten,
)
from torch_np.utils._pytree._nodes import (
    BUILTIN_TYPES as BUILTIN_TYPES, STANDARD_DICT_TYPES as STANDARD_DICT_TYPES, SUPPORTED_NODES as SUPPORTED_NODES,
    _deregister_pytree_node as _deregister_pytree_node, _get_node_type as _get_node_type, _register_namedtuple as _register_namedtuple,
    _register_pytree_node as _register_pytree_node, GetAttrKey, KeyEntry, KeyPath, MappingKey, NodeDef, SequenceKey, is_namedtuple,
    is_namedtuple_instance as _is_namedtuple_instance,  # noqa: F401
    is_namedtuple_class, is_namedtuple_instance, is_structseq, is_structseq_class, is_structseq_instance, register_pytree_node,
)
from torch_np.utils._pytree._paths import (
    key_get, keystr, tree_flatten_with_path, tree_leaves_with_path, tree_map_with_path,
)
from torch_np.utils._pytree._spec import LeafSpec, TreeSpec, _is_leaf as _is_leaf
from torch_np.utils._pytree._text import treespec_dumps, treespec_loads, treespec_pprint
from torch_np.utils._pytree._types import (
    Context, DumpableContext, FlattenFn, FlattenFunc, FlattenWithKeysFunc, FromDumpableContextFn, PyTree, ToDumpableContextFn, UnflattenFn,
    UnflattenFunc,
)

PyTreeSpec = TreeSpec

# The names of PyTorch's functions for dictionaries, lists and tuples.
_dict_flatten, _dict_unflatten, _dict_flatten_with_keys = (
    SUPPORTED_NODES[dict].flatten_fn, SUPPORTED_NODES[dict].unflatten_fn, SUPPORTED_NODES[dict].flatten_with_keys_fn)
_list_flatten, _list_unflatten, _list_flatten_with_keys = (
    SUPPORTED_NODES[list].flatten_fn, SUPPORTED_NODES[list].unflatten_fn, SUPPORTED_NODES[list].flatten_with_keys_fn)
_tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys = (
    SUPPORTED_NODES[tuple].flatten_fn, SUPPORTED_NODES[tuple].unflatten_fn, SUPPORTED_NODES[tuple].flatten_with_keys_fn)

__all__ = [
    "Context", "DumpableContext", "FlattenFn", "FlattenFunc", "FlattenWithKeysFunc", "FromDumpableContextFn", "GetAttrKey", "KeyEntry", "KeyPath",
    "LeafSpec", "MappingKey", "NodeDef", "PyTree", "PyTreeSpec", "SequenceKey", "ToDumpableContextFn", "TreeSpec", "UnflattenFn",
    "UnflattenFunc", "arg_tree_leaves", "is_namedtuple", "is_namedtuple_class", "is_namedtuple_instance", "is_structseq",
    "is_structseq_class", "is_structseq_instance", "key_get", "keystr", "register_pytree_node", "tree_all", "tree_all_only", "tree_any",
    "tree_any_only", "tree_flatten", "tree_flatten_with_path", "tree_is_leaf", "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_map",
    "tree_map_", "tree_map_only", "tree_map_only_", "tree_map_with_path", "tree_structure", "tree_unflatten", "treespec_dumps",
    "treespec_loads", "treespec_pprint",
]
