"""The hooks by which weights are made anew before each call."""
from __future__ import annotations

from typing import Any

from torch_np.nn.modules.module import Module


def find(module: Module, kind: type, name: str) -> tuple[int, Any] | None:
    """The hook of class `kind` for the parameter `name`, with its number, if there is one."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            return number, hook
    return None
