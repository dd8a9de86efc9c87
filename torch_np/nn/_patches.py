"""torch_np.nn.functional.fold and unfold."""
from __future__ import annotations

from collections.abc import Sequence

from torch_np import Tensor
from torch_np._C import _torch_nn_functional as _C

__all__ = ["fold", "unfold"]

_Ints = int | Sequence[int]


def _pair(value: _Ints) -> list[int]:
    return [int(v) for v in value] if isinstance(value, (tuple, list)) else [int(value)] * 2  # type: ignore[arg-type]


def unfold(input: Tensor, kernel_size: _Ints, dilation: _Ints = 1, padding: _Ints = 0, stride: _Ints = 1) -> Tensor:
    """Extracts the patches of images under a sliding kernel, as columns.

    Args:
      input: images
      kernel_size: size of the kernel, one number or two
      dilation: distance between the elements of the kernel
      padding: zeros added at both ends of each axis
      stride: step of the kernel

    Shapes: `input` (N, C, H, W) or (C, H, W), the result (N, C * kernel elements, patches) or
    without N.
    Dtypes: floats and complex numbers.
    Errors: RuntimeError for numbers and shapes that do not fit.
    """
    return _C._unfold(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input: Tensor, output_size: _Ints, kernel_size: _Ints, dilation: _Ints = 1, padding: _Ints = 0, stride: _Ints = 1) -> Tensor:
    """Sums patches into images; it is the transpose of `unfold`, so overlapping patches are added.

    Args:
      input: patches as columns
      output_size: height and width of the images
      kernel_size: size of the kernel, one number or two
      dilation: distance between the elements of the kernel
      padding: zeros added at both ends of each axis
      stride: step of the kernel

    Shapes: `input` (N, C * kernel elements, patches) or without N, the result (N, C, H, W) or (C,
    H, W).
    Dtypes: floats and complex numbers.
    Errors: RuntimeError for numbers and shapes that do not fit, and unless `output_size` has two
    numbers.
    """
    size = _pair(output_size)
    if len(size) != 2:
        raise RuntimeError(f"fold(): output_size {output_size} must have two numbers")
    return _C._fold(input, size[0], size[1], _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
