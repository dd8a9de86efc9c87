"""torch_np.random: seeds and states of the default random generators."""
from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torch_np import cuda
from torch_np._torch.random import (
    default_generator as default_generator, get_rng_state as get_rng_state, initial_seed as initial_seed, manual_seed as manual_seed,
    seed as seed, set_rng_state as set_rng_state,
)
from torch_np._torch.settings import thread_safe_generator as thread_safe_generator

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state", "thread_safe_generator"]


@contextlib.contextmanager
def fork_rng(devices: Iterable[DeviceLike] | None = None, enabled: bool = True, _caller: str = "fork_rng", _devices_kw: str = "devices",
             device_type: str | None = None) -> Iterator[None]:
    """Restores the states of the default generators at the end of a `with` block.

    Args:
      devices: GPUs whose generators are restored, too; None is all GPUs.
      enabled: Whether to restore them.
      device_type: Type of the devices: None, 'cuda' or 'cpu'.

    Errors: RuntimeError for another type of device.
    """
    if device_type not in (None, "cuda", "cpu", "meta"):
        raise RuntimeError(f"fork_rng(): the device type '{device_type}' does not exist; expected 'cuda' or 'cpu'")
    if not enabled:
        yield
        return
    if device_type in ("cpu", "meta") or not cuda.is_available():
        gpus: list[DeviceLike] = []
    else:
        gpus = list(range(cuda.device_count())) if devices is None else list(devices)
    state = get_rng_state()
    states = [cuda.get_rng_state(gpu) for gpu in gpus]
    try:
        yield
    finally:
        set_rng_state(state)
        for gpu, gpu_state in zip(gpus, states):
            cuda.set_rng_state(gpu_state, gpu)
