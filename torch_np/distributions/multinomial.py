"""The multinomial distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Size, Tensor
from torch_np.distributions import constraints
from torch_np.distributions._of_categorical import OfCategorical
from torch_np.distributions.binomial import Binomial
from torch_np.distributions.utils import broadcast_all

__all__ = ["Multinomial"]

_t = _C._torch


class Multinomial(OfCategorical):
    """The multinomial distribution: how often each of K numbers occurs in `total_count` draws.

    Args:
      total_count: number of draws
      probs: probabilities, normalised to the sum 1
      logits: logarithms of the probabilities up to a constant, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters (..., K), the batch (...), events (K,).
    Errors: ValueError unless exactly one of `probs` and `logits` is given, and for parameters
    without axes; NotImplementedError if `total_count` is not an int.
    """

    total_count: int

    def __init__(self, total_count: int = 1, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(Multinomial, batch_shape, _instance)
        new.total_count = self.total_count
        new._binomial = Binomial(total_count=self.total_count, probs=new.probs)
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        drawn = self._categorical.sample(Size((self.total_count, *sample_shape)))
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = _t.zeros(self._extended_shape(sample_shape), dtype=self._categorical._param.dtype, device=drawn.device)
        return counts.scatter_add(-1, drawn, _t.ones_like(drawn).to(counts.dtype))

    def entropy(self) -> Tensor:
        n = _t.tensor(float(self.total_count), dtype=self.probs.dtype)
        rest = self._binomial.enumerate_support(expand=False)[1:]
        weights = _t.exp(self._binomial.log_prob(rest))
        terms = (weights * _t.lgamma(rest + 1)).sum([0, -1])
        return n * self._categorical.entropy() - _t.lgamma(n + 1) + terms

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -float("inf")), 0.0)
        return _t.lgamma(value.sum(-1) + 1) - _t.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)
