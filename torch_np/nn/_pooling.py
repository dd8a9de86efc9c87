"""Pooling functions of torch_np.nn.functional: argument handling in Python around operators in C++.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _torch_nn_functional as _C
from torch_np._torch.autocasting import ruled as _ruled

__all__ = [
    "max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices", "max_pool1d", "max_pool2d", "max_pool3d",
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d_with_indices", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
    "fractional_max_pool2d_with_indices", "fractional_max_pool3d_with_indices", "fractional_max_pool2d", "fractional_max_pool3d",
    "max_unpool1d", "max_unpool2d", "max_unpool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d",
]

_Ints = int | Sequence[int]


def _ints(value: _Ints | None, default: _Ints = ()) -> list[int]:
    value = default if value is None else value
    return [operator.index(v) for v in value] if isinstance(value, (tuple, list)) else [operator.index(value)]  # type: ignore[arg-type]


def _max_pool(dims: int, input: Tensor, kernel_size: _Ints, stride: _Ints | None, padding: _Ints, dilation: _Ints,
              ceil_mode: bool) -> tuple[Tensor, Tensor]:
    return _C._max_pool(input, _ints(kernel_size), _ints(stride), _ints(padding), _ints(dilation), ceil_mode, dims)


def max_pool1d_with_indices(input: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0, dilation: _Ints = 1,
                            ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The maximum of each window of signals, and its index.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      ceil_mode: round output sizes up instead of down
      return_indices: accepted for compatibility; indices are always returned

    Shapes: `input` (N, C, L) or (C, L), both results (N, C, L') or (C, L') with L' = (L + 2 padding
    - dilation (kernel_size - 1) - 1) // stride + 1.
    Dtypes: all real dtypes except bool; indices are int64.
    Errors: RuntimeError for windows that do not fit, and for a `padding` of more than half the
    kernel; NotImplementedError for any other dtype.
    """
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(input: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0, dilation: _Ints = 1,
                            ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The maximum of each window of images, and its index.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      ceil_mode: round output sizes up instead of down
      return_indices: accepted for compatibility; indices are always returned

    Shapes: `input` (N, C, H, W) or (C, H, W), both results (N, C, H', W') or (C, H', W'), each size
    by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
    Dtypes: all real dtypes except bool; indices are int64.
    Errors: RuntimeError for windows that do not fit, and for a `padding` of more than half the
    kernel; NotImplementedError for any other dtype.
    """
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(input: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0, dilation: _Ints = 1,
                            ceil_mode: bool = False, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The maximum of each window of volumes, and its index.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      ceil_mode: round output sizes up instead of down
      return_indices: accepted for compatibility; indices are always returned

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), both results (N, C, D', H', W') or without N,
    each size by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
    Dtypes: all real dtypes except bool; indices are int64.
    Errors: RuntimeError for windows that do not fit, and for a `padding` of more than half the
    kernel; NotImplementedError for any other dtype.
    """
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode)


def _values(pair: tuple[Tensor, Tensor], return_indices: bool) -> Any:
    return (pair[0], pair[1]) if return_indices else pair[0]


def max_pool1d(input: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0, dilation: _Ints = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The maximum of each window of signals.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      ceil_mode: round output sizes up instead of down
      return_indices: also return the index of each maximum within its plane

    Shapes: `input` (N, C, L) or (C, L), the result (N, C, L') or (C, L') with L' = (L + 2 padding -
    dilation (kernel_size - 1) - 1) // stride + 1.
    Dtypes: all real dtypes except bool.
    Errors: RuntimeError for windows that do not fit, and for a `padding` of more than half the
    kernel; NotImplementedError for any other dtype.
    """
    return _values(_max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode), return_indices)


def max_pool2d(input: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0, dilation: _Ints = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The maximum of each window of images.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      ceil_mode: round output sizes up instead of down
      return_indices: also return the index of each maximum within its plane

    Shapes: `input` (N, C, H, W) or (C, H, W), the result (N, C, H', W') or (C, H', W'), each size
    by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
    Dtypes: all real dtypes except bool.
    Errors: RuntimeError for windows that do not fit, and for a `padding` of more than half the
    kernel; NotImplementedError for any other dtype.
    """
    return _values(_max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode), return_indices)


_max_pool_of_float32 = _ruled("float32", "inner")(_max_pool)


def max_pool3d(input: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0, dilation: _Ints = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The maximum of each window of volumes.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: elements added at both ends of each axis, which never win the maximum
      dilation: distance between the elements of a window
      ceil_mode: round output sizes up instead of down
      return_indices: also return the index of each maximum within its plane

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), the result (N, C, D', H', W') or without N,
    each size by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1.
    Dtypes: all real dtypes except bool.
    Errors: RuntimeError for windows that do not fit, and for a `padding` of more than half the
    kernel; NotImplementedError for any other dtype.
    """
    pool = _max_pool if return_indices else _max_pool_of_float32  # in autocast, as in PyTorch
    return _values(pool(3, input, kernel_size, stride, padding, dilation, ceil_mode), return_indices)


def _output_size(dims: int, input: Tensor, output_size: Any) -> list[int]:
    """One size for each axis; None is replaced by the input's size."""
    several = isinstance(output_size, (tuple, list))
    sizes = list(output_size) if several else [output_size] * dims
    # PyTorch raises ValueError for an input without channels if the sizes are a list, else
    # RuntimeError.
    if several and input.dim() <= len(sizes):
        raise ValueError(f"input of shape {tuple(input.shape)} does not have {len(sizes)} dimensions after the channels")
    if len(sizes) != dims:
        raise RuntimeError(f"output_size {output_size} must have {dims} numbers")
    if input.dim() < dims:
        raise RuntimeError(f"input of shape {tuple(input.shape)} does not have {dims} dimensions after the channels")
    return [int(given) if given is not None else size for given, size in zip(sizes, input.shape[-dims:])]


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of `output_size` parts of each image, of sizes as equal as possible.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size

    Shapes: `input` (N, C, H, W) or (C, H, W), the result with `output_size` for H and W.
    Dtypes: floats.
    Errors: RuntimeError for shapes and sizes that do not fit; ValueError for an input without
    channels if `output_size` is a list.
    """
    return _C._adaptive_avg_pool(input, _output_size(2, input, output_size))


@_ruled("float32", "inner")
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of `output_size` parts of each volume, of sizes as equal as possible.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), the result with `output_size` for D, H and W.
    Dtypes: floats.
    Errors: RuntimeError for shapes and sizes that do not fit; ValueError for an input without
    channels if `output_size` is a list.
    """
    return _C._adaptive_avg_pool(input, _output_size(3, input, output_size))


def _adaptive_max_pool(dims: int, input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    return _C._adaptive_max_pool(input, _output_size(dims, input, output_size))


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The maxima of `output_size` parts of each signal, and their indices.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: accepted for compatibility; indices are always returned

    Shapes: `input` (N, C, L) or (C, L), both results with `output_size` for L.
    Errors: RuntimeError for shapes and sizes that do not fit.
    """
    return _adaptive_max_pool(1, input, output_size)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The maxima of `output_size` parts of each image, and their indices.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: accepted for compatibility; indices are always returned

    Shapes: `input` (N, C, H, W) or (C, H, W), both results with `output_size` for H and W.
    Errors: RuntimeError for shapes and sizes that do not fit.
    """
    return _adaptive_max_pool(2, input, output_size)


@_ruled("float32", "inner")
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The maxima of `output_size` parts of each volume, and their indices.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: accepted for compatibility; indices are always returned

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), both results with `output_size` for D, H and W.
    Errors: RuntimeError for shapes and sizes that do not fit.
    """
    return _adaptive_max_pool(3, input, output_size)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of `output_size` parts of each signal, of sizes as equal as possible.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: also return the index of each maximum within its plane

    Shapes: `input` (N, C, L) or (C, L), the result with `output_size` for L.
    Errors: RuntimeError for shapes and sizes that do not fit.
    """
    return _values(_adaptive_max_pool(1, input, output_size), return_indices)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of `output_size` parts of each image, of sizes as equal as possible.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: also return the index of each maximum within its plane

    Shapes: `input` (N, C, H, W) or (C, H, W), the result with `output_size` for H and W.
    Errors: RuntimeError for shapes and sizes that do not fit.
    """
    return _values(_adaptive_max_pool(2, input, output_size), return_indices)


@_ruled("float32", "inner")
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of `output_size` parts of each volume, of sizes as equal as possible.

    Args:
      input: input tensor
      output_size: size of the result, one number for all axes or one for each; None keeps a size
      return_indices: also return the index of each maximum within its plane

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), the result with `output_size` for D, H and W.
    Errors: RuntimeError for shapes and sizes that do not fit.
    """
    return _values(_adaptive_max_pool(3, input, output_size), return_indices)


def _fractional(dims: int, input: Tensor, kernel_size: _Ints, output_size: _Ints | None, output_ratio: Any,
                samples: Tensor | None) -> tuple[Tensor, Tensor]:
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): input of shape {tuple(input.shape)} must have {dims + 1} or {dims + 2} dimensions")
    if output_size is None:
        if len(output_ratio) != dims:
            raise RuntimeError(f"{name}(): output_ratio {output_ratio} must have {dims} numbers")
        sizes = [int(size * ratio) for size, ratio in zip(input.shape[-dims:], output_ratio)]
    else:
        sizes = _ints(output_size)
        sizes = sizes * dims if len(sizes) == 1 else sizes
    if samples is None:
        planes = input.shape[:-dims] if input.dim() == dims + 2 else (1, input.shape[0])
        samples = torch_np.rand(*planes, dims, dtype=input.dtype, device=input.device)
    return _C._fractional_max_pool(input, _ints(kernel_size), sizes, samples)


@_ruled("float32", "inner")
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: _Ints, output_size: _Ints | None = None, output_ratio: Any = None,
                                       return_indices: bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The maxima of windows at random distances in each image, and their indices.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      output_size: size of the result
      output_ratio: size of the result relative to that of `input`, one number for each axis
      return_indices: accepted for compatibility; indices are always returned
      _random_samples: numbers in [0, 1) that determine the windows; drawn by default

    Shapes: `input` (N, C, H, W) or (C, H, W), both results with `output_size` for H and W;
    `_random_samples` (N, C, 2).
    Dtypes: indices are int64.
    Errors: ValueError without a size and ratio, RuntimeError for windows that do not fit.
    Source: Graham, Fractional max-pooling, arXiv 1412.6071.
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


@_ruled("float32", "inner")
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: _Ints, output_size: _Ints | None = None, output_ratio: Any = None,
                                       return_indices: bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The maxima of windows at random distances in each volume, and their indices.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      output_size: size of the result
      output_ratio: size of the result relative to that of `input`, one number for each axis
      return_indices: accepted for compatibility; indices are always returned
      _random_samples: numbers in [0, 1) that determine the windows; drawn by default

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), both results with `output_size` for D, H and W;
    `_random_samples` (N, C, 3).
    Dtypes: indices are int64.
    Errors: ValueError without a size and ratio, RuntimeError for windows that do not fit.
    Source: Graham, Fractional max-pooling, arXiv 1412.6071.
    """
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


@_ruled("float32", "inner")
def fractional_max_pool2d(input: Tensor, kernel_size: _Ints, output_size: _Ints | None = None, output_ratio: Any = None,
                          return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:
    """The maxima of windows at random distances in each image.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      output_size: size of the result
      output_ratio: size of the result relative to that of `input`, one number for each axis
      return_indices: also return the index of each maximum within its plane
      _random_samples: numbers in [0, 1) that determine the windows; drawn by default

    Shapes: `input` (N, C, H, W) or (C, H, W), the result with `output_size` for H and W;
    `_random_samples` (N, C, 2).
    Errors: ValueError without a size and ratio, RuntimeError for windows that do not fit.
    Source: Graham, Fractional max-pooling, arXiv 1412.6071.
    """
    return _values(_fractional(2, input, kernel_size, output_size, output_ratio, _random_samples), return_indices)


@_ruled("float32", "inner")
def fractional_max_pool3d(input: Tensor, kernel_size: _Ints, output_size: _Ints | None = None, output_ratio: Any = None,
                          return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:
    """The maxima of windows at random distances in each volume.

    Args:
      input: input tensor
      kernel_size: size of the window, one number for all axes or one for each
      output_size: size of the result
      output_ratio: size of the result relative to that of `input`, one number for each axis
      return_indices: also return the index of each maximum within its plane
      _random_samples: numbers in [0, 1) that determine the windows; drawn by default

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), the result with `output_size` for D, H and W;
    `_random_samples` (N, C, 3).
    Errors: ValueError without a size and ratio, RuntimeError for windows that do not fit.
    Source: Graham, Fractional max-pooling, arXiv 1412.6071.
    """
    return _values(_fractional(3, input, kernel_size, output_size, output_ratio, _random_samples), return_indices)


def _unpooled_size(dims: int, input: Tensor, kernel_size: _Ints, stride: _Ints | None, padding: _Ints,
                   output_size: Sequence[int] | None) -> list[int]:
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(f"max_unpool{dims}d(): input of shape {tuple(input.shape)} must have {dims + 1} or {dims + 2} dimensions")
    kernel = _ints(kernel_size)
    kernel = kernel * dims if len(kernel) == 1 else kernel
    strides = kernel if stride is None else _ints(stride) * (dims if isinstance(stride, int) else 1)
    if dims == 3 and min(strides, default=1) < 1:
        raise RuntimeError(f"max_unpool3d(): stride {stride} must be positive")
    paddings = _ints(padding) * (dims if isinstance(padding, int) else 1)
    default = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[-dims:], strides, paddings, kernel)]
    if output_size is None:
        return default
    sizes = list(output_size)
    if len(sizes) == dims + 2:
        sizes = sizes[2:]
    if len(sizes) != dims:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of '{len(output_size)}'")
    for given, usual, step in zip(sizes, default, strides):
        if not usual - step < given < usual + step:
            raise ValueError(f"invalid output_size {sizes}: {given} is not between {usual - step} and {usual + step}")
    return sizes


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0,
                 output_size: Sequence[int] | None = None) -> Tensor:
    """A partial inverse of `max_pool1d`: zeros, with each element of `input` at its index.

    Args:
      input: maxima
      indices: indices of the maxima, as returned by the pooling
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: padding of the pooling
      output_size: size of the result, if the default does not match

    Shapes: `input` and `indices` (N, C, L) or (C, L), the result with (L - 1) `stride` - 2
    `padding` + `kernel_size`, or `output_size`, for L.
    Errors: ValueError for an `output_size` that the pooling does not map to L, RuntimeError for
    indices outside the plane.
    """
    return _C._max_unpool(input, indices, _unpooled_size(1, input, kernel_size, stride, padding, output_size))


@_ruled("float32", "inner")
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0,
                 output_size: Sequence[int] | None = None) -> Tensor:
    """A partial inverse of `max_pool2d`: zeros, with each element of `input` at its index.

    Args:
      input: maxima
      indices: indices of the maxima, as returned by the pooling
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: padding of the pooling
      output_size: size of the result, if the default does not match

    Shapes: `input` and `indices` (N, C, H, W) or (C, H, W); the sizes of the result are (H - 1)
    `stride` - 2 `padding` + `kernel_size`, the same for W, or `output_size`.
    Errors: ValueError for an `output_size` that the pooling does not map to this size, RuntimeError
    for indices outside the plane.
    """
    return _C._max_unpool(input, indices, _unpooled_size(2, input, kernel_size, stride, padding, output_size))


@_ruled("float32", "inner")
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0,
                 output_size: Sequence[int] | None = None) -> Tensor:
    """A partial inverse of `max_pool3d`: zeros, with each element of `input` at its index.

    Args:
      input: maxima
      indices: indices of the maxima, as returned by the pooling
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      padding: padding of the pooling
      output_size: size of the result, if the default does not match

    Shapes: `input` and `indices` (N, C, D, H, W) or (C, D, H, W); the sizes of the result are (D -
    1) `stride` - 2 `padding` + `kernel_size`, the same for H and W, or `output_size`.
    Errors: ValueError for an `output_size` that the pooling does not map to this size; RuntimeError
    for indices outside the volume, and unless `stride` is positive.
    """
    return _C._max_unpool(input, indices, _unpooled_size(3, input, kernel_size, stride, padding, output_size))


def _lp_pool(dims: int, input: Tensor, norm_type: float, kernel_size: _Ints, stride: _Ints | None, ceil_mode: bool) -> Tensor:
    if norm_type == 0:
        raise ValueError(f"lp_pool{dims}d(): norm_type must not be 0")
    average = (None, torch_np.avg_pool1d, _C.avg_pool2d, _C.avg_pool3d)[dims]
    kernel = _ints(kernel_size)
    kernel = kernel * dims if len(kernel) == 1 else kernel
    if dims > 1 and len(kernel) != dims:
        raise ValueError(f"lp_pool{dims}d(): kernel_size {kernel_size} must have {dims} numbers")
    assert average is not None
    means = average(input.pow(norm_type), kernel, _ints(stride), 0, ceil_mode)
    return (torch_np.sign(means) * torch_np.relu(torch_np.abs(means))).mul(math.prod(kernel)).pow(1.0 / norm_type)


def lp_pool1d(input: Tensor, norm_type: int | float, kernel_size: _Ints, stride: _Ints | None = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of signals, `sum(x ** p) ** (1 / p)`.

    Args:
      input: input tensor
      norm_type: order p of the norm
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      ceil_mode: round output sizes up instead of down

    Shapes: `input` (N, C, L) or (C, L), the result with (L - `kernel_size`) // `stride` + 1 for L.
    Dtypes: floats.
    Errors: ValueError for a `norm_type` of 0, RuntimeError for windows that do not fit.
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input: Tensor, norm_type: int | float, kernel_size: _Ints, stride: _Ints | None = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of images, `sum(x ** p) ** (1 / p)`.

    Args:
      input: input tensor
      norm_type: order p of the norm
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      ceil_mode: round output sizes up instead of down

    Shapes: `input` (N, C, H, W) or (C, H, W), the result with (H - `kernel_size`) // `stride` + 1
    for H, and the same for W.
    Dtypes: floats.
    Errors: ValueError for a `norm_type` of 0, RuntimeError for windows that do not fit.
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input: Tensor, norm_type: int | float, kernel_size: _Ints, stride: _Ints | None = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of volumes, `sum(x ** p) ** (1 / p)`.

    Args:
      input: input tensor
      norm_type: order p of the norm
      kernel_size: size of the window, one number for all axes or one for each
      stride: step of the window, one number for all axes or one for each; `kernel_size` by default
      ceil_mode: round output sizes up instead of down

    Shapes: `input` (N, C, D, H, W) or (C, D, H, W), the result with (D - `kernel_size`) // `stride`
    + 1 for D, and the same for H and W.
    Dtypes: floats.
    Errors: ValueError for a `norm_type` of 0, RuntimeError for windows that do not fit.
    """
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)
