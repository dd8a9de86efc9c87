"""torch_np.utils._mode_utils: helpers of modes."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_np._transforms.dispatch import no_dispatch as no_dispatch

__all__ = ["all_same_mode", "no_dispatch"]


def all_same_mode(modes: Sequence[Any]) -> bool:
    """Whether all modes are the same.

    Args:
      modes: The modes, at least one.
    """
    return all(mode == modes[0] for mode in modes)
