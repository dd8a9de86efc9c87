"""Linear layers."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter

__all__ = ["Bilinear", "Identity", "Linear"]


class Identity(Module):
    """Returns its input.

    Args:
      args: ignored
      kwargs: ignored
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Returns `input`.

        Shapes: any; the result has the same shape.
        """
        return input


class Linear(Module):
    """A linear layer, `x @ weight.T + bias`.

    `weight` is (out_features, in_features), `bias` is (out_features,).

    Args:
      in_features: features of the input
      out_features: features of the result
      bias: whether to add a learnt bias
      device: device of the parameters
      dtype: dtype of the parameters
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(_C._torch.empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(_C._torch.empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fills the parameters with random numbers from the uniform distribution on ±1 /
        sqrt(in_features).
        """
        from torch_np.nn import init
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (..., in_features); the result is (..., out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A linear layer with the class name that PyTorch's attention layers use."""


class Bilinear(Module):
    """A bilinear layer, `x1 @ weight @ x2.T + bias`.

    `weight` is (out_features, in1_features, in2_features), `bias` is (out_features,).

    Args:
      in1_features: features of the first input
      in2_features: features of the second input
      out_features: features of the result
      bias: whether to add a learnt bias
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `in1_features` is positive.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(_C._torch.empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(_C._torch.empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fills the parameters with random numbers from the uniform distribution on ±1 /
        sqrt(in1_features).
        """
        from torch_np.nn import init
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Shapes: (..., in1_features) and (..., in2_features); the result is (..., out_features).
        """
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")
