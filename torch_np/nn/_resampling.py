"""Interpolation functions of torch_np.nn.functional: argument handling in Python around operators
in C++.
"""
from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from torch_np import Tensor
from torch_np._C import _torch_nn_functional as _C

__all__ = [
    "interpolate", "upsample", "upsample_nearest", "upsample_bilinear",
]

_MODES = {"nearest": (3, 4, 5), "nearest-exact": (3, 4, 5), "area": (3, 4, 5), "linear": (3,), "bilinear": (4,), "bicubic": (4,),
          "trilinear": (5,)}


def _numbers(value: Any, dims: int, name: str) -> list[Any]:
    if isinstance(value, (tuple, list)):
        if len(value) != dims:
            raise ValueError(f"Input and output must have the same number of spatial dimensions: {name} {value} is for {len(value)}, the "
                             f"input has {dims}")
        return list(value)
    return [value] * dims


def interpolate(input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None,
                mode: str = "nearest", align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
                antialias: bool = False) -> Tensor:
    """Resizes signals, images or volumes.

    Args:
      input: input tensor
      size: new sizes, one number for all spatial axes or one for each
      scale_factor: new sizes relative to the old ones
      mode: 'nearest' (with the rounding of older libraries), 'nearest-exact', 'linear' for one
        spatial axis, 'bilinear' or 'bicubic' for two, 'trilinear' for three, or 'area', the means
        of parts
      align_corners: keep the centres of the outermost pixels in place; for the linear and cubic
        modes
      recompute_scale_factor: compute positions from the sizes instead of the given factor
      antialias: average over all covered pixels when shrinking; for 'bilinear' and 'bicubic'

    Shapes: `input` (N, C, size...) with one to three spatial axes, the result (N, C, new size...).
    Dtypes: floats, and uint8 with rounding.
    Errors: ValueError or NotImplementedError for arguments that contradict each other, RuntimeError
    for sizes below 1.
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
    elif align_corners is None:
        align_corners = False
    dims = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    scales: list[float] | None = None
    if size is not None:
        sizes = [int(s) for s in _numbers(size, dims, "size")]
    else:
        scales = [float(s) for s in _numbers(scale_factor, dims, "scale_factor")]
        sizes = []
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if mode == "area" and scales is not None or recompute_scale_factor:
        assert scales is not None
        sizes, scales = [math.floor(float(n) * s) for n, s in zip(input.shape[2:], scales)], None
    elif scales is not None:
        sizes = [math.floor(float(n) * s) for n, s in zip(input.shape[2:], scales)]
    if antialias and not (mode in ("bilinear", "bicubic") and input.dim() == 4):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input")
    if mode not in _MODES or input.dim() not in _MODES[mode]:
        raise NotImplementedError(f"interpolate(): an input of {input.dim()} dimensions, and mode '{mode}': there are nearest, nearest-exact "
                                  "and area of 3 to 5 dimensions, linear of 3, bilinear and bicubic of 4, trilinear of 5")
    if mode == "area":
        return _C._adaptive_avg_pool(input, sizes)
    factors = [0.0] * 3 if scales is None else scales + [0.0] * (3 - dims)
    return _C._resize(input, sizes, mode, bool(align_corners), antialias, *factors)


def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None) -> Tensor:
    """Resizes signals, images or volumes; a deprecated name of `interpolate`.

    Args:
      input: input tensor
      size: new sizes
      scale_factor: new sizes relative to the old ones
      mode: interpolation mode
      align_corners: keep the centres of the outermost pixels in place

    Shapes: `input` (N, C, size...), the result (N, C, new size...).
    Errors: ValueError or NotImplementedError for arguments that contradict each other, RuntimeError
    for sizes below 1.
    """
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resizes by nearest neighbours; a deprecated name of `interpolate` with `mode='nearest'`.

    Args:
      input: input tensor
      size: new sizes
      scale_factor: new sizes relative to the old ones

    Shapes: `input` (N, C, size...), the result (N, C, new size...).
    Errors: ValueError or NotImplementedError for arguments that contradict each other, RuntimeError
    for sizes below 1.
    """
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resizes images bilinearly; a deprecated name of `interpolate` with `mode='bilinear'` and
    `align_corners=True`.

    Args:
      input: input tensor
      size: new sizes
      scale_factor: new sizes relative to the old ones

    Shapes: `input` (N, C, H, W), the result (N, C, new H, new W).
    Errors: ValueError or NotImplementedError for arguments that contradict each other, RuntimeError
    for sizes below 1.
    """
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
