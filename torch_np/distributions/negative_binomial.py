"""The negative binomial distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._probability import OfProbability
from torch_np.distributions.gamma import Gamma
from torch_np.distributions.utils import lazy_property
from torch_np.nn import functional as F

__all__ = ["NegativeBinomial"]

_t = _C._torch


class NegativeBinomial(OfProbability):
    """The negative binomial distribution: the number of successes before `total_count` failures.

    Args:
      total_count: number of failures
      probs: probability of success
      logits: log-odds, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    Errors: ValueError unless exactly one of `probs` and `logits` is given.
    """

    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self.total_count, = self._take_probability(probs, logits, total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def _gamma(self) -> Gamma:
        return Gamma(concentration=self.total_count, rate=_t.exp(-self.logits), validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(NegativeBinomial, batch_shape, _instance, total_count=0, probs=0, logits=0)

    @property
    def mean(self) -> Tensor:
        return self.total_count * _t.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / _t.sigmoid(-self.logits)

    def _draw(self, sample_shape: Any) -> Tensor:
        return _t.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n = self.total_count
        logs = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        constant = -_t.lgamma(n + value) + _t.lgamma(1.0 + value) + _t.lgamma(n)
        return logs - constant.masked_fill(n + value == 0.0, 0.0)
