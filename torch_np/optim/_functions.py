"""The functional form of each optimiser in its own module. It is imported when it is used."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def functions(module: str, *names: str) -> Callable[[str], Any]:
    """Returns a `__getattr__` of a module that finds the functions of torch_np.optim.functional of these names."""
    def attribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(importlib.import_module("torch_np.optim.functional"), name)
    return attribute
