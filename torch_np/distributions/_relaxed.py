"""Base of the relaxed distributions."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.distributions.transformed_distribution import TransformedDistribution


class Relaxed(TransformedDistribution):
    """A transformed distribution whose temperature and parameters are those of its base."""

    has_rsample = True
    base_dist: Any

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, or log-odds."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
