"""Pooling layers."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module
from torch_np.nn.modules.utils import ntuple
# Names that layers of packages import from here.
from torch_np.nn.common_types import (
    _ratio_2_t as _ratio_2_t, _ratio_3_t as _ratio_3_t, _size_1_t as _size_1_t, _size_2_opt_t as _size_2_opt_t, _size_2_t as _size_2_t,
    _size_3_opt_t as _size_3_opt_t, _size_3_t as _size_3_t, _size_any_opt_t as _size_any_opt_t, _size_any_t as _size_any_t,
)
from torch_np.nn.modules.utils import _pair as _pair, _single as _single, _triple as _triple

__all__ = ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d",
           "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d",
           "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _MaxPoolNd(Module):
    return_indices: bool

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False,
                 ceil_mode: bool = False) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.return_indices, self.ceil_mode = padding, dilation, return_indices, ceil_mode

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
                f"ceil_mode={self.ceil_mode}")

    def _pooled(self, function, input):
        return function(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
                        return_indices=self.return_indices)


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of signals.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      return_indices: also return the index of each maximum
      ceil_mode: round output sizes up instead of down
    """

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, L) or (C, L); the result is (N, C, L') or (C, L') with L' = (L + 2 padding
        - dilation (kernel_size - 1) - 1) // stride + 1.
        """
        return self._pooled(F.max_pool1d, input)


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of images.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      return_indices: also return the index of each maximum
      ceil_mode: round output sizes up instead of down
    """

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, H, W) or (C, H, W); the result is (N, C, H', W') or (C, H', W'), each size
        by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
        """
        return self._pooled(F.max_pool2d, input)


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of volumes.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      return_indices: also return the index of each maximum
      ceil_mode: round output sizes up instead of down
    """

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, D, H, W) or (C, D, H, W); the result is (N, C, D', H', W') or without N,
        each size by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
        """
        return self._pooled(F.max_pool3d, input)


class _MaxUnpoolNd(Module):
    dimensions: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        n = self.dimensions
        self.kernel_size = ntuple(kernel_size, n)
        self.stride, self.padding = ntuple(kernel_size if stride is None else stride, n), ntuple(padding, n)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """A partial inverse of MaxPool1d: zeros, with each maximum at its index.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: padding of the pooling
    """

    dimensions = 1

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Shapes: input and `indices`, as returned by the pooling, (N, C, L) or (C, L); the result
        has `output_size`, by default (L - 1) stride - 2 padding + kernel_size, for L.
        """
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """A partial inverse of MaxPool2d: zeros, with each maximum at its index.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: padding of the pooling
    """

    dimensions = 2

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Shapes: input and `indices`, as returned by the pooling, (N, C, H, W) or (C, H, W); the
        result has `output_size`, by default (H - 1) stride - 2 padding + kernel_size, for H, and
        the same for W.
        """
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """A partial inverse of MaxPool3d: zeros, with each maximum at its index.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: padding of the pooling
    """

    dimensions = 3

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Shapes: input and `indices`, as returned by the pooling, (N, C, D, H, W) or (C, D, H, W);
        the result has `output_size`, by default (D - 1) stride - 2 padding + kernel_size, for D,
        and the same for H and W.
        """
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AvgPool1d(Module):
    """The mean of each window of signals.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: zeros added at both ends of each axis
      ceil_mode: round output sizes up instead of down
      count_include_pad: count the padding in the divisor
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = ntuple(kernel_size, 1), ntuple(kernel_size if stride is None else stride, 1), ntuple(padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, L) or (C, L); the result has (L + 2 padding - kernel_size) // stride + 1
        for L.
        """
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPoolNd(Module):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
                 divisor_override: int | None = None) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"

    def _pooled(self, function, input):
        return function(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of images.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: zeros added at both ends of each axis
      ceil_mode: round output sizes up instead of down
      count_include_pad: count the padding in the divisor
      divisor_override: divisor to use instead of the number of elements
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W) or (C, H, W); the result has (H + 2 padding - kernel_size) // stride
        + 1 for H, and the same for W.
        """
        return self._pooled(F.avg_pool2d, input)


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of volumes.

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: zeros added at both ends of each axis
      ceil_mode: round output sizes up instead of down
      count_include_pad: count the padding in the divisor
      divisor_override: divisor to use instead of the number of elements
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, D, H, W) or (C, D, H, W); the result has (D + 2 padding - kernel_size) //
        stride + 1 for D, and the same for H and W.
        """
        return self._pooled(F.avg_pool3d, input)


class _FractionalMaxPoolNd(Module):
    dimensions: int

    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
                 _random_samples: Tensor | None = None) -> None:
        super().__init__()
        n = self.dimensions
        self.kernel_size = ntuple(kernel_size, n)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else ntuple(output_size, n)
        self.output_ratio = None if output_ratio is None else ntuple(output_ratio, n)
        if output_size is None and output_ratio is None:
            raise ValueError(f"FractionalMaxPool{n}d requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _pooled(self, function, input):
        return function(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The maxima of windows at random distances in each image (Graham, 2014).

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      output_size: size of the result
      output_ratio: size of the result relative to that of `input`, one number for each axis
      return_indices: also return the index of each maximum
      _random_samples: numbers in [0, 1) that determine the windows; drawn by default

    Errors: ValueError unless exactly one of `output_size` and `output_ratio` is given, and for a
    ratio outside (0, 1).
    """

    dimensions = 2

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, H, W) or (C, H, W); the result has `output_size` for H and W."""
        return self._pooled(F.fractional_max_pool2d, input)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The maxima of windows at random distances in each volume (Graham, 2014).

    Args:
      kernel_size: size of the window, one number for all axes or one for each
      output_size: size of the result
      output_ratio: size of the result relative to that of `input`, one number for each axis
      return_indices: also return the index of each maximum
      _random_samples: numbers in [0, 1) that determine the windows; drawn by default

    Errors: ValueError unless exactly one of `output_size` and `output_ratio` is given, and for a
    ratio outside (0, 1).
    """

    dimensions = 3

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, D, H, W) or (C, D, H, W); the result has `output_size` for D, H and W."""
        return self._pooled(F.fractional_max_pool3d, input)


class _LPPoolNd(Module):
    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def extra_repr(self) -> str:
        return f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, ceil_mode={self.ceil_mode}"


class LPPool1d(_LPPoolNd):
    """The p-norm of each window of signals, `sum(x ** p) ** (1 / p)`.

    Args:
      norm_type: order p of the norm
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      ceil_mode: round output sizes up instead of down
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, L) or (C, L); the result has (L - kernel_size) // stride + 1 for L."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of images, `sum(x ** p) ** (1 / p)`.

    Args:
      norm_type: order p of the norm
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      ceil_mode: round output sizes up instead of down
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W) or (C, H, W); the result has (H - kernel_size) // stride + 1 for H,
        and the same for W.
        """
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of volumes, `sum(x ** p) ** (1 / p)`.

    Args:
      norm_type: order p of the norm
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      ceil_mode: round output sizes up instead of down
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, D, H, W) or (C, D, H, W); the result has (D - kernel_size) // stride + 1
        for D, and the same for H and W.
        """
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _AdaptiveMaxPoolNd(Module):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` parts of each signal, of sizes as equal as possible.

    Args:
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: also return the index of each maximum
    """

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, L) or (C, L); the result has `output_size` for L."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` parts of each image, of sizes as equal as possible.

    Args:
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: also return the index of each maximum
    """

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, H, W) or (C, H, W); the result has `output_size` for H and W."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maxima of `output_size` parts of each volume, of sizes as equal as possible.

    Args:
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: also return the index of each maximum
    """

    def forward(self, input: Tensor) -> Any:
        """Shapes: (N, C, D, H, W) or (C, D, H, W); the result has `output_size` for D, H and W."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The means of `output_size` parts of each signal, of sizes as equal as possible.

    Args:
      output_size: size of the result, one number for all axes or one for each; None keeps a size
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, L) or (C, L); the result has `output_size` for L."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The means of `output_size` parts of each image, of sizes as equal as possible.

    Args:
      output_size: size of the result, one number for all axes or one for each; None keeps a size
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W) or (C, H, W); the result has `output_size` for H and W."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The means of `output_size` parts of each volume, of sizes as equal as possible.

    Args:
      output_size: size of the result, one number for all axes or one for each; None keeps a size
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, D, H, W) or (C, D, H, W); the result has `output_size` for D, H and W."""
        return F.adaptive_avg_pool3d(input, self.output_size)
