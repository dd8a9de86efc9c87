"""The LKJ distribution of Cholesky factors of correlation matrices."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.beta import Beta
from torch_np.distributions.utils import broadcast_all, tiny_of

__all__ = ["LKJCholesky"]

_t = _C._torch


class LKJCholesky(Distribution):
    """The LKJ distribution of lower Cholesky factors L of correlation matrices, whose density is
    proportional to det(L L^T)^(concentration - 1).

    Args:
      dim: number of rows
      concentration: shape parameter; 1 is uniform over correlation matrices
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as `concentration`; events (dim, dim).
    Errors: ValueError for a `dim` below 2.
    Source: Lewandowski, Kurowicka and Joe, J. Multivariate Analysis 100 (2009), the onion method.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        self.concentration, = broadcast_all(concentration)
        super().__init__(self.concentration.size(), (dim, dim), validate_args)
        self._beta = self._marginals()

    def _marginals(self) -> Beta:
        marginal = self.concentration + 0.5 * (self.dim - 2)
        offset = _t.arange(self.dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = _t.cat([_t.zeros(1, dtype=offset.dtype, device=offset.device), offset])
        return Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(LKJCholesky, batch_shape, _instance, concentration=0)
        new.dim = self.dim
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return new

    def _draw(self, sample_shape: Any) -> Tensor:
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        u = _t.randn(self._extended_shape(sample_shape), dtype=y.dtype, device=y.device).tril(-1)
        directions = u / u.norm(dim=-1, keepdim=True)
        first = (_t.arange(self.dim, device=y.device) == 0).unsqueeze(-1)
        directions = _t.where(first, _t.zeros_like(directions), directions)
        w = y.sqrt() * directions
        diagonal = (1 - (w ** 2).sum(-1)).clamp(min=tiny_of(w.dtype)).sqrt()
        return w + _t.diag_embed(diagonal)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = _t.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = (order * diagonal.log()).sum(-1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        return unnormalized - (0.5 * n * math.log(math.pi) + _t.mvlgamma(alpha - 0.5, n) - _t.lgamma(alpha) * n)
