"""The relaxed Bernoulli distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Size, Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.transforms import SigmoidTransform
from torch_np.distributions.transformed_distribution import TransformedDistribution
from torch_np.distributions.utils import all_numbers, broadcast_all, clamp_probs, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["RelaxedBernoulli"]

_t = _C._torch


class LogitRelaxedBernoulli(Distribution):
    """Log-odds of RelaxedBernoulli."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self.temperature = temperature
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

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(("probs", "logits"), batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(_t.rand(shape, dtype=probs.dtype, device=probs.device))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """Between 0 and 1, nearer to them the lower the `temperature`. Source: Maddison et al., 2017; Jang et al., 2017."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    base_dist: LogitRelaxedBernoulli

    def __init__(self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """Log-odds."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """Probabilities of 1."""
        return self.base_dist.probs

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
