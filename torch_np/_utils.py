"""Helpers that packages for PyTorch import from its private module of this name."""
from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING as TYPE_CHECKING, Any, Generic, ParamSpec

from torch_np import _C
from torch_np.serialization._rebuild import (  # noqa: F401  (pickles name them here)
    _rebuild_meta_tensor_no_storage, _rebuild_parameter, _rebuild_parameter_with_state, _rebuild_sparse_tensor, _rebuild_tensor, _rebuild_tensor_v2,
    _rebuild_tensor_v3,
)

P = ParamSpec("P")


class KeyErrorMessage(str):
    """Text of a KeyError that is printed without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


class ExceptionWrapper:
    """An exception of a worker, with its traceback as text, that another thread or process raises again.

    Args:
      exc_info: Result of sys.exc_info(); None calls it.
      where: Text that names the worker.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, value, tb = sys.exc_info() if exc_info is None else exc_info
        self.exc_type = kind
        self.exc_msg = "".join(traceback.format_exception(kind, value, tb))
        self.where = where

    def reraise(self) -> None:
        """Raises an exception of the same class, with the worker's traceback in its text."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"  # type: ignore[union-attr]
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        try:
            exception = self.exc_type(message)  # type: ignore[misc]
        except Exception:
            raise RuntimeError(message) from None
        raise exception


class CallbackRegistry(Generic[P]):
    """Functions that are called for an event.

    Args:
      name: Name of the event, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.callback_list: list[Callable[P, None]] = []

    def add_callback(self, cb: Callable[P, None]) -> None:
        """Adds a function.

        Args:
          cb: The function.
        """
        self.callback_list.append(cb)

    def fire_callbacks(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Calls the functions. An exception of one is written to the log and does not stop the others."""
        import logging
        for callback in self.callback_list:
            try:
                callback(*args, **kwargs)
            except Exception:
                logging.getLogger(__name__).exception("exception in a callback of %s", self.name)


class classproperty:  # noqa: N801  (PyTorch's name)
    """A property of a class.

    Args:
      func: Function of the class.
    """

    def __init__(self, func: Any) -> None:
        self.func = func if isinstance(func, (classmethod, staticmethod)) else classmethod(func)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.func.__get__(instance, owner)()


def cpu_count() -> int | None:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def get_current_device_index() -> int:
    """Index of the current GPU; -1 without one."""
    from torch_np import cuda
    return cuda.current_device() if cuda.device_count() > 0 else -1


def getenv(name: str) -> str | None:
    """Value of an environment variable; None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str, overwrite: bool = True) -> None:
    """Sets an environment variable.

    Args:
      name: Its name.
      value: Its value.
      overwrite: Whether to replace an existing value.
    """
    if overwrite or name not in os.environ:
        os.environ[name] = value


def unsetenv(name: str) -> None:
    """Deletes an environment variable, if it is set."""
    os.environ.pop(name, None)


def install_os_environ_hook() -> None:
    """Does nothing: the engine reads its environment variables when it is imported."""


def remove_os_environ_hook() -> None:
    """Does nothing: there is no hook."""


def is_compiling() -> bool:
    """Whether torch_np.compile records the running function."""
    from torch_np import compiler
    return compiler.is_compiling()


def render_call(fn: Callable[..., Any], args: Any, kwargs: Any) -> str:
    """Text of a call, with tensors as their shapes.

    Args:
      fn: The function.
      args: Arguments.
      kwargs: Keyword arguments.
    """
    def text(value: Any) -> str:
        return f"tensor(..., size={tuple(value.shape)})" if isinstance(value, _C.Tensor) else repr(value)
    name = getattr(fn, "__name__", repr(fn))
    return f"{name}({', '.join([*map(text, args), *(f'{key}={text(value)}' for key, value in kwargs.items())])})"


def try_import(module_name: str) -> ModuleType | None:
    """Imports a module; None if it does not exist.

    Args:
      module_name: Its name.
    """
    try:
        return importlib.import_module(module_name)
    except ImportError:
        return None


def get_tensor_metadata(tensor: _C.Tensor) -> dict[str, Any]:
    """Flags of a tensor that PyTorch's pickles keep apart from its values. There are none, so the dict is
    empty.

    Args:
      tensor: Tensor.
    """
    return {}


def set_tensor_metadata(tensor: _C.Tensor, metadata: dict[str, Any]) -> None:
    """Sets flags that `get_tensor_metadata` returned.

    Args:
      tensor: Tensor.
      metadata: The flags.

    Errors: NotImplementedError for a flag that is set, such as lazy conjugation.
    """
    for name, value in metadata.items():
        if value:
            raise NotImplementedError(f"set_tensor_metadata(): the flag '{name}' is not implemented; tensors are never conjugated or negated lazily")


def _flatten_dense_tensors(tensors: Any) -> _C.Tensor:
    """One tensor with the elements of all. Shapes: any, result (n,)."""
    return _C._torch.cat([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat: _C.Tensor, tensors: Any) -> tuple[_C.Tensor, ...]:
    """Views of the parts of a tensor in the shapes of others; the reverse of _flatten_dense_tensors."""
    parts, at = [], 0
    for t in tensors:
        parts.append(flat[at:at + t.numel()].view_as(t))
        at += t.numel()
    return tuple(parts)


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """Index of a GPU: of a number, a name or a device. Errors: ValueError for another device."""
    if isinstance(device, int):
        return device
    if isinstance(device, str):
        device = _C.device(device)
    if isinstance(device, _C.device):
        if device.type == "cpu" and allow_cpu:
            return -1
        if device.type == "cuda" and device.index is not None:
            return device.index
    if device is None and optional:
        return get_current_device_index()
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got: {device}")


def _get_all_device_indices() -> list[int]:
    """Indices of the GPUs."""
    from torch_np import cuda
    return list(range(cuda.device_count()))


def _get_available_device_type() -> str | None:
    """Type of the accelerator: 'cuda', or None without one."""
    from torch_np import cuda
    return "cuda" if cuda.is_available() else None


def _get_device_module(device_type: str) -> ModuleType:
    """Module of a device type, such as torch_np.cuda. Errors: RuntimeError if there is none."""
    import torch_np
    found = getattr(torch_np, device_type, None)
    if not isinstance(found, ModuleType):
        raise RuntimeError(f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'.")
    return found


def _element_size(dtype: _C.dtype) -> int:
    """Size of an element in bytes."""
    return dtype.itemsize


def _take_tensors(tensors: Any, size_limit: int) -> Iterator[list[_C.Tensor]]:
    """Yields lists of tensors of one type, of `size_limit` bytes at most unless one tensor is larger."""
    groups: dict[str, tuple[list[_C.Tensor], int]] = {}
    for tensor in tensors:
        size = tensor.numel() * tensor.element_size()
        group, used = groups.get(tensor.type(), ([], 0))
        if group and used + size > size_limit:
            yield group
            group, used = [], 0
        groups[tensor.type()] = [*group, tensor], used + size
    yield from (group for group, _ in groups.values())


def _reorder_tensors_as(tensors: Any, ordered_tensors: Any) -> tuple[_C.Tensor, ...]:
    """The tensors, of which those of each type are in their order, in the order of the types of `ordered_tensors`."""
    groups: dict[str, list[_C.Tensor]] = {}
    for tensor in tensors:
        groups.setdefault(tensor.type(), []).append(tensor)
    parts = {kind: iter(group) for kind, group in groups.items()}
    return tuple(next(parts[tensor.type()]) for tensor in ordered_tensors)
