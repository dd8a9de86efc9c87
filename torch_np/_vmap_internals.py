"""torch_np._vmap_internals: vmap by its name before torch_np.func."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np.func import vmap as vmap

__all__ = ["vmap"]


def _vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False) -> Callable[..., Any]:
    """As `torch_np.func.vmap`. `allow_none_pass_through` has no effect."""
    return vmap(func, in_dims, out_dims)
