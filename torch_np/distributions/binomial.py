"""The binomial distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._probability import OfProbability

__all__ = ["Binomial"]

_t = _C._torch


def _positive_part(x: Tensor) -> Tensor:
    # max(x, 0) with a gradient of 1/2 at 0, the correct one for logits of 0.
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(OfProbability):
    """The binomial distribution: the number of successes in `total_count` trials.

    Args:
      total_count: number of trials
      probs: probability of success
      logits: log-odds, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    Errors: ValueError unless exactly one of `probs` and `logits` is given; NotImplementedError,
    from `entropy()` and `enumerate_support()`, for different counts in a batch.
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval, "logits": constraints.real}
    has_enumerate_support = True

    def __init__(self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self.total_count, = self._take_probability(probs, logits, total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Binomial, batch_shape, _instance, total_count=0, probs=0, logits=0)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return _t.minimum(((self.total_count + 1) * self.probs).floor().clamp(min=0), self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def _draw(self, sample_shape: Any) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return _t.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n = self.total_count
        choose = _t.lgamma(n + 1) - _t.lgamma(value + 1) - _t.lgamma(n - value + 1)
        return choose + value * self.logits - n * _positive_part(self.logits) - n * _t.log1p(_t.exp(-_t.abs(self.logits)))

    def entropy(self) -> Tensor:
        if bool((self.total_count != self.total_count.max()).any()):
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        logs = self.log_prob(self.enumerate_support(False))
        return -(_t.exp(logs) * logs).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if not bool((self.total_count == self.total_count.max()).all()):
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = _t.arange(1 + int(self.total_count.max()), dtype=self._param.dtype, device=self._param.device)
        values = values.view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values
