"""torch_np.nn.init: initialises parameters in place; each function returns the tensor that it
filled.
"""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._C import Generator, Tensor
from torch_np.autograd import no_grad

__all__ = ["calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_", "orthogonal_",
           "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_"]

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The recommended factor of weights before a nonlinearity.

    It is 1 for linear functions and sigmoid, 5/3 for tanh, sqrt(2) for relu, sqrt(2 / (1 +
    slope^2)) for leaky_relu, and 3/4 for selu.

    Args:
      nonlinearity: name of the nonlinearity
      param: slope of leaky_relu, 0.01 by default

    Errors: ValueError for a name that is not among these.
    """
    if nonlinearity in _LINEAR or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if isinstance(param, bool) or not isinstance(param, (int, float, type(None))):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a tensor with random numbers from the uniform distribution on [`a`, `b`).

    Args:
      tensor: tensor to fill in place; it is returned
      a: lower bound
      b: upper bound
      generator: random generator; the default one if None

    Shapes: any.
    Errors: RuntimeError if `a` is above `b`.
    """
    if a > b:
        raise RuntimeError(f"uniform_(): a = {a} is above b = {b}")
    with no_grad():
        drawn = _C._torch.rand(tensor.shape, dtype=tensor.dtype, device=tensor.device, generator=generator)
        return tensor.copy_(drawn.mul_(b - a).add_(a))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a tensor with random numbers from a normal distribution.

    Args:
      tensor: tensor to fill in place; it is returned
      mean: mean
      std: standard deviation
      generator: random generator; the default one if None

    Shapes: any.
    Errors: RuntimeError for a negative `std`.
    """
    if std < 0:
        raise RuntimeError(f"normal_(): std = {std} is negative")
    with no_grad():
        drawn = _C._torch.randn(tensor.shape, dtype=tensor.dtype, device=tensor.device, generator=generator)
        return tensor.copy_(drawn.mul_(std).add_(mean))


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Generator | None = None) -> Tensor:
    """Fills a tensor with random numbers from a normal distribution truncated to [`a`, `b`].

    They are drawn by rejection: from the normal distribution if the bounds hold more than 0.3 of
    it, else from the uniform distribution between them.

    Args:
      tensor: tensor to fill in place; it is returned
      mean: mean before truncation
      std: standard deviation before truncation
      a: lower bound
      b: upper bound
      generator: random generator; the default one if None

    Shapes: any.
    """
    def cumulative(x: float) -> float:
        return (1 + math.erf(x / math.sqrt(2))) / 2
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.", stacklevel=2)
    if tensor.is_meta:
        return tensor
    with no_grad():
        inside = cumulative((b - mean) / std) - cumulative((a - mean) / std)
        (_reject_normal if inside > 0.3 else _reject_uniform)(tensor, mean, std, a, b, generator)
    return tensor


def _reject_normal(tensor, mean, std, a, b, generator):
    from torch_np import empty_like, where
    low, high = (tensor.new_tensor(bound, device="cpu").item() for bound in (a, b))
    tensor.normal_(mean, std, generator=generator)
    while bool((outside := (tensor < low) | (tensor > high)).any()):
        tensor.copy_(where(outside, empty_like(tensor).normal_(mean, std, generator=generator), tensor))


def _reject_uniform(tensor, mean, std, a, b, generator):
    """A candidate is kept with the probability exp(-(x - mean)^2 / (2 std^2)), divided by that of
    the most probable x between the bounds.
    """
    from torch_np import empty_like, ones_like, where
    largest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    missing = ones_like(tensor, dtype=_C.bool)
    while bool(missing.any()):
        candidates = empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(where(missing, candidates, tensor))
        logarithms = ((candidates - mean) / std).square() * -0.5 - largest
        missing = missing & (empty_like(tensor).uniform_(generator=generator).log() > logarithms)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills a tensor with a value.

    Args:
      tensor: tensor to fill in place; it is returned
      val: the value

    Shapes: any.
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fills a tensor with ones.

    Args:
      tensor: tensor to fill in place; it is returned

    Shapes: any.
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fills a tensor with zeros.

    Args:
      tensor: tensor to fill in place; it is returned

    Shapes: any.
    """
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fills a matrix with ones on the diagonal and zeros elsewhere.

    Args:
      tensor: tensor to fill in place; it is returned

    Shapes: (m, n).
    Errors: ValueError unless `tensor` has two dimensions.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fills the weight of a convolution such that it preserves its input: 1 in the middle of the
    kernel from channel i to channel i.

    Args:
      tensor: tensor to fill in place; it is returned
      groups: groups of channels, each of which is preserved

    Shapes: (out, in, kernel...), with one to three axes of the kernel.
    Errors: ValueError unless there are three to five dimensions and `groups` divides the first.
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    channels = tensor.shape[0] // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for i in range(min(channels, tensor.shape[1])):
                tensor[(group * channels + i, i, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    places = math.prod(tensor.shape[2:])
    return tensor.shape[1] * places, tensor.shape[0] * places


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a weight with random numbers from the uniform distribution on ±`gain` sqrt(6 / (fan_in
    + fan_out)).

    Args:
      tensor: tensor to fill in place; it is returned
      gain: factor of the result
      generator: random generator; the default one if None

    Shapes: (out, in, ...); fan_in is `in` times the sizes that follow, fan_out is `out` times
    these.
    Errors: ValueError for fewer than two dimensions.
    Source: Glorot and Bengio, AISTATS 2010.
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a weight with random numbers from the normal distribution of standard deviation `gain`
    sqrt(2 / (fan_in + fan_out)).

    Args:
      tensor: tensor to fill in place; it is returned
      gain: factor of the result
      generator: random generator; the default one if None

    Shapes: (out, in, ...); fan_in is `in` times the sizes that follow, fan_out is `out` times
    these.
    Errors: ValueError for fewer than two dimensions.
    Source: Glorot and Bengio, AISTATS 2010.
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def _kaiming(tensor, a, mode, nonlinearity, fill):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return fill(calculate_gain(nonlinearity, a) / math.sqrt(fan))


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator: Generator | None = None) -> Tensor:
    """Fills a weight with random numbers from the uniform distribution on ±gain sqrt(3 / fan), with
    the gain of the nonlinearity.

    Args:
      tensor: tensor to fill in place; it is returned
      a: slope of the leaky ReLU that follows
      mode: 'fan_in' keeps the variance in the forward pass, 'fan_out' in the backward pass
      nonlinearity: name of the following nonlinearity
      generator: random generator; the default one if None

    Shapes: (out, in, ...); fan_in is `in` times the sizes that follow, fan_out is `out` times
    these.
    Errors: ValueError if `mode` or `nonlinearity` is unknown, and for fewer than two dimensions.
    Source: He et al., ICCV 2015.
    """
    return _kaiming(tensor, a, mode, nonlinearity, lambda std: uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator))


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator: Generator | None = None) -> Tensor:
    """Fills a weight with random numbers from the normal distribution of standard deviation gain /
    sqrt(fan), with the gain of the nonlinearity.

    Args:
      tensor: tensor to fill in place; it is returned
      a: slope of the leaky ReLU that follows
      mode: 'fan_in' keeps the variance in the forward pass, 'fan_out' in the backward pass
      nonlinearity: name of the following nonlinearity
      generator: random generator; the default one if None

    Shapes: (out, in, ...); fan_in is `in` times the sizes that follow, fan_out is `out` times
    these.
    Errors: ValueError if `mode` or `nonlinearity` is unknown, and for fewer than two dimensions.
    Source: He et al., ICCV 2015.
    """
    return _kaiming(tensor, a, mode, nonlinearity, lambda std: normal_(tensor, 0.0, std, generator))


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fills a tensor with a random matrix, whose rows are the first dimension and whose columns are
    all other dimensions, flattened, with orthonormal rows or columns times `gain`.

    Args:
      tensor: tensor to fill in place; it is returned
      gain: factor of the result
      generator: random generator; the default one if None

    Shapes: (m, ...).
    Errors: ValueError for fewer than two dimensions.
    Source: Saxe et al., ICLR 2014.
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    from torch_np import empty, linalg
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    with no_grad():
        flat = normal_(empty(rows, columns, dtype=tensor.dtype, device=tensor.device), generator=generator)
        q, r = linalg.qr(flat.T if rows < columns else flat)
        q = q * r.diagonal().sign()  # makes the distribution uniform
        return tensor.copy_((q.T if rows < columns else q).reshape(tensor.shape)).mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fills a matrix with random numbers from a normal distribution and zeros.

    Args:
      tensor: tensor to fill in place; it is returned
      sparsity: fraction of zeros in each column
      std: standard deviation
      generator: random generator; the default one if None

    Shapes: (m, n).
    Errors: ValueError unless `tensor` has two dimensions.
    Source: Martens, ICML 2010.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    from torch_np import randperm
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        normal_(tensor, 0, std, generator)
        for column in range(columns):
            tensor[randperm(rows)[:zeros], column] = 0
    return tensor


def _deprecated(new: Callable[..., Any]) -> Callable[..., Any]:
    def old(*args: Any, **kwargs: Any) -> Any:
        name = new.__name__
        warnings.warn(f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning, stacklevel=2)
        return new(*args, **kwargs)
    return old


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)


# PyTorch's private names, which packages import.
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
