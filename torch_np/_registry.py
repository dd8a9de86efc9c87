"""Registry of operators by name, `namespace::name` (or `name` alone for C++ libraries), and the
namespaces torch_np.ops and torch_np.numpy._ops that users access them by.
"""
from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol

    class Registered(Protocol):
        """An entry of the registry: an operator, which both faces call."""

        qualified_name: str
        origin: str  # origin for error messages: a library's path, or a file and line

        def as_numpy(self) -> Any: ...


_QUALIFIED = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*")
_lock = threading.RLock()
_operators: dict[str, Registered] = {}
generation = 0  # number of replaced operators; compiled functions use it as a guard
# A fork acquires the lock first. If another thread held it, the child would inherit a lock that is
# never released.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def check_name(name: Any) -> str:
    """Returns `name`. Errors: ValueError unless it is `namespace::name`."""
    if not isinstance(name, str) or not _QUALIFIED.fullmatch(name):
        raise ValueError(f"{name!r} is not an operator's name: expected 'namespace::name', of letters, digits and underscores")
    return name


def check_library_name(name: str, library: str) -> None:
    """Checks the name of a library's operator. Errors: ValueError unless it is `name` or
    `namespace::name`.
    """
    if not _QUALIFIED.fullmatch(name if "::" in name else f"any::{name}"):
        raise ValueError(f"{library}: {name!r} is not an operator's name: expected 'name' or 'namespace::name', of letters, digits and "
                         "underscores")
    if any(part.startswith("__") for part in name.split("::")):
        raise ValueError(f"{library}: {name!r} is not an operator's name: names that begin with two underscores are Python's own")


def add(operators: list[Registered], may_replace: bool = False) -> None:
    """Registers all of the operators, or none if one raises.

    With `may_replace`, an operator replaces a registered one with the same origin, as when a
    notebook cell is run again. Errors: ValueError, which names both origins, if a name is
    registered.
    """
    with _lock:
        for new in operators:
            old = _operators.get(new.qualified_name)
            if old is not None and not (may_replace and old.origin == new.origin):
                raise ValueError(f"there is an operator {new.qualified_name} already: from {old.origin}; the new one is from {new.origin}")
        spaces = {split(n)[0] for n in [*_operators, *(new.qualified_name for new in operators)]} - {""}
        for new in operators:  # torch_np.ops.gemm is either an operator or a namespace
            space, name = split(new.qualified_name)
            if not space and name in spaces or space and space in {n.qualified_name for n in operators} | _operators.keys():
                raise ValueError(f"{new.qualified_name}, from {new.origin}: '{space or name}' is an operator and a namespace, too")
        global generation
        generation += any(new.qualified_name in _operators for new in operators)
        _operators.update((new.qualified_name, new) for new in operators)


def remove(names: list[str]) -> None:
    """Removes operators, if they are registered."""
    global generation
    with _lock:
        for name in names:
            generation += _operators.pop(name, None) is not None


def find(qualified_name: str) -> Registered | None:
    return _operators.get(qualified_name)


def found(qualified_name: str) -> Registered:
    """Returns a registered operator. Errors: LookupError if it is not registered."""
    operator = _operators.get(qualified_name)
    if operator is None:
        raise LookupError(f"no operator {qualified_name} is registered here: import the module that makes it, or load the library, first")
    return operator


def found_numpy(qualified_name: str) -> Any:
    return found(qualified_name).as_numpy()


def split(qualified_name: str) -> tuple[str, str]:
    namespace, _, name = qualified_name.rpartition("::")
    return namespace, name


class Namespace:
    """A namespace such as `torch_np.ops` or `torch_np.ops.name`, whose attributes are operators.
    With `numpy_face` the operators take and return ndarrays.
    """

    def __init__(self, name: str, numpy_face: bool, namespace: str | None = None) -> None:
        self.__name__ = name
        self.__numpy_face, self.__namespace = numpy_face, namespace

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__namespace is None:
            if (plain := _operators.get(name)) is not None:
                return plain.as_numpy() if self.__numpy_face else plain
            if name in ("aten", "prims") and not self.__numpy_face:
                from torch_np.library._aten import Functions

                functions = self.__dict__[name] = Functions(name)
                return functions
            if name == "profiler" and not self.__numpy_face:
                from torch_np.profiler import _operators as labels

                return labels
            # As in PyTorch, a namespace may be named before it has operators.
            if name in dir(self) or not self.__numpy_face and not name.startswith("_"):
                inner = self.__dict__[name] = Namespace(f"{self.__name__}.{name}", self.__numpy_face, name)
                return inner
        # not cached, as an operator may be replaced
        elif (found := _operators.get(f"{self.__namespace}::{name}")) is not None:
            return found.as_numpy() if self.__numpy_face else found
        there = ", ".join(dir(self)) or "none"
        raise AttributeError(f"{self.__name__} has no operator '{name}': registered are {there}")

    @property
    def loaded_libraries(self) -> set[str]:
        """Paths of the libraries of operators that were loaded."""
        if self.__namespace is not None:
            raise AttributeError("loaded_libraries")
        from torch_np.library import list as libraries

        return {str(library.path) for library in libraries()}

    def load_library(self, path: str) -> None:
        """Loads a library of operators: `torch_np.library.load`.

        Args:
          path: Its path.

        Errors: OSError if it cannot be loaded, and those of `torch_np.library.load`.
        """
        if self.__namespace is not None:
            raise AttributeError("load_library")
        from torch_np.library import load

        load(path)

    def __dir__(self) -> list[str]:
        names = map(split, list(_operators))
        if self.__namespace is None:
            return sorted({namespace or name for namespace, name in names})
        return sorted(name for namespace, name in names if namespace == self.__namespace)

    def __repr__(self) -> str:
        return f"<operators {self.__name__}: {', '.join(dir(self)) or 'none'}>"
