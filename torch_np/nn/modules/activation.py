"""Activation functions as modules."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.attention import MultiheadAttention as MultiheadAttention
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
# Names that layers of packages import from here.
from torch_np.nn.init import constant_ as constant_, xavier_normal_ as xavier_normal_, xavier_uniform_ as xavier_uniform_
from torch_np.nn.modules.linear import NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear

__all__ = ["CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid", "LogSoftmax", "Mish",
           "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign",
           "Tanh", "Tanhshrink", "Threshold"]


def _inplace(module: Any) -> str:
    return "inplace=True" if module.inplace else ""


def _with_inplace(text: str, module: Any) -> str:
    return text + (", inplace=True" if module.inplace else "")


class Threshold(Module):
    """Replaces elements that are not above a threshold by a value.

    Args:
      threshold: the threshold
      value: replacement
      inplace: overwrite the input with the result
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return _with_inplace(f"threshold={self.threshold}, value={self.value}", self)


class ReLU(Module):
    """The rectified linear unit, `max(x, 0)`.

    Args:
      inplace: overwrite the input with the result
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(self)


class RReLU(Module):
    """The leaky ReLU with slopes drawn at random in training, and their mean otherwise.

    Args:
      lower: smallest slope
      upper: largest slope
      inplace: overwrite the input with the result
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return _with_inplace(f"lower={self.lower}, upper={self.upper}", self)


class Hardtanh(Module):
    """Clamps elements to [`min_val`, `max_val`].

    Args:
      min_val: lower bound
      max_val: upper bound
      inplace: overwrite the input with the result
      min_value: deprecated name of `min_val`
      max_value: deprecated name of `max_val`

    Errors: AssertionError unless `max_val` is above `min_val`.
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None,
                 max_value: float | None = None) -> None:
        super().__init__()
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError("max_val must be larger than min_val")

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return _with_inplace(f"min_val={self.min_val}, max_val={self.max_val}", self)


class ReLU6(Hardtanh):
    """`min(max(x, 0), 6)`, elementwise.

    Args:
      inplace: overwrite the input with the result
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return _inplace(self)


class Sigmoid(Module):
    """The logistic function, `1 / (1 + exp(-x))`."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return _C._torch.sigmoid(input)


class Hardsigmoid(Module):
    """`min(max(x / 6 + 1/2, 0), 1)`, elementwise.

    Args:
      inplace: overwrite the input with the result
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.hardsigmoid(input, self.inplace)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return _C._torch.tanh(input)


class SiLU(Module):
    """The sigmoid linear unit, `x * sigmoid(x)`.

    Args:
      inplace: overwrite the input with the result
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(self)


class Mish(Module):
    """`x * tanh(log(1 + exp(x)))`, elementwise.

    Args:
      inplace: overwrite the input with the result
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(self)


class Hardswish(Module):
    """`x * min(max(x / 6 + 1/2, 0), 1)`, elementwise.

    Args:
      inplace: overwrite the input with the result
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.hardswish(input, self.inplace)


class ELU(Module):
    """The exponential linear unit: `x` where it is positive, else `alpha * (exp(x) - 1)`.

    Args:
      alpha: factor of the negative part
      inplace: overwrite the input with the result
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return _with_inplace(f"alpha={self.alpha}", self)


class CELU(Module):
    """The continuously differentiable exponential linear unit: `max(0, x) + min(0, alpha * (exp(x /
    alpha) - 1))`.

    Args:
      alpha: scale of the negative part
      inplace: overwrite the input with the result
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return _with_inplace(f"alpha={self.alpha}", self)


class SELU(Module):
    """The scaled exponential linear unit, whose scale preserves mean 0 and variance 1 of
    activations (Klambauer et al., 2017).

    Args:
      inplace: overwrite the input with the result
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        return _inplace(self)


class GLU(Module):
    """The gated linear unit: the first half along `dim` times the sigmoid of the second half.

    Args:
      dim: axis to halve
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any of even length along `dim`; the result is half as long there."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """The Gaussian error linear unit, `x` times the normal distribution function of `x`.

    Args:
      approximate: 'none' or 'tanh'
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """`x`, but 0 in [-`lambd`, `lambd`].

    Args:
      lambd: bound of the interval
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class LeakyReLU(Module):
    """`x` where it is positive, else `negative_slope * x`.

    Args:
      negative_slope: slope of the negative part
      inplace: overwrite the input with the result
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return _with_inplace(f"negative_slope={self.negative_slope}", self)


class LogSigmoid(Module):
    """The logarithm of the logistic function, `-log(1 + exp(-x))`."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.logsigmoid(input)


class Softplus(Module):
    """A smooth ReLU, `log(1 + exp(beta * x)) / beta`.

    Args:
      beta: sharpness
      threshold: value of `beta * x` above which the result is `x`
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """Moves each element towards 0 by `lambd`; elements in [-`lambd`, `lambd`] become 0.

    Args:
      lambd: the distance
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class PReLU(Module):
    """The leaky ReLU with learnt slopes.

    Args:
      num_parameters: number of slopes: 1, or one for each channel
      init: initial slope
      device: device of the parameters
      dtype: dtype of the parameters
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(_C._torch.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets all slopes to their initial value."""
        from torch_np.nn import init
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any, with channels in the second axis; the result has the same shape."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """`x / (1 + abs(x))`, elementwise."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.softsign(input)


class Tanhshrink(Module):
    """`x - tanh(x)`, elementwise."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.tanhshrink(input)


class Softmin(Module):
    """The softmax of `-x`.

    Args:
      dim: axis of the sum; by default 0 for tensors of 0, 1 or 3 axes, else 1
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.softmin(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Module):
    """`exp(x)` divided by its sum over an axis.

    Args:
      dim: axis of the sum; by default 0 for tensors of 0, 1 or 3 axes, else 1
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """The softmax over the channels of images."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W) or (C, H, W); the result has the same shape.

        Errors: ValueError unless the input has 3 or 4 axes.
        """
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class LogSoftmax(Module):
    """The logarithm of the softmax.

    Args:
      dim: axis of the sum; by default 0 for tensors of 0, 1 or 3 axes, else 1
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
