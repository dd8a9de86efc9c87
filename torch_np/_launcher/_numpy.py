"""`import numpy` under the launcher: torch_np.numpy for the program and for packages in Python, NumPy
for packages with compiled code that needs it. Note [In NumPy's place] of
csrc/module/numpys_place.cpp says how.
"""
from __future__ import annotations

import builtins
import functools
import importlib
import importlib.util
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import torch_np.numpy
from torch_np import _C, _public_names
from torch_np._launcher import _compiled_for_numpy, _entries

# The bits of csrc/module/numpys_place.cpp.
OURS_IMPORTED, NUMPYS_CLASS = 1, 2
# Code that uses NumPy and also sees the class of our arrays: NumPy itself, whose functions hand such
# arrays back to torch_np, torch_np, and importlib, which finds specs by `__import__` of their parents.
_NEITHER = frozenset(("importlib", "numpy", _public_names.OURS, _public_names.TORCH, "torch_np_dask", "functorch"))
# Packages in Python that find the arrays' library by `x.__class__` or by `sys.modules["numpy"]`.
_BOTH = frozenset(("narwhals", "opt_einsum"))
# Packages in Python that ask `type(x) is numpy.ndarray` of arrays from packages with compiled code (ptwt), or that
# derive classes of structured arrays from numpy.ndarray (vector).
_OF_TYPES = frozenset(("ptwt", "vector"))

_views: dict[str, int] = {}  # by the full names of modules
_chosen: dict[str, bool] = {}  # by packages: whether they use NumPy


def take_place(numpy_for: Iterable[str] = (), no_numpy_for: Iterable[str] = ()) -> None:
    """Lets `import numpy` find torch_np.numpy, now that the arguments have changed or for the first
    time.

    Args:
      numpy_for: Names of packages that get NumPy, though nothing compiled for it is found in them.
      no_numpy_for: Names of packages that get torch_np.numpy in any case.

    Warnings: RuntimeWarning if the program has imported NumPy already.
    """
    _chosen.update({name: True for name in numpy_for} | {name: False for name in no_numpy_for})
    _views.clear()
    if _is_placed():
        return
    if any(value is sys.modules["numpy"] for value in vars(sys.modules["__main__"]).values()):
        warnings.warn("torch_np.install(): the program has imported NumPy already, and keeps it in the names that it has; call install() before "
                      "the first `import numpy`", RuntimeWarning, stacklevel=4)
    _uses_numpy.cache_clear()
    replaced = builtins.__import__
    builtins.__import__ = _C._take_numpys_place(_views, _view, None if getattr(replaced, "__self__", None) is builtins else replaced, torch_np.numpy)
    importlib.import_module = _import_module(importlib.import_module)
    _entries.convert_at_entries()


def chosen() -> dict[str, bool]:
    """Returns the packages for which the user has decided: whether they use NumPy."""
    return dict(_chosen)


def _is_placed() -> bool:
    return hasattr(importlib.import_module, "_of_launcher")


def _view(names: dict[str, Any] | None) -> int:
    """Returns the bits of the module with the globals `names`, and keeps them by its name."""
    frame: Any = sys._getframe(1) if names is None or "__name__" not in names else None
    while frame is not None and "__name__" not in frame.f_globals:  # code that exec() runs
        frame = frame.f_back
    names = names if frame is None else frame.f_globals
    name = names.get("__name__", "") if names is not None else ""
    if not isinstance(name, str):
        return OURS_IMPORTED
    spec = names.get("__spec__") if names is not None and name == "__main__" else None
    bits = _views[name] = _bits(getattr(spec, "name", None) or name)
    return bits


def _bits(module: str) -> int:
    top = module.partition(".")[0]
    if top in _NEITHER:
        return 0
    if not (_chosen[top] if top in _chosen else _uses_numpy(top)):
        return OURS_IMPORTED | (NUMPYS_CLASS if top in _BOTH else 0)
    return NUMPYS_CLASS


@functools.cache
def _uses_numpy(package: str) -> bool:
    if package in sys.stdlib_module_names or package == "__main__":
        return False
    if package in _OF_TYPES:
        return True
    folders = getattr(sys.modules.get(package), "__path__", ())
    return any(_compiled_for_numpy.is_in(folder) for folder in list(folders))


def _import_module(replaced: Any) -> Any:
    """Returns the function in place of importlib.import_module, which is `replaced`."""
    @functools.wraps(replaced)
    def import_module(name: str, package: str | None = None) -> Any:
        whole = importlib.util.resolve_name(name, package) if package and name.startswith(".") else name
        if (whole == "numpy" or whole.startswith("numpy.")) and _view(sys._getframe(1).f_globals) & OURS_IMPORTED:
            try:
                return replaced(f"torch_np.{whole}")
            except ModuleNotFoundError:  # NumPy does not have it either; the error names the module as the program does
                pass
        return replaced(name, package)

    setattr(import_module, "_of_launcher", True)
    return import_module
