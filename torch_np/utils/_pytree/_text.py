"""Structures of trees as JSON and as readable text."""
from __future__ import annotations

import json
from collections import namedtuple
from typing import Any

from torch_np.utils._pytree._nodes import Serialization, serializations, types_by_name
from torch_np.utils._pytree._spec import LEAF, TreeSpec

_PROTOCOL = 1


class _Asterisk:
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """Returns the structure as the text of a tree, with * for each leaf.

    Args:
      treespec: The structure.
    """
    return repr(treespec.unflatten([_Asterisk()] * treespec.num_leaves))


def _as_json(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    kind, context = spec.type, spec.context
    if kind is namedtuple:
        known = serializations.get(context)
        if known is None:
            raise NotImplementedError(f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a "
                                      "serialized_type_name. Please register using `_register_namedtuple`.")
        context = known.type_name
    known = serializations.get(kind, Serialization(None, None, None))
    if known.type_name is None:
        raise NotImplementedError(f"No registered serialization name for {kind} found. Please update your _register_pytree_node call with a "
                                  "`serialized_type_name` kwarg.")
    if known.to_dumpable is not None:
        text = json.dumps(known.to_dumpable(context))
    else:
        try:
            text = json.dumps(context)
        except TypeError as error:
            raise TypeError("Unable to serialize context. Please make the context json dump-able, or register a custom serializer using "
                            "_register_pytree_node.") from error
    return {"type": known.type_name, "context": text, "children_spec": [_as_json(c) for c in spec.children_specs]}


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """Returns the structure as JSON, in PyTorch's format.

    Args:
      treespec: The structure.
      protocol: Version of the format: 1, or None for the newest.

    Errors: TypeError unless `treespec` is a TreeSpec, and for a context that JSON cannot hold;
    NotImplementedError for classes that were registered without `serialized_type_name`; ValueError
    for another protocol.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"treespec_dumps(treespec, protocol): Expected `treespec` to be instance of TreeSpec but got item of type "
                        f"{type(treespec)}.")
    if protocol not in (None, _PROTOCOL):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]")
    return json.dumps([_PROTOCOL, _as_json(treespec)])


def _of_json(found: dict[str, Any]) -> TreeSpec:
    if found["type"] is None and found["context"] is None and not found["children_spec"]:
        return LEAF
    kind = types_by_name.get(found["type"])
    if kind is None:
        raise NotImplementedError(f"Deserializing {found['type']} in pytree is not registered.")
    known = serializations[kind]
    context = json.loads(found["context"])
    if kind is namedtuple:
        context = types_by_name[context]
    elif known.from_dumpable is not None:
        context = known.from_dumpable(context)
    return TreeSpec(kind, context, [_of_json(c) for c in found["children_spec"]])


def treespec_loads(serialized: str) -> TreeSpec:
    """Returns the structure that `treespec_dumps` wrote, here or in PyTorch.

    Args:
      serialized: The JSON text.

    Errors: NotImplementedError for another version of the format, and for classes that are not
    registered here.
    """
    protocol, found = json.loads(serialized)
    if protocol != _PROTOCOL:
        raise NotImplementedError(f"Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]")
    return _of_json(found)
