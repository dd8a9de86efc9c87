"""Objects other than data in the pickles of `save`: what `__reduce_ex__` says of them, with
PyTorch's names for the classes of torch_np.
"""
from __future__ import annotations

import _compat_pickle
import copyreg
import functools
import pickle
import sys
from pickle import PicklingError
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from torch_np.serialization._safe_globals import file_module


def _location(obj: Any, name: str | None) -> tuple[str, str]:
    """The module and the qualified name of a function or class.

    Errors: PicklingError if it is not found there.
    """
    qualified: str = name or getattr(obj, "__qualname__", None) or obj.__name__
    module: str = pickle.whichmodule(obj, qualified)  # type: ignore[attr-defined]
    try:
        __import__(module)
        found = functools.reduce(getattr, qualified.split("."), sys.modules[module])
    except (ImportError, KeyError, AttributeError) as error:
        raise PicklingError(f"save(): can't pickle {obj!r}: it's not found as {module}.{qualified}") from error
    if found is not obj:
        raise PicklingError(f"save(): can't pickle {obj!r}: it's not the same object as {module}.{qualified}")
    return module, qualified


def named(obj: Any, name: str | None = None) -> bytes:
    """The operations of a pickle that push a function or class."""
    module, qualified = _location(obj, name)
    if (module, qualified) in _compat_pickle.REVERSE_NAME_MAPPING:
        module, qualified = _compat_pickle.REVERSE_NAME_MAPPING[module, qualified]
    else:
        module = _compat_pickle.REVERSE_IMPORT_MAPPING.get(module, module)
    first, *rest = qualified.split(".")
    out = pickle.GLOBAL + f"{file_module(module)}\n{first}\n".encode()
    for part in rest:  # protocol 2 has no names with dots
        data = part.encode()
        text = pickle.BINUNICODE + len(data).to_bytes(4, "little") + data
        out = pickle.GLOBAL + b"__builtin__\ngetattr\n" + out + text + pickle.TUPLE2 + pickle.REDUCE
    return out


def save(pickler: Any, obj: Any) -> None:
    """Writes an object as `__reduce_ex__` describes it.

    Errors: PicklingError for objects that cannot be pickled.
    """
    kind = type(obj)
    if issubclass(kind, type) or kind is FunctionType or kind is BuiltinFunctionType and isinstance(obj.__self__, (ModuleType, type(None))):
        pickler._out += named(obj)
        pickler._remember(obj)
        return
    reduce = copyreg.dispatch_table.get(kind)
    try:
        described = reduce(obj) if reduce is not None else obj.__reduce_ex__(2)
    except TypeError as error:
        raise PicklingError(f"save(): an object of {kind.__module__}.{kind.__qualname__} is not supported: {error}") from error
    if isinstance(described, str):
        pickler._out += named(obj, described)
        pickler._remember(obj)
        return
    function, args, state, items, pairs, *setter = (*described, None, None, None)[:max(5, len(described))]
    if setter and setter[0] is not None:
        raise PicklingError(f"save(): {kind.__module__}.{kind.__qualname__} sets its state by a function, which protocol 2 has not")
    if getattr(function, "__name__", "") == "__newobj__" and args:
        pickler._out += named(args[0])
        pickler._save(tuple(args[1:]))
        pickler._out += pickle.NEWOBJ
    else:
        pickler._save(function)
        pickler._save(args)
        pickler._out += pickle.REDUCE
    if id(obj) in pickler._memo:  # one of its arguments refers to it
        pickler._out += pickle.POP
        pickler._recall(obj)
        return
    pickler._remember(obj)
    if items is not None:
        pickler._items(list(items), pickler._save, pickle.APPENDS)
    if pairs is not None:
        pickler._items(list(pairs), pickler._pair, pickle.SETITEMS)
    if state is not None:
        pickler._save(state)
        pickler._out += pickle.BUILD
