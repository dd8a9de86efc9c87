"""DataParallel for one device, as PyTorch programs use it on machines with a single GPU."""
from __future__ import annotations

from typing import Any

from torch_np.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


def _one_device(device_ids: Any) -> None:
    if device_ids is not None and len(list(device_ids)) > 1:
        raise NotImplementedError("data_parallel(): several devices are not implemented; give one in device_ids, or take DistributedDataParallel")


def data_parallel(module: Module, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0, module_kwargs: Any = None) -> Any:
    """Calls a module on one device.

    Args:
      module: the module
      inputs: argument, or tuple of arguments
      device_ids: list of at most one device
      output_device: accepted for compatibility; has no effect
      dim: accepted for compatibility; has no effect
      module_kwargs: keyword arguments

    Shapes: those of the module.
    Errors: NotImplementedError for several `device_ids`.
    """
    _one_device(device_ids)
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


class DataParallel(Module):
    """Wraps a module under the attribute `module`, so that its state has PyTorch's names; it runs
    on one device.

    Args:
      module: the module
      device_ids: list of at most one device
      output_device: accepted for compatibility; has no effect
      dim: accepted for compatibility; has no effect

    Errors: NotImplementedError for several `device_ids`.
    """

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        _one_device(device_ids)
        self.module = module
        self.device_ids, self.output_device, self.dim = device_ids, output_device, dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The result of the module.

        Shapes: those of the module.
        """
        return self.module(*inputs, **kwargs)
