"""Parametrisations of weights: orthogonal matrices, spectral norm and weight norm."""
from __future__ import annotations

from typing import Any

from torch_np import _C, linalg
from torch_np._C import Tensor
from torch_np.autograd import no_grad
from torch_np.nn.modules.module import Module
from torch_np.nn.utils import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_t = _C._torch
_MAPS = ("matrix_exp", "cayley", "householder")


def _is_orthogonal(q: Tensor) -> bool:
    m, n = q.shape[-2:]
    if m < n:
        q, n = q.mH, m
    product = q.mH @ q
    eps = {_C.float64: 2.2e-16, _C.complex128: 2.2e-16}.get(q.dtype, 1.2e-7)
    return bool(((product - _t.eye(n, dtype=q.dtype, device=q.device)).abs() <= 10 * n * eps).all())


def _made_orthogonal(a: Tensor) -> Tensor:
    """An orthogonal basis of the columns of `a`, with their orientation."""
    reflections, tau = _t.geqrf(a)
    q = linalg.householder_product(reflections, tau)
    return q * reflections.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        n, k = x.shape[-2:]
        transposed = n < k
        if transposed:
            x, n, k = x.mT, k, n
        if self.orthogonal_map == "householder":
            q = linalg.householder_product(x.tril(diagonal=-1), 2.0 / (1.0 + (x.tril(diagonal=-1) ** 2).sum(dim=-2)))
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            lower = x.tril()
            if n != k:  # a square matrix of n columns
                lower = _t.cat([lower, _t.zeros(*x.shape[:-2], n, n - k, dtype=x.dtype, device=x.device)], dim=-1)
            skew = lower - lower.mH
            if self.orthogonal_map == "matrix_exp":
                q = _t.matrix_exp(skew)
            else:
                eye = _t.eye(n, dtype=skew.dtype, device=skew.device)
                q = linalg.solve(_t.add(eye, skew, alpha=-0.5), _t.add(eye, skew, alpha=0.5))
            if n != k:
                q = q[..., :k]
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if transposed else q

    def right_inverse(self, q: Tensor) -> Tensor:
        with no_grad():
            if q.shape != self.shape:
                raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {q.shape}.")
            full = q
            transposed = q.size(-2) < q.size(-1)
            if transposed:
                full = full.mT
            n, k = full.shape[-2:]
            if not hasattr(self, "base"):
                if self.orthogonal_map in ("matrix_exp", "cayley"):
                    raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                                              "use_trivialization=False.")
                reflections, tau = _t.geqrf(full)
                reflections.diagonal(dim1=-2, dim2=-1).sign_()
                reflections.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
                return reflections.mT if transposed else reflections
            if n == k:
                full = full.clone() if _is_orthogonal(full) else _made_orthogonal(full)
            else:  # complete the columns to an orthogonal matrix
                random = _t.randn(*full.shape[:-2], n, n - k, dtype=full.dtype, device=full.device)
                full = _made_orthogonal(_t.cat([full, random], dim=-1))
            self.base = full
            # the parametrised value is the base times the identity: the negative one for Householder's reflections
            start = _t.zeros_like(full)[..., :k] if self.orthogonal_map != "householder" else -_t.eye(n, k, dtype=full.dtype, device=full.device)
            if self.orthogonal_map == "householder":
                start = start.expand(full.shape[:-2] + (n, k)).contiguous()
            return start.mT.contiguous() if transposed else start


def orthogonal(module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True) -> Module:
    """Parametrises a matrix, or a batch of them, to be orthogonal (unitary, if complex), and returns
    the module. If it has more columns than rows, its rows are orthonormal, else its columns.

    Args:
      module: the module
      name: name of the parameter
      orthogonal_map: 'matrix_exp', 'cayley' or 'householder'; None is 'matrix_exp' for square and
        complex matrices, else 'householder'
      use_trivialization: keep a base that the matrix starts from; the attribute can be set then

    Errors: ValueError for another map, for a parameter of fewer than two dimensions, and for
    'householder' of a complex one.
    Source: Lezcano-Casado, Trivializations for gradient-based optimization on manifolds, NeurIPS
    2019.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    parametrize.register_parametrization(module, name, _Orthogonal(weight, orthogonal_map, use_trivialization), unsafe=True)
    return module


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / _t.norm_except_dim(weight_v, 2, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return _t.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrises a tensor by its norms, `original0`, and directions, `original1`, and returns the
    module. States of `torch_np.nn.utils.weight_norm` can be loaded.

    Args:
      module: the module
      name: name of the parameter
      dim: axis with one norm for each index; None for a single norm

    Errors: ValueError for a name that the module does not have.
    Source: Salimans and Kingma, Weight Normalization, NIPS 2016.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def older_names(state_dict: Any, prefix: str, *rest: Any) -> None:
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state_dict and v in state_dict:
            state_dict[f"{prefix}parametrizations.{name}.original0"] = state_dict.pop(g)
            state_dict[f"{prefix}parametrizations.{name}.original1"] = state_dict.pop(v)

    module._register_load_state_dict_pre_hook(older_names)
    return module


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if dim >= weight.ndim or dim < -weight.ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim, self.eps = dim if dim >= 0 else dim + weight.ndim, eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            with no_grad():
                matrix = self._matrix(weight)
                u, v = (self._normalized(_t.randn(n, dtype=weight.dtype, device=weight.device)) for n in matrix.shape)
                self.register_buffer("_u", u)
                self.register_buffer("_v", v)
                self._iterate(matrix, 15)

    def _normalized(self, v: Tensor) -> Tensor:
        return v / linalg.vector_norm(v).clamp(min=self.eps)

    def _matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(k for k in range(weight.dim()) if k != self.dim))
        return weight.flatten(1)

    def _iterate(self, matrix: Tensor, steps: int) -> None:
        with no_grad():
            for _ in range(steps):
                self._u.copy_(self._normalized(matrix @ self._v))
                self._v.copy_(self._normalized(matrix.mH @ self._u))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return weight / linalg.vector_norm(weight).clamp(min=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next call changes the buffers in place
        return weight / (u.conj() @ (matrix @ v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> Module:
    """Parametrises a tensor to have the spectral norm 1, and returns the module. The largest
    singular value is estimated by power iteration.

    Args:
      module: the module
      name: name of the parameter
      n_power_iterations: power iterations in each use in training
      eps: smallest norm in the iteration
      dim: axis of outputs; by default 1 for transposed convolutions, else 0

    Errors: ValueError for a name that the module does not have, and unless `n_power_iterations` is
    positive; IndexError for a `dim` out of range.
    Source: Miyato et al., Spectral Normalization, ICLR 2018.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
