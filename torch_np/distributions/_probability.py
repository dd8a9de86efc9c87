"""Base class of distributions with one probability, given as `probs` or as `logits` (log-odds).
The other form is computed on demand.
"""
from __future__ import annotations

from typing import Any

from torch_np._C import Size, Tensor
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class OfProbability(Distribution):
    """Base class with `probs` and `logits`; `_param` is the parameter that was given."""

    def _take_probability(self, probs: Any, logits: Any, *others: Any) -> tuple[Tensor, ...]:
        """Stores `probs` or `logits`, and returns `others` broadcast with it.

        Errors: ValueError unless exactly one of the two is given.
        """
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        *rest, given = broadcast_all(*others, probs if logits is None else logits)
        if logits is None:
            self.probs = given
        else:
            self.logits = given
        return tuple(rest)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()

    @lazy_property
    def logits(self) -> Tensor:
        """The log-odds.

        Shapes: (*batch_shape,).
        """
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of 1 or of success.

        Shapes: (*batch_shape,).
        """
        return logits_to_probs(self.logits, is_binary=True)
