"""The geometric distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._probability import OfProbability
from torch_np.distributions.utils import broadcast_all, tiny_of
from torch_np.nn import functional as F

__all__ = ["Geometric"]

_t = _C._torch


class Geometric(OfProbability):
    """The geometric distribution: the number of failures before the first success.

    Args:
      probs: probability of success
      logits: log-odds, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as the parameter; events ().
    Errors: ValueError unless exactly one of `probs` and `logits` is given, and if `probs` is 0.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take_probability(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ValueError(f"Expected parameter probs of distribution {self!r} to be positive but found invalid values:\n{self.probs}")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Geometric, batch_shape, _instance, probs=0, logits=0)

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return _t.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def _draw(self, sample_shape: Any) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u = _t.empty(shape, dtype=self.probs.dtype, device=self.probs.device).uniform_(tiny_of(self.probs.dtype), 1)
        return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = _t.where((probs == 1) & (value == 0), 0.0, probs)  # avoids 0 * -inf
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
