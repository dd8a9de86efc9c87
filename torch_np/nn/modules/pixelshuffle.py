"""Modules that rearrange channels into pixels and back (Shi et al., 2016), and channels between
groups.
"""
from __future__ import annotations

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module

__all__ = ["ChannelShuffle", "PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Rearranges channels into pixels: (*, C r^2, H, W) to (*, C, H r, W r).

    Args:
      upscale_factor: the factor r
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (*, C r^2, H, W); the result is (*, C, H r, W r)."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Rearranges pixels into channels: (*, C, H r, W r) to (*, C r^2, H, W).

    Args:
      downscale_factor: the factor r
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (*, C, H r, W r); the result is (*, C r^2, H, W)."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Interleaves the channels of groups: order (g, n) becomes (n, g), for g groups (Zhang et al.,
    2018).

    Args:
      groups: number of groups
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, ...); the result has the same shape."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
