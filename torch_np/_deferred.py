"""Modules that cost an import when something in them is first asked for: what few programs use does not slow the others' start. The
module objects are there from the start. A `__getattr__` of the package would do as well, but CPython looks up the names of a module that
has one without its inline cache: 275 instructions for the `np.add` of each `np.add(a, b)`.
"""
from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# What import machinery asks of every module.
_KNOWN_BEFORE = frozenset(("__class__", "__name__", "__file__", "__path__", "__package__", "__cached__", "__loader__", "__spec__"))


class DeferredModule(ModuleType):
    """A module that is imported when something in it is first asked for, and then is as any other. It is not in `sys.modules` before, so that
    an import of it, or of a module in it, imports it first. Errors: those of its import, each time anew."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _KNOWN_BEFORE:
            _load(self)
            if type(self) is not DeferredModule:
                return getattr(self, name)  # which may be a class with a __getattr__: a mirror
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _KNOWN_BEFORE:
            _load(self)
        ModuleType.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        _load(self)
        return dir(self)


def _load(module):
    """By the import system, whose locks let other threads wait; the thread that loads it sees it as far as it is."""
    importlib.import_module(ModuleType.__getattribute__(module, "__name__"))


class _Loader:
    """Executes the module that is there already."""

    def __init__(self, module: ModuleType, loader: Any):
        self._module, self._loader = module, loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        if type(module) is DeferredModule:
            setattr(module, "__class__", ModuleType)
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self._loader
        _specs.pop(module.__name__, None)

    def __getattr__(self, name: str) -> Any:  # sources, resources
        return getattr(self._loader, name)


_specs: dict[str, ModuleSpec] = {}  # of those that are not loaded


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return _specs.get(name)


sys.meta_path.insert(0, _Finder)


def defer(spec: ModuleSpec) -> ModuleType:
    """A module of that spec, not loaded."""
    module = importlib.util.module_from_spec(spec)
    spec.loader = module.__loader__ = _Loader(module, spec.loader)  # type: ignore[assignment]
    _specs[spec.name] = spec
    setattr(module, "__class__", DeferredModule)
    return module


def deferred(full_name: str) -> Any:
    """The module of that name, loaded or not; None if there is none."""
    if full_name in sys.modules:
        return sys.modules[full_name]
    spec = importlib.util.find_spec(full_name)
    if spec is None:
        return None
    if isinstance(spec.loader, _Loader):  # it waits already
        return spec.loader.create_module(spec)
    return defer(spec)
