"""torch_np.amp.grad_scaler: the scaling of losses."""
from __future__ import annotations

import enum

from torch_np.amp import GradScaler as GradScaler

__all__ = ["GradScaler", "OptState"]


class OptState(enum.Enum):
    """State of an optimizer between two updates of the scale."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2
