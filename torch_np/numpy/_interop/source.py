"""Executes the source of NumPy's Python modules again as modules of this package, with imports of
`numpy` redirected to `torch_np.numpy`. They thus compute on this package's arrays, with gradients
and on devices.

Note [NumPy's source]
The code is that of the module's own bytecode cache, unchanged. Only `__import__` among its builtins
is replaced. Functions of the module also use it when they import. A NumPy module that it imports
becomes this package's module of the same name: a file of this package, or one that `_private`
finds.
"""
from __future__ import annotations

import builtins
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

import numpy as _numpy

from torch_np import _C

PACKAGE = "torch_np.numpy"


def numpys_name(name: str) -> str:
    """Returns NumPy's name of a module of this package: `numpy.ma` for `torch_np.numpy.ma`."""
    return name.removeprefix("torch_np.")


def find(name: str) -> str | None:
    """Returns NumPy's source file for module `name` of this package; None without such a file. It
    imports nothing.
    """
    path, origin = list(_numpy.__path__), None
    for part in numpys_name(name).split(".")[1:]:
        spec = PathFinder.find_spec(part, path)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        path, origin = list(spec.submodule_search_locations or ()), spec.origin
    return origin


def execute(name: str, numpy: ModuleType | None = None) -> None:
    """Executes NumPy's source for module `name` in that module. With `numpy`, `import numpy`
    returns that module during the execution, in place of `torch_np.numpy`. Errors: ImportError if
    the installed NumPy has no such source.
    """
    found = find(name)
    if found is None:
        raise ImportError(f"NumPy {_numpy.__version__} has no source of {numpys_name(name)}", name=name)
    module = sys.modules[name]
    code = SourceFileLoader(name, found).get_code(name)
    assert code is not None
    names = vars(module)
    names["__builtins__"] = builtins_ = _BUILTINS.copy()
    if numpy is not None:
        builtins_["__import__"] = _importing(numpy)
    device = _C._get_default_device()
    # for the module's constants, which move to the device of other operands when used
    _C._set_default_device("cpu")
    try:
        exec(code, names)
    finally:
        _C._set_default_device(device)
    builtins_["__import__"] = _import
    if numpy is not None:
        names.update((k, sys.modules[PACKAGE]) for k, v in list(names.items()) if v is numpy)


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> ModuleType:
    """`__import__` for the executed source."""
    if level or name.partition(".")[0] != "numpy":
        return builtins.__import__(name, globals, locals, fromlist, level)
    module = builtins.__import__("torch_np." + name, globals, locals, fromlist)
    return module if fromlist else sys.modules[PACKAGE]


def _importing(numpy):
    def importing(name, *args):
        found = _import(name, *args)
        return numpy if name == "numpy" and found is sys.modules[PACKAGE] else found
    return importing


_BUILTINS = vars(builtins) | {"__import__": _import}
