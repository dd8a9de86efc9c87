"""Spectral normalisation (Miyato et al., 2018): divides a weight by its largest singular value,
estimated by power iteration.
"""
from __future__ import annotations

from typing import Any, TypeVar

from torch_np import _C, linalg
from torch_np._C import Tensor
from torch_np.autograd import no_grad
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
from torch_np.nn.utils._pre_hooks import find

__all__ = ["SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "remove_spectral_norm", "spectral_norm"]

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

    _version = 1

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

    def solve_v_and_rescale(self, matrix: Tensor, u: Tensor, sigma: Tensor) -> Tensor:
        """The vector v with `u @ matrix @ v == sigma`, in the row space of the matrix.

        Shapes: `matrix` (m, n), `u` (m,), `sigma` (); the result is (n,).
        """
        v = linalg.pinv(matrix.t() @ matrix) @ (matrix.t() @ u.unsqueeze(1))
        v = v.squeeze(1)
        return v * (sigma / (u @ (matrix @ v)))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


class SpectralNormStateDictHook:
    """A hook of `state_dict()` that notes the version of a normalisation in the metadata.

    Args:
      fn: the normalisation
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


class SpectralNormLoadStateDictPreHook:
    """A hook of `load_state_dict()` that computes `name`_v for states of PyTorch before 1.0, which
    have the normalised weight instead.

    Args:
      fn: the normalisation
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: Any, unexpected_keys: Any,
                 error_msgs: Any) -> None:
        name = prefix + self.fn.name
        if local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version") is not None:
            return
        if name not in state_dict or not all(f"{name}_{part}" in state_dict for part in ("orig", "u")) or name + "_v" in state_dict:
            return
        with no_grad():
            original, weight, u = state_dict[name + "_orig"], state_dict.pop(name), state_dict[name + "_u"]
            sigma = (original / weight).mean()
            state_dict[name + "_v"] = self.fn.solve_v_and_rescale(self.fn.reshape_weight_to_matrix(original), u, sigma)


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
    module._register_state_dict_hook(SpectralNormStateDictHook(hook))
    module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
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
    for hooks, kind in ((module._state_dict_hooks, SpectralNormStateDictHook), (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook)):
        for key, registered in list(hooks.items()):
            if isinstance(registered, kind) and registered.fn is hook:
                del hooks[key]
    return module
