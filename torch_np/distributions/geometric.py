"""The geometric distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Size, Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.autograd import no_grad
from torch_np.distributions.utils import all_numbers, broadcast_all, lazy_property, logits_to_probs, probs_to_logits, tiny_of
from torch_np.nn import functional as F

__all__ = ["Geometric"]

_t = _C._torch


class Geometric(Distribution):
    """The number of failures before the first success, of probability `probs` or log-odds `logits`."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given = probs if logits is None else logits
        if logits is None:
            self.probs, = broadcast_all(probs)
        else:
            self.logits, = broadcast_all(logits)
        param = self.probs if logits is None else self.logits
        super().__init__(Size() if all_numbers(given) else param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ValueError(f"Expected parameter probs of distribution {self!r} to be positive but found invalid values:\n{self.probs}")

    @lazy_property
    def logits(self) -> Tensor:
        """Log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """Probabilities of success."""
        return logits_to_probs(self.logits, is_binary=True)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(("probs", "logits"), batch_shape, _instance)

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return _t.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return (self.probs if "probs" in self.__dict__ else self.logits).size()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            u = _t.empty(shape, dtype=self.probs.dtype, device=self.probs.device).uniform_(tiny_of(self.probs.dtype), 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = _t.where((probs == 1) & (value == 0), 0.0, probs)  # 0 times -infinity
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
