"""Settings of PyTorch that concern the whole process: determinism, warnings, threads."""
from __future__ import annotations

import math
import warnings
from typing import Any

from torch_np import _C

__all__ = [
    "are_deterministic_algorithms_enabled", "e", "get_deterministic_debug_mode", "get_num_interop_threads", "has_lapack", "has_mkl",
    "has_openmp", "has_spectral", "is_deterministic_algorithms_warn_only_enabled", "is_warn_always_enabled", "newaxis",
    "set_default_tensor_type", "set_deterministic_debug_mode", "set_flush_denormal", "set_num_interop_threads", "set_warn_always",
    "thread_safe_generator", "typename", "use_deterministic_algorithms"]

e = math.e
newaxis = None
has_lapack = True  # linear algebra is built in
has_mkl = True  # the CPU's matrix products and transforms are oneMKL's
has_openmp = False  # the threads are oneTBB's
has_spectral = True

_fill_uninitialized = True
_deterministic = 0  # 0: not required, 1: warnings, 2: errors
_warn_always = False
_interop_threads: int | None = None


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Sets whether operators must give the same bits at each call.

    Operators on the CPU always do. On GPUs, sums into elements (`index_add_`, `scatter_add_`, and
    gradients of indexing) add in an order that varies; if a GPU is in use, the call therefore warns.

    While it is on, `empty` and `resize_` fill new memory: with NaN, the largest integer or True.
    `torch_np.utils.deterministic.fill_uninitialized_memory = False` turns that off.

    Args:
      mode: Whether it is required.
      warn_only: Whether PyTorch warns instead of raising.

    Errors: TypeError unless `mode` is a bool.
    """
    if not isinstance(mode, bool):
        raise TypeError(f"use_deterministic_algorithms(): argument 'mode' must be bool, not {type(mode).__name__}")
    set_deterministic_debug_mode((1 if warn_only else 2) if mode else 0)


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Sets whether operators must give the same bits at each call; see `use_deterministic_algorithms`.

    Args:
      debug_mode: 'default' or 0, 'warn' or 1, 'error' or 2.

    Errors: RuntimeError for another value, TypeError for another type.
    """
    global _deterministic
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    modes: dict[int | str, int] = {"default": 0, "warn": 1, "error": 2, 0: 0, 1: 1, 2: 2}
    if debug_mode not in modes:
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}" if isinstance(debug_mode, str)
            else f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _deterministic = modes[debug_mode]
    _C._set_fills_new_memory(_deterministic > 0 and _fill_uninitialized)
    if _deterministic:
        from torch_np import cuda
        if cuda.is_available():
            warnings.warn("use_deterministic_algorithms(): sums into elements on a GPU add in an order that varies", stacklevel=3)


def fills_uninitialized_memory() -> bool:
    """Whether new memory is filled while the same bits are required; torch_np.utils.deterministic describes it."""
    return _fill_uninitialized


def set_fill_uninitialized_memory(mode: bool) -> None:
    """Sets `fills_uninitialized_memory`.

    Args:
      mode: Whether to fill.

    Errors: RuntimeError unless `mode` is a bool.
    """
    global _fill_uninitialized
    if not isinstance(mode, bool):
        raise RuntimeError("expected a bool, but got " + type(mode).__name__)
    _fill_uninitialized = mode
    _C._set_fills_new_memory(_deterministic > 0 and _fill_uninitialized)


def get_deterministic_debug_mode() -> int:
    """Returns whether operators must give the same bits: 0 for no, 1 for a warning, 2 for an error."""
    return _deterministic


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` requires the same bits at each call."""
    return _deterministic > 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was called with `warn_only`."""
    return _deterministic == 1


def set_warn_always(b: bool, /) -> None:
    """Sets whether PyTorch repeats warnings that it issues once. Python's filters decide about the
    warnings here: `warnings.simplefilter("always")`.

    Args:
      b: Whether to repeat them.
    """
    global _warn_always
    _warn_always = bool(b)


def is_warn_always_enabled() -> bool:
    """Returns the value that `set_warn_always` has set; False at first."""
    return _warn_always


def set_flush_denormal(mode: bool) -> bool:
    """Returns False: denormal numbers are always computed exactly, and the setting is not supported.

    Args:
      mode: Whether to replace denormal numbers by zero.
    """
    return False


def get_num_interop_threads() -> int:
    """Returns the number of threads that run operators beside each other, which programs may set. No
    operator runs beside another, so it has no effect.
    """
    return _C.get_num_threads() if _interop_threads is None else _interop_threads


def set_num_interop_threads(n: int) -> None:
    """Sets the number of threads that run operators beside each other. No operator runs beside another,
    so it changes no result and no speed.

    Args:
      n: Number of threads.

    Errors: RuntimeError unless it is positive.
    """
    global _interop_threads
    if n <= 0:
        raise RuntimeError("expected positive number of inter-op threads")
    _interop_threads = int(n)


def set_default_tensor_type(t: Any, /) -> None:
    """Sets the dtype of new floating-point tensors by a class of tensors.

    Args:
      t: A class such as `torch_np.DoubleTensor`, or its name: 'torch.DoubleTensor'.

    Errors: TypeError unless the class exists and its dtype is floating.
    """
    from torch_np._torch import legacy_types
    if isinstance(t, str):
        name = t.rpartition(".")[2]
        if name not in legacy_types.__all__ or "cuda" in t:
            raise TypeError(f"invalid type: '{t}'")
        t = getattr(legacy_types, name)
    dtype = getattr(t, "dtype", None)
    if type(dtype) is not _C.dtype or not dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _C._set_default_dtype(dtype, False)


def thread_safe_generator() -> None:
    """Returns None: data loaders have no threads with generators of their own."""
    return None


def typename(obj: Any, /) -> str:
    """Returns the name of an object's type with its module, or PyTorch's name of a tensor's type, such as
    'torch.FloatTensor'.

    Args:
      obj: Any object.
    """
    if isinstance(obj, _C.Tensor):
        return str(obj.type())
    kind = obj if hasattr(obj, "__qualname__") and hasattr(obj, "__module__") else type(obj)
    module = kind.__module__
    return kind.__qualname__ if module in (None, "builtins") else f"{module}.{kind.__qualname__}"


def _assert(condition: Any, message: str) -> None:
    """Raises AssertionError with `message` unless `condition` is true. Symbolic traces record the call."""
    assert condition, message
