"""Base of distributions that hold a Categorical with their parameters."""
from __future__ import annotations

from typing import Any

from torch_np._C import Size, Tensor
from torch_np.distributions import constraints
from torch_np.distributions.categorical import Categorical
from torch_np.distributions.distribution import Distribution


class OfCategorical(Distribution):
    """Base class of distributions of K-vectors that hold a Categorical over K numbers."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _expanded(self, cls: Any, batch_shape: Any, _instance: Any, **event_dims: int) -> Any:
        new = super()._expanded(cls, batch_shape, _instance, **event_dims)
        new._categorical = self._categorical.expand(batch_shape)
        return new

    @property
    def probs(self) -> Tensor:
        """The probabilities.

        Shapes: (*batch_shape, K).
        """
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities.

        Shapes: (*batch_shape, K).
        """
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape
