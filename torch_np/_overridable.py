"""Python functions of PyTorch's face that arguments and modes may override by `__torch_function__`."""
from __future__ import annotations

from types import FunctionType
from typing import Any

from torch_np import _C

# Functions that ask about an object or about settings, or that write and read files.
_NOT_OVERRIDABLE = frozenset((
    "Custom", "can_cast", "compile", "finfo", "frombuffer", "from_file", "get_default_device", "get_default_dtype", "get_device_module",
    "get_float32_matmul_precision", "get_rng_state", "iinfo", "init_num_threads", "initial_seed", "is_storage", "is_tensor", "load",
    "manual_seed", "promote_types", "save", "seed", "set_default_device", "set_default_dtype", "set_float32_matmul_precision",
    "set_printoptions", "set_rng_state"))

_made: dict[FunctionType, Any] = {}


def make_overridable(namespace: dict[str, Any]) -> None:
    """Replaces the public Python functions of a namespace by functions that look for overrides first.

    A function that several namespaces have is replaced by one object.
    """
    for name, value in namespace.items():
        if type(value) is FunctionType and name[0] != "_" and value.__module__.startswith("torch_np") and name not in _NOT_OVERRIDABLE:
            if value not in _made:
                _made[value] = _C._function(value, torch_function=True)
            namespace[name] = _made[value]
