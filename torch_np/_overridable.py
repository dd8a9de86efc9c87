"""Python functions of PyTorch's face that arguments and modes may override by `__torch_function__`."""
from __future__ import annotations

from types import FunctionType
from typing import Any

from torch_np import _C

# Functions that ask about an object or about settings, or that write and read files.
_PREFIXES = ("autocast_", "get_", "has_torch_function", "set_", "sym_")
_NOT_OVERRIDABLE = frozenset((
    "Custom", "are_deterministic_algorithms_enabled", "autocast_decrement_nesting", "autocast_increment_nesting", "can_cast",
    "einsum",  # it looks for overrides itself, since it spreads a list of operands first
    "clear_autocast_cache", "compile", "finfo", "frombuffer", "from_file", "get_default_device", "get_default_dtype", "get_device_module",
    "get_float32_matmul_precision", "get_rng_state", "iinfo", "init_num_threads", "initial_seed", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "handle_torch_function", "boolean_dispatch",
    "assert_int_or_pair", "fork", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
    "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled", "is_deterministic_algorithms_warn_only_enabled",
    "is_grad_enabled", "is_inference_mode_enabled", "is_storage", "is_tensor", "is_warn_always_enabled", "load",
    "manual_seed", "promote_types", "save", "seed", "set_default_device", "set_default_dtype", "set_float32_matmul_precision",
    "set_printoptions", "set_rng_state", "thread_safe_generator", "typename",
    "use_deterministic_algorithms", "wait"))

_made: dict[FunctionType, Any] = {}


def make_overridable(namespace: dict[str, Any]) -> None:
    """Replaces the public Python functions of a namespace by functions that look for overrides first.

    A function that several namespaces have is replaced by one object.
    """
    for name, value in namespace.items():
        if type(value) is FunctionType and (name[0] != "_" or name == "_assert") and value.__module__.startswith("torch_np") and name not in _NOT_OVERRIDABLE and not name.startswith(_PREFIXES):
            if value not in _made:
                if "._" in value.__module__:  # the module that users import
                    value.__module__ = namespace["__name__"]
                _made[value] = _C._function(value, torch_function=True)
            namespace[name] = _made[value]
