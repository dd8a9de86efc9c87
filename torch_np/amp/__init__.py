"""torch_np.amp: automatic mixed precision, and scaling of losses for it."""
from __future__ import annotations

from torch_np._deferred import deferred as _deferred
from torch_np._torch.autocasting import (
    autocast as autocast, custom_bwd as custom_bwd, custom_fwd as custom_fwd, is_autocast_available as is_autocast_available,
)
from torch_np._torch.mixed_precision import GradScaler as GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

for _value in (GradScaler, autocast, custom_bwd, custom_fwd, is_autocast_available):
    _value.__module__ = __name__
globals().update((_name, _deferred(f"torch_np.amp.{_name}")) for _name in ("autocast_mode", "grad_scaler"))
