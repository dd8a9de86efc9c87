"""Upsampling layers."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module
# Names that layers of packages import from here.
from torch_np.nn.common_types import (
    _ratio_2_t as _ratio_2_t, _ratio_any_t as _ratio_any_t, _size_2_t as _size_2_t, _size_any_t as _size_any_t,
)

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Resizes signals, images or volumes by interpolation.

    Args:
      size: new sizes
      scale_factor: new sizes relative to the old ones
      mode: 'nearest', 'linear', 'bilinear', 'bicubic' or 'trilinear'
      align_corners: keep the centres of the outermost pixels in place
      recompute_scale_factor: compute positions from the sizes instead of the given factor
    """

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size, self.mode, self.align_corners, self.recompute_scale_factor = size, mode, align_corners, recompute_scale_factor
        self.scale_factor = tuple(float(f) for f in scale_factor) if isinstance(scale_factor, tuple) else float(scale_factor) if scale_factor else None

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, size...) with one to three spatial axes; the result is (N, C, new
        size...).
        """
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             recompute_scale_factor=self.recompute_scale_factor)

    def extra_repr(self) -> str:
        return (f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}") + f", mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resizes images by nearest neighbours.

    Args:
      size: new sizes
      scale_factor: new sizes relative to the old ones
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resizes images bilinearly, with the centres of the corner pixels in place.

    Args:
      size: new sizes
      scale_factor: new sizes relative to the old ones
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
