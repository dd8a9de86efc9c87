"""torch_np.utils.data._utils.pin_memory: batches in pinned memory."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch_np import _C
from torch_np.utils.data._utils.collate import _rebuilt


def pin_memory(data: Any, device: Any = None) -> Any:
    """`data` with its tensors copied to pinned memory."""
    if isinstance(data, _C.Tensor):
        return data.pin_memory() if data.is_cpu else data
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return _rebuilt(data, {k: pin_memory(v) for k, v in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(v) for v in data))
    if isinstance(data, tuple):
        return [pin_memory(v) for v in data]
    if isinstance(data, Sequence):
        return _rebuilt(data, [pin_memory(v) for v in data])
    pin: Callable[[], Any] | None = getattr(data, "pin_memory", None)
    return pin() if callable(pin) else data
