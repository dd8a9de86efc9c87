"""Public names under the launcher: `torch_np.nn.modules.linear.Linear` shows itself as
`torch.nn.modules.linear.Linear`, in reprs, in messages and in pickles.

A class or function of a private module gets the name of the first public module that has it, as
PyTorch has no such private module: `torch_np.nn._activation.relu` becomes
`torch.nn.functional.relu`.
"""
from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any

from torch_np import _C, _public_names


def _is_public(module: str) -> bool:
    return not any(part.startswith("_") and part != "_C" for part in module.split("."))


def rename_loaded() -> None:
    """Enters all loaded modules of this package under their aliases, and renames them."""
    loaded = [(name, module) for name, module in list(sys.modules.items()) if _public_names.has_alias(name)]
    sys.modules.update((_public_names.alias(name), module) for name, module in loaded)
    for name, module in sorted(loaded, key=lambda item: (item[0].count("."), item[0])):
        if _is_public(name):
            rename(module)


def rename(module: ModuleType) -> None:
    """Gives a module, its classes and its functions their names below `torch`."""
    name = _public_names.own(module.__name__)
    if not _public_names.has_alias(name) or not _is_public(name):
        return
    module.__name__ = _public_names.alias(name)
    for value in list(vars(module).values()):
        if isinstance(value, _C.Function):  # it has the names of the function in Python that it calls
            value = getattr(value, "__wrapped__", value)
        if isinstance(value, (FunctionType, type)):
            _rename_definition(value, module.__name__)


def _rename_definition(value: Any, found_in: str) -> None:
    defined_in = value.__module__
    if not isinstance(defined_in, str) or not _public_names.has_alias(defined_in):
        return
    try:
        value.__module__ = _public_names.alias(defined_in) if _is_public(defined_in) else found_in
    except (AttributeError, TypeError):  # an immutable type
        return
    if isinstance(value, type):
        for member in list(vars(value).values()):
            if isinstance(member, type) and member.__qualname__.startswith(f"{value.__qualname__}."):
                _rename_definition(member, found_in)
