"""The learnt weight and bias of normalisation layers."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter


class Affine(Module):
    """Base class of modules with a weight and a bias of the same shape, either of which may be
    None.
    """

    weight: Parameter | None
    bias: Parameter | None

    def _add_weight_and_bias(self, shape: Any, affine: bool, bias: bool, device: Any, dtype: Any) -> None:
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(_C._torch.empty(shape, device=device, dtype=dtype)) if wanted else None)

    def reset_parameters(self) -> None:
        """Sets weights to 1 and biases to 0."""
        from torch_np.nn import init
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)
