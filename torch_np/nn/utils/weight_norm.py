"""Weight normalisation (Salimans and Kingma, 2016): separates a weight into its norm and direction.
"""
from __future__ import annotations

from typing import Any, TypeVar

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
from torch_np.nn.utils._pre_hooks import find

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]

_t = _C._torch
_M = TypeVar("_M", bound=Module)


class WeightNorm:
    """A forward pre-hook that computes the weight from `name`_g and `name`_v."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight, g v / |v|.

        Shapes: as the weight.
        """
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / _t.norm_except_dim(v, 2, self.dim))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: _M, name: str = "weight", dim: int | None = 0) -> _M:
    """Replaces a parameter of a module by its norms and directions, and returns the module.

    The parameters `name`_g (norms) and `name`_v (directions) are trained. The weight is computed
    from them before each call.

    Args:
      module: the module
      name: name of the parameter
      dim: axis with one norm for each index; None for a single norm

    Errors: RuntimeError if the parameter is normalised already, IndexError for a `dim` out of
    range.
    Source: Salimans and Kingma, Weight Normalization, NIPS 2016.
    """
    if find(module, WeightNorm, name):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    weight = getattr(module, name)
    hook = WeightNorm(name, dim)
    norms = Parameter(_t.norm_except_dim(weight, 2, hook.dim).data)
    del module._parameters[name]
    module.register_parameter(name + "_g", norms)
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: _M, name: str = "weight") -> _M:
    """Removes weight normalisation from a parameter and returns the module.

    Args:
      module: the module
      name: name of the parameter

    Errors: ValueError if the parameter is not normalised.
    """
    found = find(module, WeightNorm, name)
    if not found:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    number, hook = found
    weight = hook.compute_weight(module)
    delattr(module, name)
    del module._parameters[name + "_g"], module._parameters[name + "_v"]
    setattr(module, name, Parameter(weight.data))
    del module._forward_pre_hooks[number]
    return module
