"""The Bernoulli distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._probability import OfProbability
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.utils import broadcast_all
from torch_np.nn import functional as F

__all__ = ["Bernoulli"]

_t = _C._torch


class Bernoulli(OfProbability, ExponentialFamily):
    """The Bernoulli distribution: 1 with a given probability, else 0.

    Args:
      probs: probability of 1
      logits: log-odds, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as the parameter; events ().
    Errors: ValueError unless exactly one of `probs` and `logits` is given.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0.0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take_probability(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Bernoulli, batch_shape, _instance, probs=0, logits=0)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return _t.where(self.probs == 0.5, float("nan"), mode)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _draw(self, sample_shape: Any) -> Tensor:
        return _t.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = _t.arange(2, dtype=self._param.dtype, device=self._param.device).view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (_t.log(self.probs) - _t.log1p(-self.probs),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return _t.log1p(_t.exp(x))
