"""PyTorch's functions for layers below torch.nn.functional: normalisations with their statistics,
convolutions with every argument, and recurrent networks.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_np import _C

_torch = _C._torch

__all__ = [
    "conv_tbc", "convolution", "cudnn_is_acceptable", "embedding_renorm_", "gru", "gru_cell", "lstm", "lstm_cell", "native_batch_norm",
    "native_channel_shuffle", "native_dropout", "native_group_norm", "native_layer_norm", "rnn_relu", "rnn_relu_cell", "rnn_tanh",
    "rnn_tanh_cell"]


def convolution(input: _C.Tensor, weight: _C.Tensor, bias: _C.Tensor | None, stride: Sequence[int], padding: Sequence[int],  # noqa: A002
                dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int) -> _C.Tensor:
    """A convolution, or its transpose, along one to three dimensions.

    Args:
      input: Batch of images.
      weight: Kernels.
      bias: One number for each channel of the result; None is zero.
      stride: Step along each dimension.
      padding: Zeros on both sides of each dimension.
      dilation: Step of the kernel's elements along each dimension.
      transposed: Whether to compute the transpose.
      output_padding: Elements to add at one end of each dimension of the transpose.
      groups: Number of groups of channels.

    Shapes: `input` (n, c, ...), `weight` (c_out, c / groups, ...), or (c, c_out / groups, ...) if
    `transposed`.
    Errors: RuntimeError for another number of dimensions.
    """
    rank = input.dim() - 2
    if rank not in (1, 2, 3):
        raise RuntimeError(f"convolution(): input must have 3 to 5 dimensions, got {input.dim()}")
    arguments = [tuple(a) if len(a) == rank else tuple(a) * rank for a in (stride, padding, dilation, output_padding)]
    stride, padding, dilation, output_padding = arguments
    if transposed:
        return getattr(_torch, f"conv_transpose{rank}d")(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(_torch, f"conv{rank}d")(input, weight, bias, stride, padding, dilation, groups)


def conv_tbc(input: _C.Tensor, weight: _C.Tensor, bias: _C.Tensor, pad: int = 0) -> _C.Tensor:  # noqa: A002
    """A convolution along the first dimension.

    Args:
      input: Sequences.
      weight: Kernels.
      bias: One number for each channel of the result.
      pad: Zeros on both sides.

    Shapes: `input` (t, n, c), `weight` (k, c, c_out), `bias` (c_out,), result (t + 2 * pad - k + 1, n,
    c_out).
    """
    return _torch.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def native_layer_norm(input: _C.Tensor, normalized_shape: Sequence[int], weight: _C.Tensor | None, bias: _C.Tensor | None,  # noqa: A002
                      eps: float) -> tuple[_C.Tensor, _C.Tensor, _C.Tensor]:
    """Layer normalisation; returns the result, and the means and the reciprocal standard deviations,
    which have no gradients.

    Args:
      input: Values.
      normalized_shape: Shape of the last dimensions, which are normalised together.
      weight: Factors, or None.
      bias: Summands, or None.
      eps: Summand of the variance.

    Shapes: `weight` and `bias` have `normalized_shape`; the statistics have length 1 there.
    """
    dims = tuple(range(-len(normalized_shape), 0))
    variance, mean = _torch.var_mean(input.detach(), dims, correction=0, keepdim=True)
    from torch_np.nn.functional import layer_norm
    return layer_norm(input, normalized_shape, weight, bias, eps), mean, _torch.rsqrt(variance + eps)


def native_group_norm(input: _C.Tensor, weight: _C.Tensor | None, bias: _C.Tensor | None, N: int, C: int, HxW: int, group: int,  # noqa: A002,N803
                      eps: float) -> tuple[_C.Tensor, _C.Tensor, _C.Tensor]:
    """Group normalisation; returns the result, the means and the reciprocal standard deviations.

    Args:
      input: Values.
      weight: Factor of each channel, or None.
      bias: Summand of each channel, or None.
      N: Number of samples.
      C: Number of channels.
      HxW: Number of elements of a channel.
      group: Number of groups of channels.
      eps: Summand of the variance.

    Shapes: `input` (N, C, ...), statistics (N, group).
    """
    variance, mean = _torch.var_mean(input.reshape(N, group, C // group * HxW), (2,), correction=0)
    from torch_np.nn.functional import group_norm
    return group_norm(input, group, weight, bias, eps), mean, _torch.rsqrt(variance + eps)


def native_batch_norm(input: _C.Tensor, weight: _C.Tensor | None, bias: _C.Tensor | None, running_mean: _C.Tensor | None,  # noqa: A002
                      running_var: _C.Tensor | None, training: bool, momentum: float, eps: float) -> tuple[_C.Tensor, _C.Tensor, _C.Tensor]:
    """Batch normalisation; returns the result, and the means and reciprocal standard deviations of the
    batch, which have no gradients and are empty outside of training.

    Args:
      input: Values.
      weight: Factor of each channel, or None.
      bias: Summand of each channel, or None.
      running_mean: Running mean, updated in training; or None.
      running_var: Running variance, updated in training; or None.
      training: Whether to use the statistics of the batch.
      momentum: Weight of the batch in the running statistics.
      eps: Summand of the variance.

    Shapes: `input` (n, c, ...), others (c,).
    """
    from torch_np.nn.functional import batch_norm
    result = batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return result, input.new_empty(0), input.new_empty(0)
    variance, mean = _torch.var_mean(input.detach(), [d for d in range(input.dim()) if d != 1], correction=0)
    return result, mean, _torch.rsqrt(variance + eps)


def native_dropout(input: _C.Tensor, p: float, train: bool | None) -> tuple[_C.Tensor, _C.Tensor]:  # noqa: A002
    """Dropout; returns the result and the mask of the elements that are kept.

    Args:
      input: Values.
      p: Probability with which an element becomes zero.
      train: Whether to drop elements; None is True.

    Shapes: as `input`.
    Dtypes: the mask is bool.
    """
    if train is False or p == 0:
        return input.clone(), _torch.ones_like(input, dtype=_C.bool)
    if p == 1:
        return _torch.zeros_like(input), _torch.zeros_like(input, dtype=_C.bool)
    mask = _torch.bernoulli(_torch.full_like(input, 1 - p)).to(_C.bool)
    return input * mask * (1 / (1 - p)), mask


def native_channel_shuffle(input: _C.Tensor, groups: int) -> _C.Tensor:  # noqa: A002
    """Interleaves the groups of channels, as `channel_shuffle`.

    Args:
      input: Batch of images.
      groups: Number of groups.

    Shapes: `input` (n, c, ...), as the result.
    """
    return _torch.channel_shuffle(input, groups)


def cudnn_is_acceptable(tensor: _C.Tensor) -> bool:
    """Returns False: cuDNN is not used.

    Args:
      tensor: Tensor.

    Shapes: any.
    """
    return False


def embedding_renorm_(input: _C.Tensor, indices: _C.Tensor, max_norm: float, norm_type: float) -> _C.Tensor:  # noqa: A002
    """Scales rows of a table in place so that their norms are at most `max_norm`; returns the table.

    Args:
      input: Table.
      indices: Rows.
      max_norm: Largest norm.
      norm_type: Order of the norm.

    Shapes: `input` (n, k).
    """
    from torch_np.autograd import no_grad
    with no_grad():
        rows = indices.flatten().unique()
        norms = input[rows].norm(norm_type, 1)
        scale = _torch.where(norms > max_norm, max_norm / (norms + 1e-7), _torch.ones_like(norms))
        input[rows] = input[rows] * scale.unsqueeze(1)
    return input


def _recurrent(name: str) -> Any:
    def function(*arguments: Any, **named: Any) -> Any:
        from torch_np.nn import _recurrent
        return getattr(_recurrent, name)(*arguments, **named)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"The function {name} of recurrent networks, with the positional arguments of PyTorch.\n\n"
                        "    Args:\n      arguments: Input, states, weights and options; or, for a packed sequence, its data, batch\n"
                        "        sizes, states, weights and options.\n      named: Keyword arguments of the cells.\n\n"
                        "    Shapes: as those of the modules of torch_np.nn.\n    ")
    return function


rnn_tanh, rnn_relu, lstm, gru = (_recurrent(name) for name in ("rnn_tanh", "rnn_relu", "lstm", "gru"))
rnn_tanh_cell, rnn_relu_cell, lstm_cell, gru_cell = (
    _recurrent(name) for name in ("rnn_tanh_cell", "rnn_relu_cell", "lstm_cell", "gru_cell"))
