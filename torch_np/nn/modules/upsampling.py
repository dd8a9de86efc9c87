"""Larger pictures."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Interpolation to `size`, or by `scale_factor`; `mode`: 'nearest', 'linear', 'bilinear', 'bicubic' or 'trilinear'."""

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size, self.mode, self.align_corners, self.recompute_scale_factor = size, mode, align_corners, recompute_scale_factor
        self.scale_factor = tuple(float(f) for f in scale_factor) if isinstance(scale_factor, tuple) else float(scale_factor) if scale_factor else None

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, ...) with one to three further axes."""
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             recompute_scale_factor=self.recompute_scale_factor)

    def extra_repr(self) -> str:
        return (f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}") + f", mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Nearest neighbours of pictures."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Bilinear interpolation of pictures whose corners stay."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
