"""One module on several GPUs of one process. Here on one device, which is what programs ask for where there is no second one."""
from __future__ import annotations

from typing import Any

from torch_np.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


def _one_device(device_ids: Any) -> None:
    if device_ids is not None and len(list(device_ids)) > 1:
        raise NotImplementedError("data_parallel(): several devices are not implemented; give one in device_ids, or take DistributedDataParallel")


def data_parallel(module: Module, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0, module_kwargs: Any = None) -> Any:
    """module(*inputs) on one device. Shapes: those of the module. Errors: NotImplementedError for several `device_ids`."""
    _one_device(device_ids)
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


class DataParallel(Module):
    """`module` under the name `module`, so that states have PyTorch's names; on one device. Errors: as data_parallel."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        _one_device(device_ids)
        self.module = module
        self.device_ids, self.output_device, self.dim = device_ids, output_device, dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives. Shapes: those of the module."""
        return self.module(*inputs, **kwargs)
