"""Modules that cost an import when something in them is first asked for: what few programs use does not slow the others' start. The
module objects are there from the start. A `__getattr__` of the package would do as well, but CPython looks up the names of a module that
has one without its inline cache: 275 instructions for the `np.add` of each `np.add(a, b)`.
"""
from __future__ import annotations

import importlib.util
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# What import machinery and those who look through sys.modules ask of every module.
_KNOWN_BEFORE = frozenset(("__class__", "__name__", "__file__", "__path__", "__package__", "__cached__", "__loader__", "__warningregistry__"))

_loading = threading.RLock()  # the thread that loads a module sees it as far as it is


class DeferredModule(ModuleType):
    """A module that is executed when something in it is first asked for, and then is as any other. Errors: those of its import, each
    time anew."""

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
    with _loading:
        if type(module) is not DeferredModule:  # another thread did
            return
        names = ModuleType.__getattribute__(module, "__dict__")
        spec: ModuleSpec = names["__spec__"]
        if spec.loader_state is _loading:  # this thread is at it
            return
        spec.loader_state = _loading
        assert spec.loader is not None
        try:
            spec.loader.exec_module(module)
        finally:
            spec.loader_state = None
        if type(module) is DeferredModule:
            setattr(module, "__class__", ModuleType)


def deferred(full_name: str) -> Any:
    """The module of that name, loaded or not; None if there is none."""
    if full_name in sys.modules:
        return sys.modules[full_name]
    spec = importlib.util.find_spec(full_name)
    if spec is None:
        return None
    module = importlib.util.module_from_spec(spec)
    setattr(module, "__class__", DeferredModule)
    sys.modules[full_name] = module
    return module
