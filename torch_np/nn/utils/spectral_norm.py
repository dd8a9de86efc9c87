"""A weight divided by its largest singular value (Miyato et al., 2018), which iterations of the power method follow."""
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
    """A hook before forward that makes the weight of `name`_orig; `name`_u and `name`_v are the singular vectors so far.

    Errors: ValueError unless `n_power_iterations` is positive.
    Source: Miyato et al., Spectral Normalization, ICLR 2018.
    """

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix, the axis `dim` in front. Shapes: (size along `dim`, all others)."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(k for k in range(weight.dim()) if k != self.dim))
        return weight.reshape(weight.shape[0], -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight divided by u^T W v. Shapes: as the weight."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(_normalized(matrix.t() @ u, self.eps))
                    u.copy_(_normalized(matrix @ v, self.eps))
                u, v = u.clone(), v.clone()  # the next call changes them, and the graph of this one may be needed after it
        return weight / (u @ (matrix @ v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(module: _M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> _M:
    """Puts a parameter `name`_orig in the place of the parameter `name`, which before each call is made of it by dividing by its largest
    singular value. `dim`: the axis of outputs, by default 1 for transposed convolutions, else 0. Returns the module.

    Errors: RuntimeError if that was done already, ValueError if the parameter is None.
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
    """Undoes spectral_norm. Errors: ValueError if there is nothing to undo."""
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
