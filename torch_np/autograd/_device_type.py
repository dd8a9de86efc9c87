"""Types of devices, by PyTorch's names."""
from __future__ import annotations

import enum


class DeviceType(enum.Enum):
    """Types of devices, as events of profiles name them. Events of this package are of the CPU."""

    CPU, CUDA = 0, 1
