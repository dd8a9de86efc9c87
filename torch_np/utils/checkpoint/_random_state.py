"""States of the random generators before a computation, for its repetition."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch_np import _C
from torch_np.utils._pytree import tree_iter


def get_device_states(*args: Any) -> tuple[list[int], list[_C.Tensor]]:
    """Returns the GPUs of the tensors among the arguments, and the states of their random
    generators.

    Args:
      args: Tensors, also in containers; other objects are skipped.

    Shapes: any.
    """
    from torch_np import cuda

    devices = sorted({int(t.device.index) for a in args for t in tree_iter(a) if isinstance(t, _C.Tensor) and t.device.index is not None})
    return devices, [cuda.get_rng_state(i) for i in devices]


def set_device_states(devices: list[int], states: list[_C.Tensor], *, device_type: str | None = None) -> None:
    """Sets the states of the random generators of some GPUs.

    Args:
      devices: Indices of the GPUs.
      states: States that `get_device_states` returned.
      device_type: 'cuda', or None for it.

    Shapes: as `cuda.get_rng_state` gives them.
    Errors: NotImplementedError for another type of devices.
    """
    from torch_np import cuda

    if device_type not in (None, "cuda", "cpu", "meta"):
        raise NotImplementedError(f"set_device_states(): device_type must be 'cuda', not {device_type!r}")
    for index, state in zip(devices, states, strict=True):
        cuda.set_rng_state(state, index)


class RandomState:
    """The states of the generators of the CPU and of the GPUs of some arguments."""

    def __init__(self, args: Any) -> None:
        self._cpu = _C._default_torch_generator().get_state()
        self._devices, self._states = get_device_states(args)

    @contextmanager
    def restored(self) -> Iterator[None]:
        """A context in which the generators begin at these states; later they go on from where they
        were.
        """
        from torch_np import cuda

        generator = _C._default_torch_generator()
        before, on_gpus = generator.get_state(), [cuda.get_rng_state(i) for i in self._devices]
        generator.set_state(self._cpu)
        set_device_states(self._devices, self._states)
        try:
            yield
        finally:
            generator.set_state(before)
            set_device_states(self._devices, on_gpus)
