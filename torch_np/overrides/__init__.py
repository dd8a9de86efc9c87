"""torch_np.overrides: functions of torch_np for objects of other classes, by `__torch_function__`,
and modes, which see every call of a thread.

A class with the class method `__torch_function__(cls, func, types, args, kwargs)` is asked instead
of `func` whenever one of its objects is an argument.
"""
from torch_np._C import (
    _get_function_stack_at as _get_function_stack_at, _is_torch_function_mode_enabled as _is_torch_function_mode_enabled,
    _len_torch_function_stack as _len_torch_function_stack, _pop_torch_function_stack as _pop_torch_function_stack,
    _push_on_torch_function_stack as _push_on_torch_function_stack,
)
from torch_np.overrides._dispatch import (
    _get_overloaded_args as _get_overloaded_args, enable_reentrant_dispatch, handle_torch_function, has_torch_function,
    has_torch_function_unary as has_torch_function_unary, has_torch_function_variadic as has_torch_function_variadic, is_tensor_like,
    redispatch_function, wrap_torch_function,
)
from torch_np.overrides._lists import (
    get_default_nowrap_functions as get_default_nowrap_functions, get_ignored_functions, get_overridable_functions, get_testing_overrides,
    is_tensor_method_or_property, resolve_name,
)
from torch_np.overrides._modes import (
    BaseTorchFunctionMode as BaseTorchFunctionMode, TorchFunctionMode as TorchFunctionMode,
    _get_current_function_mode as _get_current_function_mode, _get_current_function_mode_stack as _get_current_function_mode_stack,
    _pop_mode_temporarily as _pop_mode_temporarily,
)

__all__ = [
    "enable_reentrant_dispatch", "get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "handle_torch_function",
    "has_torch_function", "is_tensor_like", "is_tensor_method_or_property", "redispatch_function", "resolve_name", "wrap_torch_function",
]
