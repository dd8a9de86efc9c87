"""Spectral normalisation (Miyato et al., 2018): divides a weight by its largest singular value,
estimated by power iteration.
"""
from __future__ import annotations

from typing import Any, TypeVar

from torch_np import _C
from torch_np._C import Tensor
from torch_np.autograd import no_grad
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
from torch_np.nn.utils._pre_hooks import find

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]

_M = TypeVar("_M", bound=Module)


def _normalized(v: Tensor, eps: float) -> Tensor:
    return v / (v * v).sum().sqrt().clamp(min=eps)


class SpectralNorm:
    """A forward pre-hook that computes the weight from `name`_orig and the estimated singular
    vectors `name`_u and `name`_v.

    Args:
      name: name of the parameter
      n_power_iterations: power iterations in each call in training
      dim: axis of outputs
      eps: smallest norm in the iteration

    Errors: ValueError unless `n_power_iterations` is positive.
    Source: Miyato et al., Spectral Normalization, ICLR 2018.
    """

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix whose rows are the axis `dim`.

        Shapes: (size along `dim`, product of all other sizes).
        """
        if self.dim != 0:
            weight = weight.permute(self.dim, *(k for k in range(weight.dim()) if k != self.dim))
        return weight.reshape(weight.shape[0], -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight divided by u^T W v.

        Shapes: as the weight.
        """
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(_normalized(matrix.t() @ u, self.eps))
                    u.copy_(_normalized(matrix @ v, self.eps))
                # The next call changes them in place, and this call's graph may be used after it.
                u, v = u.clone(), v.clone()
        return weight / (u @ (matrix @ v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(module: _M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> _M:
    """Divides a parameter of a module by its largest singular value before each call, and returns
    the module.

    The trained parameter is renamed to `name`_orig.

    Args:
      module: the module
      name: name of the parameter
      n_power_iterations: power iterations in each call in training
      eps: smallest norm in the iteration
      dim: axis of outputs; by default 1 for transposed convolutions, else 0

    Errors: RuntimeError if the parameter is normalised already, ValueError if it is None.
    Source: Miyato et al., Spectral Normalization, ICLR 2018.
    """
    if find(module, SpectralNorm, name):
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    with no_grad():
        matrix = hook.reshape_weight_to_matrix(weight)
        rows, columns = matrix.shape
        u, v = (_normalized(_C._torch.randn(n, dtype=weight.dtype, device=weight.device), eps) for n in (rows, columns))
    del module._parameters[name]
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: _M, name: str = "weight") -> _M:
    """Removes spectral normalisation from a parameter and returns the module.

    Args:
      module: the module
      name: name of the parameter

    Errors: ValueError if the parameter is not normalised.
    """
    found = find(module, SpectralNorm, name)
    if not found:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    number, hook = found
    with no_grad():
        weight = hook.compute_weight(module, do_power_iteration=False)
    delattr(module, name)
    delattr(module, name + "_u")
    delattr(module, name + "_v")
    delattr(module, name + "_orig")
    module.register_parameter(name, Parameter(weight.detach()))
    del module._forward_pre_hooks[number]
    return module
