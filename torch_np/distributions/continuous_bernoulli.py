"""The continuous Bernoulli distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._probability import OfProbability
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs
from torch_np.nn import functional as F

__all__ = ["ContinuousBernoulli"]

_t = _C._torch


class ContinuousBernoulli(OfProbability, ExponentialFamily):
    """The continuous Bernoulli distribution on [0, 1], of density C(p) p^x (1 - p)^(1 - x).

    Args:
      probs: parameter p
      logits: log-odds of p, instead of `probs`
      lims: bounds around p = 1/2 between which series are used for accuracy
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as the parameter; events ().
    Errors: ValueError unless exactly one of `probs` and `logits` is given.
    Source: Loaiza-Ganem and Cunningham, NeurIPS 2019.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0.0

    def __init__(self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501), validate_args: bool | None = None) -> None:
        self._take_probability(probs, logits)
        if logits is None:
            if validate_args is not None and not bool(constraints.unit_interval.check(self.probs).all()):
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The parameter p."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(ContinuousBernoulli, batch_shape, _instance, probs=0, logits=0)
        new._lims = self._lims
        return new

    def _outside(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        return _t.where(self._outside(), self.probs, self._lims[0] * _t.ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Tensor:
        cut = self._cut_probs()
        below = _t.where(cut <= 0.5, cut, _t.zeros_like(cut))
        above = _t.where(cut >= 0.5, cut, _t.ones_like(cut))
        log_norm = _t.log(_t.abs(_t.log1p(-cut) - _t.log(cut))) - _t.where(cut <= 0.5, _t.log1p(-2.0 * below), _t.log(2.0 * above - 1.0))
        x = (self.probs - 0.5) ** 2
        return _t.where(self._outside(), log_norm, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        cut = self._cut_probs()
        mus = cut / (2.0 * cut - 1.0) + 1.0 / (_t.log1p(-cut) - _t.log(cut))
        x = self.probs - 0.5
        return _t.where(self._outside(), mus, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x ** 2) * x)

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    @property
    def variance(self) -> Tensor:
        cut = self._cut_probs()
        by_formula = cut * (cut - 1.0) / (1.0 - 2.0 * cut) ** 2 + 1.0 / (_t.log1p(-cut) - _t.log(cut)) ** 2
        x = (self.probs - 0.5) ** 2
        return _t.where(self._outside(), by_formula, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(_t.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut_probs()
        cdfs = (cut.pow(value) * (1.0 - cut).pow(1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inside = _t.where(self._outside(), cdfs, value)
        return _t.where(value <= 0.0, _t.zeros_like(value), _t.where(value >= 1.0, _t.ones_like(value), inside))

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut_probs()
        by_formula = (_t.log1p(-cut + value * (2.0 * cut - 1.0)) - _t.log1p(-cut)) / (_t.log(cut) - _t.log1p(-cut))
        return _t.where(self._outside(), by_formula, value)

    def entropy(self) -> Tensor:
        log_probs0, log_probs1 = _t.log1p(-self.probs), _t.log(self.probs)
        return self.mean * (log_probs0 - log_probs1) - self._cont_bern_log_norm() - log_probs0

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = _t.where(outside, x, (self._lims[0] - 0.5) * _t.ones_like(x))
        by_formula = _t.log(_t.abs(_t.expm1(cut))) - _t.log(_t.abs(cut))
        return _t.where(outside, by_formula, 0.5 * x + _t.pow(x, 2) / 24.0 - _t.pow(x, 4) / 2880.0)
