"""The relaxed categorical distribution."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions._of_categorical import OfCategorical
from torch_np.distributions._relaxed import Relaxed
from torch_np.distributions.transforms import ExpTransform
from torch_np.distributions.utils import broadcast_all, clamp_probs

__all__ = ["RelaxedOneHotCategorical"]

_t = _C._torch


class ExpRelaxedCategorical(OfCategorical):
    """The distribution of the logarithm of a relaxed one-hot categorical variable.

    Args:
      temperature: temperature of the relaxation
      probs: probabilities, normalised to the sum 1
      logits: logarithms of the probabilities up to a constant, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters (..., K), the batch (...), events (K,).
    Errors: ValueError unless exactly one of `probs` and `logits` is given, and for parameters
    without axes.
    """

    support = constraints.real_vector  # values are logarithms of points of the simplex, but only their reality is checked
    has_rsample = True

    def __init__(self, temperature: Tensor, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(ExpRelaxedCategorical, batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(_t.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        scores = (self.logits - (-(u.log())).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        n = self._categorical._num_events
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        scale = _t.full_like(self.temperature, float(n)).lgamma() - self.temperature.log().mul(-(n - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(Relaxed):
    """The relaxed one-hot categorical distribution on the simplex, whose values concentrate at the
    vertices for low temperatures.

    Args:
      temperature: temperature of the relaxation
      probs: probabilities, normalised to the sum 1
      logits: logarithms of the probabilities up to a constant, instead of `probs`
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters (..., K), the batch (...), events (K,).
    Errors: ValueError unless exactly one of `probs` and `logits` is given, and for parameters
    without axes.
    Source: Maddison et al., 2017; Jang et al., 2017.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(self, temperature: Tensor, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None) -> None:
        super().__init__(ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args), ExpTransform(),
                         validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedOneHotCategorical, _instance))
