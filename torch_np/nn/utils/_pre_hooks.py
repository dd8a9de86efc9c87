"""Lookup of the forward pre-hooks that recompute a weight."""
from __future__ import annotations

from typing import Any

from torch_np.nn.modules.module import Module


def find(module: Module, kind: type, name: str) -> tuple[int, Any] | None:
    """The key in the module's table and the hook of class `kind` for the parameter `name`; None if
    there is none."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            return number, hook
    return None
