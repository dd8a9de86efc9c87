"""torch_np.cuda.amp: mixed precision on GPUs, by PyTorch's older names."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np import amp
from torch_np._deferred import deferred as _deferred
from torch_np._torch.autocasting import warn_of_older_name
from torch_np._C import float16

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):  # noqa: N801  (PyTorch's name)
    """`torch_np.amp.autocast("cuda", ...)`, which has no effect but a warning without a GPU.

    Args:
      enabled: Whether operators cast.
      dtype: Dtype to cast to.
      cache_enabled: Whether casts of parameters are cached.
    """

    def __init__(self, enabled: bool = True, dtype: Any = float16, cache_enabled: bool = True) -> None:
        warn_of_older_name("cuda", "autocast")
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch_np.amp.GradScaler("cuda", ...)`.

    Args:
      init_scale: First scale.
      growth_factor: Factor of the scale after `growth_interval` steps without infinite gradients.
      backoff_factor: Factor of the scale after a step with infinite gradients.
      growth_interval: Number of steps.
      enabled: Whether to scale.
    """

    def __init__(self, init_scale: float = 2.0 ** 16, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000,
                 enabled: bool = True) -> None:
        warn_of_older_name("cuda", "GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: Any = None) -> Callable[..., Any]:
    """`torch_np.amp.custom_fwd(fwd, device_type="cuda", ...)`.

    Args:
      fwd: Method `forward` of a Function; None returns a decorator.
      cast_inputs: Dtype to cast inputs to.
    """
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Callable[..., Any]:
    """`torch_np.amp.custom_bwd(bwd, device_type="cuda")`.

    Args:
      bwd: Method `backward` of a Function.
    """
    return amp.custom_bwd(bwd, device_type="cuda")


def amp_definitely_not_available() -> bool:
    """Whether there is no GPU."""
    from torch_np import cuda
    return not cuda.is_available()


globals().update((_name, _deferred(f"torch_np.cuda.amp.{_name}")) for _name in ("autocast_mode", "common", "grad_scaler"))
