"""Registry of the backends of torch_np.compile: the engine itself, and partitioners of C++
libraries (torch_np.library.load).
"""
from __future__ import annotations

import os
import threading
from typing import Any, NamedTuple

from torch_np import _C, _registry


class Backend(NamedTuple):
    """A partitioner that a library provides."""

    name: str
    doc: str | None
    origin: str  # path of the library
    library: Any  # handle from _C._library_open
    number: int  # index of the partitioner in the library's table

    def with_options(self, options: dict[str, str]) -> Any:
        """Returns the backend with options, as an argument for _C.CompiledFunction."""
        return _C._library_backend(self.library, self.number, options)


# The engine's own backend has the name of PyTorch's default backend.
OWN = "inductor"
_lock = threading.RLock()
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_backends: dict[str, Backend] = {}


def of_library(library: Any, path: str) -> list[Backend]:
    """Lists the partitioners of an open library. Errors: ValueError for an invalid or duplicate
    name.
    """
    found = [Backend(name, doc, path, library, i) for i, (name, doc) in enumerate(_C._library_partitioners(library))]
    names = [b.name for b in found]
    for name in names:
        _registry.check_library_name(name, path)
        if names.count(name) > 1:
            raise ValueError(f"{path}: several partitioners of the same name: {name}")
    return found


def check_free(backends: list[Backend]) -> None:
    """Checks that the names are free. Errors: ValueError, which names both origins, if one is
    registered.
    """
    for new in backends:
        old = "torch_np itself" if new.name == OWN else _backends[new.name].origin if new.name in _backends else None
        if old is not None:
            raise ValueError(f"there is a backend {new.name} already: from {old}; the new one is from {new.origin}")


def add(backends: list[Backend]) -> None:
    """Registers all of the backends, or none if check_free() raises."""
    with _lock:
        check_free(backends)
        _backends.update((b.name, b) for b in backends)


def names() -> list[str]:
    return [OWN, *sorted(_backends)]


def found(name: str) -> Backend:
    """Returns a registered backend. Errors: ValueError, which lists the registered names."""
    try:
        return _backends[name]
    except KeyError:
        raise ValueError(f"compile(): there is no backend {name!r}: there are {', '.join(map(repr, names()))}; "
                         "torch_np.library.load() adds those of a library") from None
