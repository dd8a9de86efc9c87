"""The registry of classes whose instances are nodes of trees, and the keys of their children."""
from __future__ import annotations

import functools
import importlib
import threading
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from torch_np import _C


class KeyEntry:
    """Base class of the steps of a path: from a node to one of its children."""

    def get(self, parent: Any) -> Any:
        """Returns the child of `parent`. Errors: NotImplementedError for classes that do not define
        it.
        """
        raise NotImplementedError(f"{type(self).__name__}.get() is not defined")


KeyPath = tuple[KeyEntry, ...]


@dataclass(frozen=True)
class SequenceKey(KeyEntry):
    """The step to an item of a sequence, by its index."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, parent: Any) -> Any:
        """Returns `parent[idx]`."""
        return parent[self.idx]


@dataclass(frozen=True)
class MappingKey(KeyEntry):
    """The step to a value of a mapping, by its key."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, parent: Any) -> Any:
        """Returns `parent[key]`."""
        return parent[self.key]


@dataclass(frozen=True)
class GetAttrKey(KeyEntry):
    """The step to an attribute, by its name."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, parent: Any) -> Any:
        """Returns the attribute of `parent`."""
        return getattr(parent, self.name)


class NodeDef(NamedTuple):
    """How the instances of a class are taken apart and rebuilt."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Any, Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None


class Serialization(NamedTuple):
    """How the context of a class is written as JSON; None where the class does not say so."""

    type_name: str | None
    to_dumpable: Callable[[Any], Any] | None
    from_dumpable: Callable[[Any], Any] | None


SUPPORTED_NODES: dict[Any, NodeDef] = {}
serializations: dict[Any, Serialization] = {}
types_by_name: dict[str, Any] = {}
_lock = threading.RLock()


def register_pytree_node(cls: type, flatten_fn: Any, unflatten_fn: Any, *, serialized_type_name: str | None = None,
                         to_dumpable_context: Any = None, from_dumpable_context: Any = None, flatten_with_keys_fn: Any = None) -> None:
    """Makes the instances of a class nodes of trees.

    Args:
      cls: The class; its subclasses stay leaves.
      flatten_fn: Function of an instance that returns the list of its children, and a context.
      unflatten_fn: Function of the children and the context that returns an instance.
      serialized_type_name: Name of the class in `treespec_dumps`.
      to_dumpable_context: Function that turns the context into an object that JSON holds.
      from_dumpable_context: Its inverse.
      flatten_with_keys_fn: As `flatten_fn`, with pairs of a key and a child.

    Errors: ValueError for a class that is registered, and if only one of `to_dumpable_context` and
    `from_dumpable_context` is given.
    """
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"register_pytree_node(): both to_dumpable_context and from_dumpable_context must be given for {cls}, or neither")
    with _lock:
        if cls in SUPPORTED_NODES:
            raise ValueError(f"{cls!r} is already registered as pytree node.")
        SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
        serializations[cls] = Serialization(serialized_type_name, to_dumpable_context, from_dumpable_context)
        if serialized_type_name is not None:
            types_by_name[serialized_type_name] = cls


_register_pytree_node = register_pytree_node  # PyTorch's older name


def _deregister_pytree_node(cls: type) -> None:
    """Undoes `register_pytree_node`. Errors: KeyError for a class that is not registered."""
    with _lock:
        del SUPPORTED_NODES[cls]
        name = serializations.pop(cls).type_name
        if name is not None:
            types_by_name.pop(name, None)


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Gives a class of named tuples a name in `treespec_dumps`."""
    with _lock:
        serializations[cls] = Serialization(serialized_type_name, None, None)
        types_by_name[serialized_type_name] = cls


def is_namedtuple_class(cls: type) -> bool:
    """Whether `cls` is a class of named tuples."""
    return (isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)
            and all(type(f) is str for f in getattr(cls, "_fields")) and callable(getattr(cls, "_make", None))
            and callable(getattr(cls, "_asdict", None)))


def is_namedtuple_instance(obj: object) -> bool:
    """Whether `obj` is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: object) -> bool:
    """Whether `obj` is a named tuple, or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: type) -> bool:
    """Whether `cls` is a class of struct sequences: tuples with named fields, made in C, such as
    `time.struct_time`.
    """
    return (isinstance(cls, type) and cls.__bases__ == (tuple,)
            and all(isinstance(getattr(cls, name, None), int) for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields"))
            and not cls.__flags__ & 1 << 10)  # such classes have no subclasses


def is_structseq_instance(obj: object) -> bool:
    """Whether `obj` is a struct sequence."""
    return is_structseq_class(type(obj))


def is_structseq(obj: object) -> bool:
    """Whether `obj` is a struct sequence, or a class of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _get_node_type(tree: Any) -> Any:
    """The key of the registry for an object: its class, or `namedtuple` for named tuples."""
    kind = type(tree)
    if kind not in SUPPORTED_NODES and is_namedtuple_class(kind):
        return namedtuple
    return kind


# ------------------------------------------------------------------- built-in containers


def _indexed(items):
    return [(SequenceKey(i), item) for i, item in enumerate(items)]


def _of_items(kind: Any) -> tuple[Any, Any, Any]:
    return (lambda x: (list(x), None)), (lambda items, context: kind(items)), (lambda x: (_indexed(x), None))


def _mapping(kind: Any) -> tuple[Any, Any, Any]:
    return ((lambda d: (list(d.values()), list(d))), (lambda values, keys: kind(zip(keys, values))),
            (lambda d: ([(MappingKey(k), v) for k, v in d.items()], list(d))))


def _defaultdict_unflatten(values, context):
    factory, keys = context
    return defaultdict(factory, zip(keys, values))


def _named(x):
    return [(GetAttrKey(field), v) for field, v in zip(type(x)._fields, x)], type(x)


def _factory_as_json(context):
    factory, keys = context
    return {"default_factory_module": factory.__module__, "default_factory_name": factory.__qualname__, "dict_context": keys}


def _factory_of_json(found):
    factory = functools.reduce(getattr, found["default_factory_name"].split("."), importlib.import_module(found["default_factory_module"]))
    return [factory, found["dict_context"]]


def _register_builtin() -> None:
    for kind in (tuple, list):
        flatten, unflatten, with_keys = _of_items(kind)
        register_pytree_node(kind, flatten, unflatten, serialized_type_name=f"builtins.{kind.__name__}", flatten_with_keys_fn=with_keys)
    for name, cls in (("builtins.dict", dict), ("collections.OrderedDict", OrderedDict)):
        flatten, unflatten, with_keys = _mapping(cls)
        register_pytree_node(cls, flatten, unflatten, serialized_type_name=name, flatten_with_keys_fn=with_keys)
    key: Any = namedtuple
    register_pytree_node(key, lambda x: (list(x), type(x)), lambda items, kind: kind(*items), serialized_type_name="collections.namedtuple",
                         flatten_with_keys_fn=_named)
    register_pytree_node(
        defaultdict, lambda d: (list(d.values()), [d.default_factory, list(d)]), _defaultdict_unflatten,
        serialized_type_name="collections.defaultdict", to_dumpable_context=_factory_as_json, from_dumpable_context=_factory_of_json,
        flatten_with_keys_fn=lambda d: ([(MappingKey(k), v) for k, v in d.items()], [d.default_factory, list(d)]))
    register_pytree_node(deque, lambda d: (list(d), d.maxlen), lambda items, maxlen: deque(items, maxlen),
                         serialized_type_name="collections.deque", flatten_with_keys_fn=lambda d: (_indexed(d), d.maxlen))


_register_builtin()
BUILTIN_TYPES = frozenset(SUPPORTED_NODES)
STANDARD_DICT_TYPES = frozenset((dict, OrderedDict, defaultdict))


def _register_ours() -> None:
    """Registers Size, and the named tuples that functions with several results return."""
    from torch_np import return_types

    flatten, unflatten, with_keys = _of_items(_C.Size)
    register_pytree_node(_C.Size, flatten, unflatten, serialized_type_name="torch.Size", flatten_with_keys_fn=with_keys)
    for kind in list(vars(return_types).values()):
        if isinstance(kind, type) and issubclass(kind, tuple) and kind not in SUPPORTED_NODES:
            make: Any = getattr(kind, "_make", kind)
            register_pytree_node(kind, lambda x: (list(x), None), lambda items, context, make=make: make(items),
                                 flatten_with_keys_fn=lambda x: (_indexed(x), None))


_register_ours()
