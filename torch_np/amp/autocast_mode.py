"""torch_np.amp.autocast_mode: the context manager of mixed precision."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np._torch.autocasting import cast as _cast  # noqa: F401
from torch_np.amp import (
    autocast as autocast, custom_bwd as custom_bwd, custom_fwd as custom_fwd, is_autocast_available as is_autocast_available,
)

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]


def autocast_decorator(autocast_instance: autocast, func: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that runs in a context of mixed precision.

    Args:
      autocast_instance: The context.
      func: The function.
    """
    return autocast_instance(func)
