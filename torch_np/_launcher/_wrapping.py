"""Functions of libraries that the launcher wraps when their module is imported."""
from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from torch_np._launcher._finder import found_by_others

# By the names of modules: paths of functions, or of methods of classes.
Paths = Mapping[str, Sequence[str]]

_tables: list[tuple[Paths, Callable[[Any], Any]]] = []


def wrap_when_imported(*tables: tuple[Paths, Callable[[Any], Any]]) -> None:
    """Wraps functions of modules that are imported later.

    Args:
      tables: Each the paths of functions, and what makes the new function of such a function. A
        path that a version of the library lacks is skipped.
    """
    _tables.extend(tables)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def _wrap(module: ModuleType, name: str) -> None:
    for table, wrapped in _tables:
        for path in table.get(name, ()):
            *within, last = path.split(".")
            owner: Any = module
            for part in within:
                owner = getattr(owner, part, None)
            if (function := inspect.getattr_static(owner, last, None)) is not None:
                setattr(owner, last, wrapped(function))


class _Loader:
    """Loader of a library's module, whose functions are then wrapped."""

    def __init__(self, loader: Any) -> None:
        self.wrapped = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.wrapped.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec: Any = module.__spec__
        module.__loader__ = spec.loader = self.wrapped
        self.wrapped.exec_module(module)
        _wrap(module, spec.name)

    def __getattr__(self, name: str) -> Any:  # sources and resources come from the wrapped loader
        return getattr(self.wrapped, name)


class _Finder:
    """The finder in `sys.meta_path` of the modules in the tables."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not any(name in table for table, _ in _tables):
            return None
        spec: Any = found_by_others(self, name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


_finder = _Finder()
