"""The Bernoulli distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Size, Tensor
from torch_np.distributions import constraints
from torch_np.autograd import no_grad
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.utils import all_numbers, broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from torch_np.nn import functional as F

__all__ = ["Bernoulli"]

_t = _C._torch


class Bernoulli(ExponentialFamily):
    """1 with probability `probs`, or of log-odds `logits`, else 0."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0.0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given = probs if logits is None else logits
        if logits is None:
            self.probs, = broadcast_all(probs)
        else:
            self.logits, = broadcast_all(logits)
        super().__init__(Size() if all_numbers(given) else self._param.size(), validate_args=validate_args)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @lazy_property
    def logits(self) -> Tensor:
        """Log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """Probabilities of 1."""
        return logits_to_probs(self.logits, is_binary=True)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(("probs", "logits"), batch_shape, _instance)

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

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
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
