"""The relaxed Bernoulli distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._probability import OfProbability
from torch_np.distributions._relaxed import Relaxed
from torch_np.distributions.transforms import SigmoidTransform
from torch_np.distributions.utils import broadcast_all, clamp_probs

__all__ = ["RelaxedBernoulli"]

_t = _C._torch


class LogitRelaxedBernoulli(OfProbability):
    """The distribution of the log-odds of a relaxed Bernoulli variable.

    Args:
      temperature: temperature of the relaxation
      probs: probability of 1
      logits: log-odds, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as the parameter; events ().
    Errors: ValueError unless exactly one of `probs` and `logits` is given.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self.temperature = temperature
        self._take_probability(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(LogitRelaxedBernoulli, batch_shape, _instance, probs=0, logits=0)
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


class RelaxedBernoulli(Relaxed):
    """The relaxed Bernoulli distribution on (0, 1), whose values concentrate at 0 and 1 for low
    temperatures.

    Args:
      temperature: temperature of the relaxation
      probs: probability of 1
      logits: log-odds, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as the parameter; events ().
    Errors: ValueError unless exactly one of `probs` and `logits` is given.
    Source: Maddison et al., 2017; Jang et al., 2017.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval

    def __init__(self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedBernoulli, _instance))
