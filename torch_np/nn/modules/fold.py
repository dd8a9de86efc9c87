"""Modules that extract the patches of images as columns, and sum columns into images."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """Sums patches, given as columns, into images; overlapping patches are added.

    Args:
      output_size: height and width of the images
      kernel_size: size of the kernel, one number or two
      dilation: distance between the elements of the kernel
      padding: zeros added at both ends of each axis
      stride: step of the kernel
    """

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C * kernel elements, patches) or without N; the result is (N, C,
        *output_size) or without N.
        """
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
                f"stride={self.stride}")


class Unfold(Module):
    """Extracts the patches of images under a sliding kernel, as columns.

    Args:
      kernel_size: size of the kernel, one number or two
      dilation: distance between the elements of the kernel
      padding: zeros added at both ends of each axis
      stride: step of the kernel
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W) or (C, H, W); the result is (N, C * kernel elements, patches) or
        without N.
        """
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
