"""DataParallel for one device, as PyTorch programs use it on machines with a single GPU."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


def _one_device(device_ids: Any) -> None:
    if device_ids is not None and len(list(device_ids)) > 1:
        raise NotImplementedError("data_parallel(): several devices are not implemented; give one in device_ids, or take DistributedDataParallel")


def on_device_of(device_ids: Any, value: Any) -> Any:
    """Returns `value` with the Tensors in its tuples, lists and dictionaries moved to the one device of
    `device_ids`; `value` itself if there is none.
    """
    ids = list(device_ids or ())
    return _moved(value, torch_np.device("cuda", ids[0]) if isinstance(ids[0], int) else torch_np.device(ids[0])) if ids else value


def _moved(value, device):
    if isinstance(value, torch_np.Tensor):
        return value.to(device)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return type(value)._make(_moved(v, device) for v in value)
    if type(value) in (tuple, list):
        return type(value)(_moved(v, device) for v in value)
    if isinstance(value, dict):
        return type(value)({key: _moved(v, device) for key, v in value.items()})
    return value


def data_parallel(module: Module, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0, module_kwargs: Any = None) -> Any:
    """Calls a module on one device.

    Args:
      module: the module
      inputs: argument, or tuple of arguments
      device_ids: list of at most one device, to which tensors among the arguments are moved
      output_device: no effect: one device needs no place to gather results
      dim: no effect: one device needs no axis to split batches along
      module_kwargs: keyword arguments

    Shapes: those of the module.
    Errors: NotImplementedError for several `device_ids`.
    """
    _one_device(device_ids)
    inputs = on_device_of(device_ids, inputs if isinstance(inputs, tuple) else (inputs,))
    return module(*inputs, **on_device_of(device_ids, module_kwargs or {}))


class DataParallel(Module):
    """Wraps a module under the attribute `module`, so that its state has PyTorch's names; it runs
    on one device.

    Args:
      module: the module
      device_ids: list of at most one device, to which tensors among the arguments are moved
      output_device: no effect: one device needs no place to gather results
      dim: no effect: one device needs no axis to split batches along

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
        return self.module(*on_device_of(self.device_ids, inputs), **on_device_of(self.device_ids, kwargs))
