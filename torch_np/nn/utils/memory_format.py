"""Conversion of the weights of convolutions to a memory format."""
from __future__ import annotations

from typing import Any, TypeVar

from torch_np.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from torch_np.nn.modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

_M = TypeVar("_M", bound=Module)


def _convert(module, memory_format, kinds):
    for part in module.modules():
        if isinstance(part, kinds):
            part.weight.data = part.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """Stores the weights of all convolutions of images within a module in a memory format, and
    returns the module.

    Args:
      module: the module
      memory_format: such as torch_np.channels_last
    """
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """Stores the weights of all convolutions of volumes within a module in a memory format, and
    returns the module.

    Args:
      module: the module
      memory_format: such as torch_np.channels_last_3d
    """
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
