"""torch_np.cpu.amp: mixed precision on the CPU, by PyTorch's older names."""
from __future__ import annotations

from typing import Any

from torch_np import amp
from torch_np._torch.autocasting import warn_of_older_name
from torch_np._C import bfloat16

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):  # noqa: N801  (PyTorch's name)
    """`torch_np.amp.autocast("cpu", ...)`.

    Args:
      enabled: Whether operators cast.
      dtype: Dtype to cast to.
      cache_enabled: Whether casts of parameters are cached.
    """

    def __init__(self, enabled: bool = True, dtype: Any = bfloat16, cache_enabled: bool = True) -> None:
        warn_of_older_name("cpu", "autocast")
        super().__init__("cpu", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch_np.amp.GradScaler("cpu", ...)`.

    Args:
      init_scale: First scale.
      growth_factor: Factor of the scale after `growth_interval` steps without infinite gradients.
      backoff_factor: Factor of the scale after a step with infinite gradients.
      growth_interval: Number of steps.
      enabled: Whether to scale.
    """

    def __init__(self, init_scale: float = 2.0 ** 16, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000,
                 enabled: bool = True) -> None:
        warn_of_older_name("cpu", "GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
