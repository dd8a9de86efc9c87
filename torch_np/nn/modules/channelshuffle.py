"""A module that rearranges channels between groups."""
from __future__ import annotations

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


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
