"""torch_np.amp: loss scaling, and the interface of mixed precision without its casts.

Operators are never cast. `autocast` accepts `enabled=False`, as programs on a CPU use it, and
raises otherwise. For a GPU that does not exist it warns and does nothing.
"""
from __future__ import annotations

from torch_np._torch.mixed_precision import (
    GradScaler as GradScaler, autocast as autocast, custom_bwd as custom_bwd, custom_fwd as custom_fwd,
    is_autocast_available as is_autocast_available,
)

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

for _value in (GradScaler, autocast, custom_bwd, custom_fwd, is_autocast_available):
    _value.__module__ = __name__
