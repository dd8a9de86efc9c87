"""Batch normalisation in evaluation as part of the convolution or linear layer before it."""
from __future__ import annotations

import copy
from typing import Any, TypeVar

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

_t = _C._torch
_M = TypeVar("_M", bound=Module)


def _fused(weight, bias, mean, var, eps, scale, shift, shape):
    """Weight and bias of w x + b followed by (y - mean) / sqrt(var + eps) * scale + shift."""
    bias = _t.zeros_like(mean) if bias is None else bias
    factor = (var + eps).rsqrt() * (1 if scale is None else scale)
    new_bias = (bias - mean) * factor + (0 if shift is None else shift)
    return (Parameter((weight * factor.reshape(shape)).to(weight.dtype).detach(), weight.requires_grad),
            Parameter(new_bias.to(bias.dtype).detach(), bias.requires_grad))


def fuse_conv_bn_weights(conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None,
                         bn_b: Tensor | None, transpose: bool = False) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of a convolution that includes the batch normalisation after it.

    Args:
      conv_w: weight of the convolution
      conv_b: bias of the convolution, or None
      bn_rm: running mean
      bn_rv: running variance
      bn_eps: term added to the variance
      bn_w: weight of the normalisation, or None
      bn_b: bias of the normalisation, or None
      transpose: whether the convolution is a transposed one

    Shapes: those of the parameters; the results as `conv_w`, and (out_channels,).
    """
    shape = [1, -1] if transpose else [-1, 1]
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape + [1] * (conv_w.dim() - 2))


def fuse_linear_bn_weights(linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor,
                           bn_b: Tensor) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of a linear layer that includes the batch normalisation after it.

    Args:
      linear_w: weight of the linear layer
      linear_b: bias of the linear layer, or None
      bn_rm: running mean
      bn_rv: running variance
      bn_eps: term added to the variance
      bn_w: weight of the normalisation
      bn_b: bias of the normalisation

    Shapes: those of the parameters; the results as `linear_w`, and (out_features,).
    """
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _checked(layer: Any, bn: Any, function: str) -> Any:
    """A copy of the layer.

    Errors: RuntimeError in training, and for a normalisation without running statistics.
    """
    if layer.training or bn.training:
        raise AssertionError(f"{function}(): fusion is only for eval mode; call eval() of both modules")
    if bn.running_mean is None or bn.running_var is None:
        raise ValueError(f"{function}(): the normalisation has no running statistics")
    return copy.deepcopy(layer)


def fuse_conv_bn_eval(conv: _M, bn: Any, transpose: bool = False) -> _M:
    """Returns a convolution that includes the batch normalisation after it.

    Args:
      conv: the convolution, in evaluation mode
      bn: the batch normalisation, in evaluation mode
      transpose: whether the convolution is a transposed one

    Errors: AssertionError in training mode; ValueError without running statistics.
    """
    made = _checked(conv, bn, "fuse_conv_bn_eval")
    made.weight, made.bias = fuse_conv_bn_weights(made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose)
    return made


def fuse_linear_bn_eval(linear: _M, bn: Any) -> _M:
    """Returns a linear layer that includes the batch normalisation after it.

    Args:
      linear: the linear layer, in evaluation mode
      bn: the batch normalisation, in evaluation mode, of as many features, or of one

    Errors: AssertionError in training mode, and for other numbers of features; ValueError without
    running statistics.
    """
    made = _checked(linear, bn, "fuse_linear_bn_eval")
    if bn.num_features not in (made.out_features, 1):
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    made.weight, made.bias = fuse_linear_bn_weights(made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return made
