"""PyTorch's parts of DataParallel, for one device."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np.nn.modules.module import Module
from torch_np.nn.parallel.data_parallel import on_device_of


def _one(function: str, devices: Any) -> list[Any]:
    listed = list(devices) if isinstance(devices, (list, tuple, range)) else [devices]
    if len(listed) > 1:
        raise NotImplementedError(f"{function}(): several devices are not implemented; give one, or take DistributedDataParallel")
    return listed


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> list[Any]:
    """Moves the tensors among the inputs to the one device, and returns a list of one entry.

    Args:
      inputs: tensors, also within tuples, lists and dictionaries
      target_gpus: list of one device
      dim: axis along which PyTorch splits batches for several devices

    Shapes: those of the inputs.
    Errors: NotImplementedError for several devices.
    """
    return [on_device_of(_one("scatter", target_gpus), inputs)]


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Concatenates results of several calls on a device, also within tuples, lists and
    dictionaries.

    Args:
      outputs: results of the same structure
      target_device: the device
      dim: axis along which tensors are concatenated; tensors of no axis get one

    Shapes: those of the results, with the sum of their sizes along `dim`.
    """
    first = outputs[0]
    device = torch_np.device("cuda", target_device) if isinstance(target_device, int) and target_device >= 0 else target_device
    device = torch_np.device("cpu") if device == -1 else torch_np.device(device)
    if isinstance(first, torch_np.Tensor):
        return torch_np.cat([(t.reshape(1) if t.dim() == 0 else t).to(device) for t in outputs], 0 if first.dim() == 0 else dim)
    if first is None:
        return None
    if isinstance(first, dict):
        return type(first)((k, gather([o[k] for o in outputs], target_device, dim)) for k in first)
    parts = [gather(part, target_device, dim) for part in zip(*outputs)]
    return type(first)._make(parts) if hasattr(type(first), "_make") else type(first)(parts)


def parallel_apply(modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Sequence[dict[str, Any]] | None = None,
                   devices: Sequence[Any] | None = None) -> list[Any]:
    """Calls each of several modules with its inputs, one after another, and returns the results.

    Args:
      modules: the modules
      inputs: argument, or tuple of arguments, of each module
      kwargs_tup: keywords of each module
      devices: no effect: each module is called where its parameters are

    Shapes: those of the modules.
    Errors: AssertionError for other numbers of inputs or keywords than of modules.
    """
    if len(modules) != len(inputs) or (kwargs_tup is not None and len(kwargs_tup) != len(modules)):
        raise AssertionError(f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}, or of keywords")
    keywords = kwargs_tup or [{}] * len(modules)
    return [module(*(args if isinstance(args, (tuple, list)) else (args,)), **kw) for module, args, kw in zip(modules, inputs, keywords)]


def replicate(network: Module, devices: Any, detach: bool = False) -> list[Module]:
    """Returns a list of the module itself, for one device.

    Args:
      network: the module
      devices: list of one device
      detach: must be False: the parameters of the module itself are not detached

    Errors: NotImplementedError for several devices, and for `detach`.
    """
    _one("replicate", devices)
    if detach:
        raise NotImplementedError("replicate(): detach=True is not implemented; call the module under torch_np.no_grad() instead")
    return [network]
