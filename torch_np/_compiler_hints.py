"""Hints of PyTorch to its compiler, which torch_np.compile does not need, and names that refuse."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._absent import absent_names

_CACHES = "compiled programs are not written to files; torch_np.compile records again in each process"


class PrecompileError(RuntimeError):
    """PyTorch's error for programs that cannot be compiled ahead of time."""


class _Config:
    """Settings of PyTorch's compiler. torch_np.compile does not read them."""

    job_id: str | None = None
    cache_key_tag: str = ""
    dynamic_sources: str = ""
    unbacked_sources: str = ""
    force_disable_caches: bool = False


config = _Config()


def is_compiling() -> bool:
    """Whether torch_np.compile records the running function."""
    return bool(_C._is_observed())


def is_dynamo_compiling() -> bool:
    """Whether torch_np.compile records the running function."""
    return bool(_C._is_observed())


def is_exporting() -> bool:
    """Returns False: there are no exported programs."""
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Returns a function that torch_np.compile does not record: a call of it from a compiled function is
    a graph break, so that function runs uncompiled.

    Args:
      fn: Function; None returns a decorator.
      recursive: Has no effect: functions that `fn` calls are not recorded either, so with False
        they are slower than PyTorch's, with the same results.
      reason: Reason, for people.
    """
    if fn is None:
        return lambda function: disable(function, reason=reason)
    if not hasattr(fn, "__dict__") or isinstance(fn, types.MethodType):  # attributes of methods are those of their function
        bound = fn

        @functools.wraps(bound)
        def fn(*args: Any, **kwargs: Any) -> Any:
            return bound(*args, **kwargs)
    fn._torchdynamo_disable = True
    return fn


def allow_in_graph(fn: Any) -> Any:
    """Returns `fn`: a record consists of operators, so every function may be called.

    Args:
      fn: Function, or a list or tuple of functions.
    """
    return fn


def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `fn`: torch_np.compile guards the values that functions read.

    Args:
      fn: Function.
    """
    return fn


def nonstrict_trace(traceable_fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function: a record consists of operators, so every function may be called.

    Args:
      traceable_fn: Function.
    """
    return traceable_fn


def nested_compile_region(fn: Any = None, **kwargs: Any) -> Any:
    """Returns `fn`: regions that PyTorch compiles once are parts of a record here.

    Args:
      fn: Function; None returns a decorator.
      kwargs: Options of PyTorch's compiler.
    """
    return fn if fn is not None else lambda function: function


def substitute_in_graph(original_fn: Callable[..., Any], *, can_constant_fold_through: bool = False,
                        skip_signature_check: bool = False) -> Callable[..., Any]:
    """Returns a decorator that returns its function. PyTorch records that function in place of
    `original_fn`, which it cannot read; torch_np.compile runs `original_fn`.

    Args:
      original_fn: Function.
      can_constant_fold_through: Whether PyTorch may compute its result once.
      skip_signature_check: Whether the two signatures may differ.
    """
    return lambda traceable: traceable


def cudagraph_mark_step_begin() -> None:
    """Does nothing: CUDA graphs of records allocate no memory that a later call reuses."""


def cudagraph_mark_warmup_incomplete() -> None:
    """Does nothing: CUDA graphs need no warm-up calls."""


def set_stance(stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None) -> Any:
    """Accepts the stance 'default', in which compiled functions run compiled. It may be used as a context
    manager.

    Args:
      stance: 'default'.
      skip_guard_eval_unsafe: Must be False.
      force_backend: Must be None.

    Errors: NotImplementedError for other values.
    """
    if stance != "default" or skip_guard_eval_unsafe or force_backend is not None:
        raise NotImplementedError(f"set_stance(): the stance {stance!r} is not implemented; torch_np.compile(f, disable=True) runs f uncompiled")
    import contextlib
    return contextlib.nullcontext()


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Accepts False, and returns it: processes decide by themselves whether a record applies.

    Args:
      enabled: Whether processes agree about that.

    Errors: NotImplementedError for True.
    """
    if enabled:
        raise NotImplementedError("set_enable_guard_collectives(): an agreement of processes about records is not implemented")
    return False


def get_default_backend() -> str:
    """Returns 'inductor', the name of the engine's own compiler."""
    return "inductor"


def set_default_backend(backend: Any) -> None:
    """Accepts 'inductor' and None.

    Args:
      backend: Name of a backend.

    Errors: NotImplementedError for another one.
    """
    if backend not in (None, "inductor"):
        raise NotImplementedError(f"set_default_backend(): pass backend={backend!r} to each call of torch_np.compile")


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of tensors that calls `fn` with NumPy-style arrays of the same memory, and
    returns tensors. Derivatives are recorded.

    Args:
      fn: Function of arrays.
    """
    import functools

    def converted(value: Any, kind: type, method: str) -> Any:
        if isinstance(value, kind):
            return getattr(value, method)()
        if isinstance(value, dict):
            return {key: converted(item, kind, method) for key, item in value.items()}
        return type(value)(converted(item, kind, method) for item in value) if type(value) in (list, tuple) else value

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = (converted(x, _C.Tensor, "_np_compat") for x in (args, kwargs))
        return converted(fn(*args, **kwargs), _C.ndarray, "_torch")
    return wrapped


def _kept(guard_entries: Any, *args: Any, **kwargs: Any) -> list[bool]:
    """Keeps every guard: a filter that drops none.

    Args:
      guard_entries: The guards.
    """
    return [True for _ in guard_entries]


keep_portable_guards_unsafe = keep_tensor_guards_unsafe = skip_all_guards_unsafe = skip_guard_on_all_nn_modules_unsafe = _kept
skip_guard_on_globals_unsafe = skip_guard_on_inbuilt_nn_modules_unsafe = _kept

__all__ = [
    "PrecompileError", "allow_in_graph", "assume_constant_result", "config", "cudagraph_mark_step_begin", "cudagraph_mark_warmup_incomplete",
    "disable", "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "keep_portable_guards_unsafe",
    "keep_tensor_guards_unsafe", "nested_compile_region", "nonstrict_trace", "set_default_backend", "set_enable_guard_collectives",
    "set_stance", "skip_all_guards_unsafe", "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe", "substitute_in_graph", "wrap_numpy", *absent_names(
        globals(), _CACHES, functions="load_cache_artifacts load_compiled_function precompile save_cache_artifacts")]
