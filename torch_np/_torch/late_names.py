"""Names at the top of torch_np whose modules are imported when they are used."""
from __future__ import annotations

from typing import Any


def attribute(name: str) -> Any:
    """The `__getattr__` of torch_np. Errors: AttributeError for all other names."""
    if name == "ScriptModule":
        from torch_np.jit import ScriptModule

        return ScriptModule
    if name == "vmap":
        from torch_np.func import vmap

        return vmap
    raise AttributeError(f"module 'torch_np' has no attribute {name!r}")
