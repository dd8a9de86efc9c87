"""The Dirichlet distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.utils import eps_of, standard_gamma, tiny_of

__all__ = ["Dirichlet"]

_t = _C._torch


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution on the simplex.

    Args:
      concentration: one parameter for each category
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: `concentration` (..., K), the batch (...), events (K,).
    Errors: ValueError for a `concentration` without axes.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _mean_carrier_measure = 0.0

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Dirichlet, batch_shape, _instance, concentration=1)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        # In double precision, where draws for small concentrations do not all underflow.
        concentration = self.concentration.expand(self._extended_shape(sample_shape))
        drawn = standard_gamma(concentration.double())
        share = (drawn / drawn.sum(-1, keepdim=True)).to(concentration.dtype)
        return share.clamp(min=tiny_of(share.dtype), max=1 - eps_of(share.dtype) / 2)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a = self.concentration
        return _t.xlogy(a - 1.0, value).sum(-1) + _t.lgamma(a.sum(-1)) - _t.lgamma(a).sum(-1)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        corner = (self.concentration < 1).all(-1)
        at = (_t.arange(mode.shape[-1], device=mode.device) == mode.argmax(-1, keepdim=True)).to(mode.dtype)
        return _t.where(corner.unsqueeze(-1), at, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        a, k = self.concentration, self.concentration.shape[-1]
        a0 = a.sum(-1)
        return (_t.lgamma(a).sum(-1) - _t.lgamma(a0) - (k - a0) * _t.digamma(a0)
                - ((a - 1.0) * _t.digamma(a)).sum(-1))

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.lgamma().sum(-1) - _t.lgamma(x.sum(-1))
