"""Hooks of saved tensors: functions that replace the tensors that operators save for backward."""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from torch_np import _C

__all__ = ["disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]


class _Thread(threading.local):
    depth = 0                       # number of active hooks of this thread
    disabled: str | None = None     # the error message, within disable_saved_tensors_hooks


_thread = _Thread()


class saved_tensors_hooks:
    """Context manager: operators within it save `pack_hook(tensor)` for backward instead of the
    tensor, and backward reads `unpack_hook` of it.

    `pack_hook` must not change the tensor. Python numbers among the operands are not packed. If
    contexts are nested, the innermost one is used.

    Args:
      pack_hook: function of a Tensor, which returns any object
      unpack_hook: function of this object, which returns a Tensor of the same content

    Errors: TypeError for hooks that are not callable; RuntimeError within
    `disable_saved_tensors_hooks`. Operators raise RuntimeError if `pack_hook` changes the tensor,
    backward raises TypeError if `unpack_hook` does not return a Tensor.
    """

    def __init__(self, pack_hook: Callable[[_C.Tensor], Any], unpack_hook: Callable[[Any], _C.Tensor]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if _thread.disabled is not None:
            raise RuntimeError(_thread.disabled)
        _C._push_saved_tensor_hooks(self.pack_hook, self.unpack_hook)
        _thread.depth += 1

    def __exit__(self, *exception: object) -> None:
        _C._pop_saved_tensor_hooks()
        _thread.depth -= 1


class save_on_cpu(saved_tensors_hooks):
    """Context manager: operators within it save their tensors in the memory of the host, and
    backward copies them back to their device.

    Args:
      pin_memory: whether the host memory is pinned, if there is a GPU
      device_type: "cuda"; tensors of the CPU are saved without a copy
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        from torch_np import cuda
        pins = pin_memory and device_type == "cuda" and cuda.is_available()

        def pack(tensor: _C.Tensor) -> tuple[Any, _C.Tensor]:
            kept = tensor.detach().cpu()
            return tensor.device, kept.pin_memory() if pins and not tensor.device.type == "cpu" else kept

        def unpack(packed: tuple[Any, _C.Tensor]) -> _C.Tensor:
            device, tensor = packed
            return tensor.to(device, non_blocking=pins)

        super().__init__(pack, unpack)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Context manager within which `saved_tensors_hooks` raises.

    Args:
      error_message: text of the error

    Errors: RuntimeError with this text if hooks are active already.
    """
    if _thread.depth:
        raise RuntimeError(error_message)
    before, _thread.disabled = _thread.disabled, error_message
    try:
        yield
    finally:
        _thread.disabled = before
