"""The categorical distribution over one-hot vectors."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._of_categorical import OfCategorical

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]

_t = _C._torch


class OneHotCategorical(OfCategorical):
    """The categorical distribution over one-hot vectors: the drawn number is the index of the 1.

    Args:
      probs: probabilities, normalised to the sum 1
      logits: logarithms of the probabilities up to a constant, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters (..., K), the batch (...), events (K,).
    Errors: ValueError unless exactly one of `probs` and `logits` is given, and for parameters
    without axes.
    """

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(OneHotCategorical, batch_shape, _instance)

    @property
    def mean(self) -> Tensor:
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        return self._one_hot(self._categorical.probs.argmax(dim=-1))

    @property
    def variance(self) -> Tensor:
        return self._categorical.probs * (1 - self._categorical.probs)

    def _one_hot(self, numbers: Tensor) -> Tensor:
        places = _t.arange(self._categorical._num_events, device=numbers.device)
        return (numbers.unsqueeze(-1) == places).to(self._categorical._param.dtype)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self._one_hot(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = _t.eye(n, dtype=self._categorical._param.dtype, device=self._categorical._param.device)
        values = values.view(n, *(1,) * len(self.batch_shape), n)
        return values.expand(n, *self.batch_shape, n) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A one-hot categorical distribution whose draws have the gradient of the probabilities, the
    straight-through estimator (Bengio et al., 2013).

    Args:
      probs: probabilities, normalised to the sum 1
      logits: logarithms of the probabilities up to a constant, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters (..., K), the batch (...), events (K,).
    Errors: ValueError unless exactly one of `probs` and `logits` is given, and for parameters
    without axes.
    """

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.sample(sample_shape) + (self._categorical.probs - self._categorical.probs.detach())
