"""torch_np.nn.functional.grid_sample and affine_grid."""
from __future__ import annotations

import warnings
from collections.abc import Sequence

import torch_np
from torch_np import Tensor

__all__ = ["GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES", "affine_grid", "grid_sample"]

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _aligned(name: str, align_corners: bool | None) -> bool:
    if align_corners is None:
        warnings.warn(f"{name}(): align_corners is False by default: -1 and 1 are the outer edges of the image, not the centres of its "
                      "outermost pixels", stacklevel=3)
    return bool(align_corners)


def grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> Tensor:
    """Samples images or volumes at given coordinates.

    Args:
      input: images or volumes
      grid: coordinates x and y (and z for volumes), from -1 to 1 across the image
      mode: 'bilinear', 'nearest' or 'bicubic'
      padding_mode: values outside the image: 'zeros', 'border' or 'reflection'
      align_corners: whether -1 and 1 are the centres of the outermost pixels instead of their outer
        edges

    Shapes: `input` (N, C, H, W), `grid` (N, H', W', 2), the result (N, C, H', W'); or (N, C, D, H,
    W), (N, D', H', W', 3) and (N, C, D', H', W').
    Dtypes: floats.
    Errors: ValueError for unknown modes, RuntimeError for shapes and dtypes that do not fit.
    """
    if mode not in GRID_SAMPLE_INTERPOLATION_MODES:
        raise ValueError(f"grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'")
    if padding_mode not in GRID_SAMPLE_PADDING_MODES:
        raise ValueError(f"grid_sample(): expected padding_mode to be 'zeros', 'border' or 'reflection', but got: '{padding_mode}'")
    return torch_np.grid_sampler(input, grid, GRID_SAMPLE_INTERPOLATION_MODES[mode], GRID_SAMPLE_PADDING_MODES[padding_mode], _aligned("grid_sample", align_corners))


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid for `grid_sample` that applies affine maps to an image.

    Args:
      theta: matrices of the affine maps
      size: size of the image, (N, C, H, W) or (N, C, D, H, W)
      align_corners: whether -1 and 1 are the centres of the outermost pixels instead of their outer
        edges

    Shapes: `theta` (N, 2, 3), the result (N, H, W, 2); or (N, 3, 4) and (N, D, H, W, 3).
    Dtypes: floats.
    Errors: ValueError if `theta` has neither a float dtype nor such a shape, and for sizes below 1;
    NotImplementedError unless `size` has 4 or 5 numbers.
    """
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) == 4:
        fits = theta.dim() == 3 and theta.shape[-2] == 2 and theta.shape[-1] == 3
    elif len(size) == 5:
        fits = theta.dim() == 3 and theta.shape[-2] == 3 and theta.shape[-1] == 4
    else:
        raise NotImplementedError(f"affine_grid(): size {tuple(size)} must have 4 or 5 numbers")
    if not fits:
        raise ValueError(f"Expected a batch of affine matrices for size {tuple(size)}. Got {tuple(theta.shape)}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    return torch_np.affine_grid_generator(theta, list(size), _aligned("affine_grid", align_corners))
