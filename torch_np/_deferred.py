"""Lazy modules: a module object that imports its contents at the first attribute access.

Rarely used modules thus do not slow down the import of the package, and their module objects exist
from the start. A `__getattr__` of the package would be simpler. But CPython looks up names in a
module with `__getattr__` without its inline cache: 275 instructions for the `np.add` of each
`np.add(a, b)`.
"""
from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Attributes that the import machinery reads from every module; they do not trigger the import.
_KNOWN_BEFORE = frozenset(("__class__", "__name__", "__file__", "__path__", "__package__", "__cached__", "__loader__", "__spec__"))


class DeferredModule(ModuleType):
    """A module that is imported at the first access to one of its attributes, and is an ordinary
    module from then on.

    Until then it is not in `sys.modules`, so that an import statement for it, or for a submodule,
    imports it first. Errors: those of the module's import, raised again at each access.
    """

    def __getattribute__(self, name: str) -> Any:
        if name not in _KNOWN_BEFORE:
            _load(self)
            if type(self) is not DeferredModule:
                # the new type may be a class with a __getattr__, for example a mirror
                return getattr(self, name)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _KNOWN_BEFORE:
            _load(self)
        ModuleType.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        _load(self)
        return dir(self)


def _load(module):
    """Imports the module by the import system, whose locks make other threads wait. The importing
    thread sees the partly initialised module.
    """
    importlib.import_module(ModuleType.__getattribute__(module, "__name__"))


class Loader:
    """Loader that executes a module into the existing module object."""

    def __init__(self, module: ModuleType, loader: Any):
        self._module, self.wrapped = module, loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        self.wrapped.exec_module(module)
        if type(module) is DeferredModule:
            setattr(module, "__class__", ModuleType)
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = getattr(self.wrapped, 'wrapped', self.wrapped)  # that of the launcher wraps another one
        _specs.pop(module.__spec__.name, None)

    def __getattr__(self, name: str) -> Any:  # sources and resources come from the wrapped loader
        return getattr(self.wrapped, name)


_specs: dict[str, ModuleSpec] = {}  # specs of the modules that are not yet loaded


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return _specs.get(name)


sys.meta_path.insert(0, _Finder)


def wrap_loaders(wrap: Callable[[str, Any], Any]) -> None:
    """Replaces the loaders of the modules that are not yet loaded by `wrap(name, loader)`."""
    for name, spec in _specs.items():
        assert isinstance(spec.loader, Loader)
        spec.loader.wrapped = wrap(name, spec.loader.wrapped)


def defer(spec: ModuleSpec) -> ModuleType:
    """Returns a lazy module for `spec`."""
    module = importlib.util.module_from_spec(spec)
    spec.loader = module.__loader__ = Loader(module, spec.loader)  # type: ignore[assignment]
    _specs[spec.name] = spec
    setattr(module, "__class__", DeferredModule)
    return module


def deferred(full_name: str) -> Any:
    """Returns the module of that name, loaded or lazy; None if it does not exist."""
    if full_name in sys.modules:
        return sys.modules[full_name]
    spec = importlib.util.find_spec(full_name)
    if spec is None:
        return None
    if isinstance(spec.loader, Loader):  # it is a lazy module already
        return spec.loader.create_module(spec)
    return defer(spec)
