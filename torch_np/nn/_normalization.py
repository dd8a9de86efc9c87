"""Normalisation functions of torch_np.nn.functional; the operators are defined in
native_functions/normalization.yaml.
"""
from __future__ import annotations

import torch_np
from torch_np import Tensor
from torch_np._C import _torch_nn_functional as _functions

__all__ = ["batch_norm", "instance_norm", "local_response_norm", "normalize"]


def _check_values(sizes: tuple[int, ...], first: int) -> None:
    """Checks that each mean is over more than one value.

    Errors: ValueError if it is not.
    """
    count = sizes[0] if first == 2 else 1
    for size in sizes[2:]:
        count *= size
    if count == 1:
        raise ValueError(f"Expected more than 1 {'value per channel' if first == 2 else 'spatial element'} when training, got input size "
                         f"{sizes}")


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
               bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """Normalises each channel over the batch: `(input - mean) / sqrt(variance + eps) * weight +
    bias`.

    In training, mean and variance are those of `input` (the variance with divisor n). Otherwise
    they are the running ones.

    Args:
      input: input with channels in axis 1
      running_mean: running mean of each channel, updated in training
      running_var: running variance of each channel (with divisor n - 1), updated in training
      weight: factor of each channel
      bias: bias of each channel
      training: whether to use the mean and variance of `input`
      momentum: weight of the new value in the running mean and variance
      eps: term added to the denominator, for numerical stability

    Shapes: `input` (n, channels, ...), all other tensors (channels,); the result is shaped as
    `input`.
    Dtypes: floats.
    Errors: ValueError in training if a channel has only one value; RuntimeError for shapes that do
    not fit.
    Source: Ioffe and Szegedy, Batch Normalization, ICML 2015.
    """
    if training and input.dim() >= 2:
        _check_values(tuple(input.shape), 2)
    if input.dim() == 1 and not input.numel():
        return input.clone()  # PyTorch does not look for channels then
    return _functions._batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None,
                  bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """Normalises each channel of each sample: `(input - mean) / sqrt(variance + eps) * weight +
    bias`.

    Args:
      input: input with channels in axis 1
      running_mean: running mean of each channel, updated with the mean over the samples
      running_var: running variance of each channel, updated with the mean over the samples
      weight: factor of each channel
      bias: bias of each channel
      use_input_stats: whether to use the mean and variance of `input` instead of the running mean
        and variance
      momentum: weight of the new value in the running mean and variance
      eps: term added to the denominator, for numerical stability

    Shapes: `input` (n, channels, ...), all other tensors (channels,); the result is shaped as
    `input`.
    Dtypes: floats.
    Errors: ValueError if a channel has only one value; RuntimeError for shapes that do not fit, and
    for missing running statistics if `use_input_stats` is False.
    Source: Ulyanov, Vedaldi and Lempitsky, arXiv 1607.08022.
    """
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
        return _functions._batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)
    if input.dim() >= 2:
        _check_values(tuple(input.shape), 3)
    if input.dim() < 2:
        raise RuntimeError(f"instance_norm(): input of shape {tuple(input.shape)} has fewer than 2 axes")
    channels = input.shape[1]
    for name, running in (("running_mean", running_mean), ("running_var", running_var)):
        if running is not None and running.numel() != channels:
            raise RuntimeError(f"instance_norm(): {name} of shape {tuple(running.shape)} must have one number for each of {channels} channels")
    if (running_mean is not None or running_var is not None) and input.numel():
        with torch_np.no_grad():
            rows = input.reshape(input.shape[0], channels, -1)
            if running_mean is not None:
                running_mean.copy_(running_mean * (1 - momentum) + rows.mean(2).mean(0) * momentum)
            if running_var is not None:
                running_var.copy_(running_var * (1 - momentum) + rows.var(2).mean(0) * momentum)
    return _functions.group_norm(input, max(channels, 1), weight, bias, eps)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divides `input` by its norm over an axis, or by `eps` if that is larger.

    Args:
      input: input tensor
      p: order of the norm
      dim: axis of the norm
      eps: smallest divisor
      out: tensor for the result

    Shapes: as `input`.
    Dtypes: floats and complex numbers.
    Errors: IndexError if `dim` is out of range.
    """
    length = torch_np.linalg.vector_norm(input, p, dim, True)
    return torch_np.div(input, torch_np.clamp(length, min=eps), out=out)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divides each element by `(k + alpha * m) ** beta`, where `m` is the mean of squares over
    neighbouring channels.

    Channels beyond the first and last count as zeros.

    Args:
      input: input with channels in axis 1
      size: number of neighbouring channels
      alpha: factor of the mean
      beta: exponent
      k: constant term

    Shapes: `input` (n, channels, ...) with at least 3 axes; the result is the same.
    Dtypes: floats.
    Errors: ValueError for fewer than 3 axes, RuntimeError unless `size` is positive.
    Source: Krizhevsky, Sutskever and Hinton, NIPS 2012.
    """
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)")
    if size < 1:
        raise RuntimeError(f"local_response_norm(): size must be positive, got {size}")
    if not input.numel():
        return input
    square, channels = input * input, input.shape[1]
    before = size // 2
    total = torch_np.zeros_like(square)
    for shift in range(-before, size - before):
        low, high = max(0, -shift), min(channels, channels - shift)
        if low < high:
            part = square.narrow(1, low + shift, high - low)
            pieces = [torch_np.zeros_like(square.narrow(1, 0, low)), part, torch_np.zeros_like(square.narrow(1, 0, channels - high))]
            total = total + torch_np.cat([piece for piece in pieces if piece.shape[1]], 1)
    if not input.is_floating_point() and not input.is_complex():
        return input / (k + alpha * (total // size)) ** beta  # the mean of integers is rounded down, as PyTorch's
    return input / (k + alpha / size * total) ** beta
