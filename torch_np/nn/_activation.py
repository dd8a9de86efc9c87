"""Activation functions of torch_np.nn.functional, with an `inplace` option; the operators are
defined in native_functions/activation.yaml.
"""
from __future__ import annotations

import torch_np
from torch_np import Tensor
from torch_np._C import _torch, _torch_nn_functional as _functions

__all__ = ["celu", "celu_", "elu", "elu_", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "leaky_relu",
           "leaky_relu_", "log_softmax", "mish", "prelu", "relu", "relu6", "relu_", "rrelu", "rrelu_", "selu", "selu_", "sigmoid", "silu",
           "softmax", "softmin", "softsign", "tanh", "tanhshrink", "threshold", "threshold_"]

celu_, selu_, relu_, threshold_ = _torch.celu_, _torch.selu_, _torch.relu_, _torch.threshold_
hardshrink, prelu = _torch.hardshrink, _torch.prelu


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The rectified linear unit, `max(input, 0)`, elementwise.

    Args:
      input: input tensor
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: all real dtypes except bool.
    """
    return _torch.relu_(input) if inplace else _torch.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """`min(max(input, 0), 6)`, elementwise.

    Args:
      input: input tensor
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats and integers.
    """
    return input.relu6_() if inplace else _functions.relu6(input)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The exponential linear unit: `input` where it is positive, else `alpha * (exp(input) - 1)`.

    Args:
      input: input tensor
      alpha: factor of the negative part
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    """
    return input.elu_(alpha) if inplace else _functions.elu(input, alpha)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The continuously differentiable exponential linear unit: `input` where it is positive, else
    `alpha * (exp(input / alpha) - 1)`.

    Args:
      input: input tensor
      alpha: scale of the negative part
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype, RuntimeError if `alpha` is 0.
    """
    return _torch.celu_(input, alpha) if inplace else _torch.celu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The scaled exponential linear unit, `1.0507 * elu(input, 1.6733)`, with both constants in
    full precision.

    Args:
      input: input tensor
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    """
    return _torch.selu_(input) if inplace else _torch.selu(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """The sigmoid linear unit, `input * sigmoid(input)`, elementwise.

    Args:
      input: input tensor
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    """
    return input.silu_() if inplace else _functions.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * tanh(log(1 + exp(input)))`, elementwise.

    Args:
      input: input tensor
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    """
    return input.mish_() if inplace else _functions.mish(input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`min(max(input / 6 + 1/2, 0), 1)`, elementwise.

    Args:
      input: input tensor
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    """
    return input.hardsigmoid_() if inplace else _functions.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * hardsigmoid(input)`, elementwise.

    Args:
      input: input tensor
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    """
    return input.hardswish_() if inplace else _functions.hardswish(input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Clamps `input` to [`min_val`, `max_val`]; the gradient is 0 outside and at the bounds.

    Args:
      input: input tensor
      min_val: lower bound
      max_val: upper bound
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats and integers.
    Errors: ValueError if `min_val` is above `max_val`.
    """
    return input.hardtanh_(min_val, max_val) if inplace else _functions.hardtanh(input, min_val, max_val)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`input` where it is positive, else `negative_slope * input`.

    Args:
      input: input tensor
      negative_slope: slope of the negative part
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    """
    return input.leaky_relu_(negative_slope) if inplace else _functions.leaky_relu(input, negative_slope)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`input` where it is above `threshold`, else `value`.

    Args:
      input: input tensor
      threshold: the threshold
      value: replacement
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats and integers.
    """
    return _torch.threshold_(input, threshold, value) if inplace else _torch.threshold(input, threshold, value)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """The exponential linear unit in place: `input` where it is positive, else `alpha * (exp(input)
    - 1)`.

    Args:
      input: input tensor
      alpha: factor of the negative part

    Shapes: as `input`.
    """
    return input.elu_(alpha)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Clamps `input` to [`min_val`, `max_val`] in place.

    Args:
      input: input tensor
      min_val: lower bound
      max_val: upper bound

    Shapes: as `input`.
    """
    return input.hardtanh_(min_val, max_val)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """The leaky ReLU in place: `input` where it is positive, else `negative_slope * input`.

    Args:
      input: input tensor
      negative_slope: slope of the negative part

    Shapes: as `input`.
    """
    return input.leaky_relu_(negative_slope)


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False) -> Tensor:
    """`input` where it is positive, else `input` times a random slope.

    Args:
      input: input tensor
      lower: smallest slope
      upper: largest slope
      training: draw a slope for each element; otherwise use the mean of the bounds
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype, RuntimeError if `lower` is above
    `upper`.
    """
    if lower > upper:
        raise RuntimeError(f"rrelu(): lower is {lower}, above upper, which is {upper}")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    if not input.is_floating_point():
        raise NotImplementedError(f"rrelu(): not implemented for {input.dtype}")
    slope = torch_np.rand(*input.shape, dtype=input.dtype, device=input.device) * (upper - lower) + lower
    result = torch_np.where(input > 0, input, input * slope)
    return input.copy_(result) if inplace else result


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """The randomised leaky ReLU in place: `input` where it is positive, else `input` times a random
    slope.

    Args:
      input: input tensor
      lower: smallest slope
      upper: largest slope
      training: draw a slope for each element; otherwise use the mean of the bounds

    Shapes: as `input`.
    """
    return rrelu(input, lower, upper, training, inplace=True)


def _axis(dim: int | None, input: Tensor) -> int:
    """PyTorch's default axis of normalisation."""
    return dim if dim is not None else 0 if input.dim() in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch_np.dtype | None = None) -> Tensor:
    """`exp(input)` divided by its sum over an axis.

    Args:
      input: input tensor
      dim: axis of the sum; by default 0 for tensors of 0, 1 or 3 axes, else 1
      _stacklevel: accepted for compatibility; has no effect
      dtype: dtype to convert `input` to first

    Shapes: as `input`.
    Dtypes: floats.
    Errors: IndexError if `dim` is out of range, NotImplementedError unless `input` has a float
    dtype.
    """
    return _torch.softmax(input, _axis(dim, input), dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch_np.dtype | None = None) -> Tensor:
    """The softmax of `-input`.

    Args:
      input: input tensor
      dim: axis of the sum; by default 0 for tensors of 0, 1 or 3 axes, else 1
      _stacklevel: accepted for compatibility; has no effect
      dtype: dtype to convert `input` to first

    Shapes: as `input`.
    """
    return _torch.softmax(-input, _axis(dim, input), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch_np.dtype | None = None) -> Tensor:
    """The logarithm of the softmax, computed without the softmax for accuracy.

    Args:
      input: input tensor
      dim: axis of the sum; by default 0 for tensors of 0, 1 or 3 axes, else 1
      _stacklevel: accepted for compatibility; has no effect
      dtype: dtype to convert `input` to first

    Shapes: as `input`.
    Dtypes: floats.
    Errors: IndexError if `dim` is out of range, NotImplementedError unless `input` has a float
    dtype.
    """
    return _torch.log_softmax(input, _axis(dim, input), dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Samples from the Gumbel-softmax distribution: the softmax of `(logits + noise) / tau` with
    Gumbel noise.

    Args:
      logits: unnormalised log-probabilities
      tau: temperature
      hard: return one-hot samples, with the gradient of the softmax
      eps: accepted for compatibility; has no effect
      dim: axis of the softmax

    Shapes: as `logits`.
    Dtypes: floats.
    Errors: NotImplementedError unless `input` has a float dtype.
    Source: Jang, Gu and Poole, ICLR 2017.
    """
    if not logits.is_floating_point():
        raise NotImplementedError(f"gumbel_softmax(): not implemented for {logits.dtype}")
    # Gumbel noise is -log of exponential numbers.
    noise = -torch_np.empty(logits.shape, dtype=logits.dtype, device=logits.device).exponential_().log()
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    largest = soft.detach().argmax(dim, keepdim=True)
    places = torch_np.arange(soft.shape[dim], device=logits.device).reshape([-1 if d == dim % soft.dim() else 1 for d in range(soft.dim())])
    return (largest == places).to(soft.dtype) - soft.detach() + soft


def softsign(input: Tensor) -> Tensor:
    """`input / (1 + abs(input))`, elementwise.

    Args:
      input: input tensor

    Shapes: as `input`.
    Dtypes: all except bool; integers are computed as floats.
    """
    return input / (torch_np.abs(input) + 1)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, elementwise.

    Args:
      input: input tensor

    Shapes: as `input`.
    Dtypes: floats and complex numbers; integers are computed as floats.
    """
    return _torch.tanh(input)


def sigmoid(input: Tensor) -> Tensor:
    """The logistic function, `1 / (1 + exp(-input))`, elementwise.

    Args:
      input: input tensor

    Shapes: as `input`.
    Dtypes: floats and complex numbers; integers are computed as floats.
    """
    return _torch.sigmoid(input)


def tanhshrink(input: Tensor) -> Tensor:
    """`input - tanh(input)`, elementwise.

    Args:
      input: input tensor

    Shapes: as `input`.
    Dtypes: floats and complex numbers; integers are computed as floats.
    """
    return input - _torch.tanh(input)
