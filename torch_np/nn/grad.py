"""torch_np.nn.grad: gradients of convolutions by their input and their weight."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import torch_np
from torch_np import Tensor
from torch_np._C import _torch

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]

_Ints = int | Sequence[int]


def _leaf(size: Sequence[int], like: Tensor) -> Tensor:
    return like.new_zeros(tuple(size)).requires_grad_()


def _gradient(convolution: Callable[..., Tensor], input: Tensor, weight: Tensor, wanted: Tensor, grad_output: Tensor,  # noqa: A002
              *options: _Ints) -> Tensor:
    """The gradient by `wanted`, one of both operands. Its values do not matter."""
    other = input if wanted is weight else weight
    with torch_np.enable_grad():
        result = convolution(input, weight, None, *options)
    create_graph = torch_np.is_grad_enabled() and (other.requires_grad or grad_output.requires_grad)
    return torch_np.autograd.grad(result, wanted, grad_output, create_graph=create_graph)[0]


def conv1d_input(input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: _Ints = 1, padding: _Ints = 0,
                 dilation: _Ints = 1, groups: int = 1) -> Tensor:
    """The gradient of `conv1d` by its input.

    Args:
      input_size: shape of the input
      weight: the kernels
      grad_output: gradient of the result
      stride: step of the kernel
      padding: zeros added at both ends of each axis
      dilation: distance between the elements of the kernel
      groups: number of groups of channels

    Shapes: `weight` (O, C / groups, K), `grad_output` (N, O, L'); the result has `input_size`,
    (N, C, L).
    Dtypes: floats.
    Errors: those of `conv1d`.
    """
    x = _leaf(input_size, grad_output)
    return _gradient(_torch.conv1d, x, weight, x, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: _Ints = 1, padding: _Ints = 0,
                  dilation: _Ints = 1, groups: int = 1) -> Tensor:
    """The gradient of `conv1d` by its weight.

    Args:
      input: the signals
      weight_size: shape of the kernels
      grad_output: gradient of the result
      stride: step of the kernel
      padding: zeros added at both ends of each axis
      dilation: distance between the elements of the kernel
      groups: number of groups of channels

    Shapes: `input` (N, C, L), `grad_output` (N, O, L'); the result has `weight_size`,
    (O, C / groups, K).
    Dtypes: floats.
    Errors: those of `conv1d`.
    """
    weight = _leaf(weight_size, grad_output)
    return _gradient(_torch.conv1d, input, weight, weight, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: _Ints = 1, padding: _Ints = 0,
                 dilation: _Ints = 1, groups: int = 1) -> Tensor:
    """The gradient of `conv2d` by its input.

    Args:
      input_size: shape of the input
      weight: the kernels
      grad_output: gradient of the result
      stride: step of the kernel
      padding: zeros added at both ends of each axis
      dilation: distance between the elements of the kernel
      groups: number of groups of channels

    Shapes: `weight` (O, C / groups, K, K), `grad_output` (N, O, H', W'); the result has `input_size`,
    (N, C, H, W).
    Dtypes: floats.
    Errors: those of `conv2d`.
    """
    x = _leaf(input_size, grad_output)
    return _gradient(_torch.conv2d, x, weight, x, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: _Ints = 1, padding: _Ints = 0,
                  dilation: _Ints = 1, groups: int = 1) -> Tensor:
    """The gradient of `conv2d` by its weight.

    Args:
      input: the images
      weight_size: shape of the kernels
      grad_output: gradient of the result
      stride: step of the kernel
      padding: zeros added at both ends of each axis
      dilation: distance between the elements of the kernel
      groups: number of groups of channels

    Shapes: `input` (N, C, H, W), `grad_output` (N, O, H', W'); the result has `weight_size`,
    (O, C / groups, K, K).
    Dtypes: floats.
    Errors: those of `conv2d`.
    """
    weight = _leaf(weight_size, grad_output)
    return _gradient(_torch.conv2d, input, weight, weight, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size: Sequence[int], weight: Tensor, grad_output: Tensor, stride: _Ints = 1, padding: _Ints = 0,
                 dilation: _Ints = 1, groups: int = 1) -> Tensor:
    """The gradient of `conv3d` by its input.

    Args:
      input_size: shape of the input
      weight: the kernels
      grad_output: gradient of the result
      stride: step of the kernel
      padding: zeros added at both ends of each axis
      dilation: distance between the elements of the kernel
      groups: number of groups of channels

    Shapes: `weight` (O, C / groups, K, K, K), `grad_output` (N, O, D', H', W'); the result has `input_size`,
    (N, C, D, H, W).
    Dtypes: floats.
    Errors: those of `conv3d`.
    """
    x = _leaf(input_size, grad_output)
    return _gradient(_torch.conv3d, x, weight, x, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input: Tensor, weight_size: Sequence[int], grad_output: Tensor, stride: _Ints = 1, padding: _Ints = 0,
                  dilation: _Ints = 1, groups: int = 1) -> Tensor:
    """The gradient of `conv3d` by its weight.

    Args:
      input: the volumes
      weight_size: shape of the kernels
      grad_output: gradient of the result
      stride: step of the kernel
      padding: zeros added at both ends of each axis
      dilation: distance between the elements of the kernel
      groups: number of groups of channels

    Shapes: `input` (N, C, D, H, W), `grad_output` (N, O, D', H', W'); the result has `weight_size`,
    (O, C / groups, K, K, K).
    Dtypes: floats.
    Errors: those of `conv3d`.
    """
    weight = _leaf(weight_size, grad_output)
    return _gradient(_torch.conv3d, input, weight, weight, grad_output, stride, padding, dilation, groups)
