"""Functions and classes that files may refer to, besides those of tensors and containers:
`add_safe_globals`.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

_Global = Callable[..., Any] | tuple[Callable[..., Any], str]
_lock = threading.Lock()
_added: list[Any] = []


def file_module(module: str) -> str:
    """The name in files of a module: PyTorch's name, so that PyTorch can read them."""
    of_numpy = module == "torch_np.numpy" or module.startswith("torch_np.numpy.")
    return "torch" + module[8:] if (module == "torch_np" or module.startswith("torch_np.")) and not of_numpy else module


def our_module(module: str) -> str:
    """The module here for a module's name in a file."""
    return "torch_np" + module[5:] if module == "torch" or module.startswith("torch.") else module


def _names(entry: Any) -> list[str]:
    if isinstance(entry, tuple):
        return [entry[1]]
    module, name = getattr(entry, "__module__", None), getattr(entry, "__qualname__", None)
    if module is None or name is None:
        raise TypeError(f"add_safe_globals(): expected functions, classes and pairs of one and its name, not {entry!r}")
    return [f"{file_module(module)}.{name}", f"{module}.{name}"]


def find(module: str, name: str) -> tuple[Any] | None:
    """The added function or class with that name in a file, as a tuple of one; None if none was
    added.
    """
    full = f"{module}.{name}"
    with _lock:
        for entry in reversed(_added):
            if full in _names(entry):
                return (entry[0] if isinstance(entry, tuple) else entry,)
    return None


def is_safe(value: object) -> bool:
    """Whether a function or class was added."""
    with _lock:
        return any((e[0] if isinstance(e, tuple) else e) is value for e in _added)


def add_safe_globals(safe_globals: Sequence[_Global]) -> None:
    """Lets `load` use functions and classes that files refer to. A file may call them with any
    arguments, make instances of the classes and set their attributes: add only those that are
    harmless then.

    Args:
      safe_globals: Functions and classes, or pairs of one and its full name in files.

    Errors: TypeError for objects without a name.
    """
    for entry in safe_globals:
        _names(entry)
    with _lock:
        _added.extend(e for e in safe_globals if e not in _added)


def get_safe_globals() -> list[Any]:
    """Returns the functions and classes that were added."""
    with _lock:
        return list(_added)


def clear_safe_globals() -> None:
    """Removes all functions and classes that were added."""
    with _lock:
        _added.clear()


class safe_globals:  # noqa: N801  (PyTorch's name)
    """A context in which `load` uses functions and classes, as after `add_safe_globals`.

    Args:
      safe_globals: Functions and classes, or pairs of one and its full name in files.
    """

    def __init__(self, safe_globals: Sequence[_Global]) -> None:
        self._globals = list(safe_globals)
        self._before: list[Any] = []

    def __enter__(self) -> None:
        self._before = get_safe_globals()
        add_safe_globals(self._globals)

    def __exit__(self, *exception: object) -> None:
        with _lock:
            _added[:] = self._before
