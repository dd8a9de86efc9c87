"""Linear layers."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.lazy import LazyModuleMixin, materialize, uninitialized
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
# Names that layers of packages import from here.
from torch_np.nn import init as init
from torch_np.nn.parameter import UninitializedParameter as UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


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


class LazyLinear(LazyModuleMixin, Linear):
    """A linear layer with the features of the first input. It becomes a Linear in the first call.

    Args:
      out_features: features of the result
      bias: whether to add a learnt bias
      device: device of the parameters
      dtype: dtype of the parameters

    Shapes: those of Linear.
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False, device, dtype)
        self.out_features = out_features
        self.weight = uninitialized(True, device, dtype)  # type: ignore[assignment]
        self.bias = uninitialized(bias, device, dtype)

    def reset_parameters(self) -> None:
        """Fills the parameters with random numbers, if they have a shape."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Gives the parameters the shapes for the features of the input.

        Args:
          input: the first input

        Shapes: (..., in_features).
        """
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            materialize((self.out_features, self.in_features), self.weight)
            materialize((self.out_features,), self.bias)
            self.reset_parameters()
        elif self.in_features == 0:  # a loaded state has initialised the parameters
            self.in_features = self.weight.shape[-1]
