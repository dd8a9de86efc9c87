"""What the relaxed distributions share."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.distributions.transformed_distribution import TransformedDistribution


class Relaxed(TransformedDistribution):
    """A transform of a distribution that has a temperature; its parameters are those of that distribution."""

    has_rsample = True
    base_dist: Any

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities, or log-odds."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
