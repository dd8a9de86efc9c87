"""Mixtures of distributions from one family."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.categorical import Categorical

__all__ = ["MixtureSameFamily"]

_t = _C._torch


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one family.

    The last batch axis of the components is the axis of the mixture.

    Args:
      mixture_distribution: Categorical with the weights
      component_distribution: the components
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the components' batch (..., k) and the mixture's (...), which may be smaller, give the
    batch (...); events are the components'.
    Errors: ValueError if `mixture_distribution` is not a Categorical or `component_distribution`
    not a Distribution, and for batches that do not fit.
    """

    arg_constraints: dict[str, Any] = {}
    has_rsample = False

    def __init__(self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None) -> None:
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError("The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        mixture, components = tuple(mixture_distribution.batch_shape), tuple(component_distribution.batch_shape)[:-1]
        for a, b in zip(reversed(mixture), reversed(components), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(f"`mixture_distribution.batch_shape` ({mixture}) is not compatible with "
                                 f"`component_distribution.batch_shape`({components})")
        count = mixture_distribution.logits.shape[-1]
        if count != component_distribution.batch_shape[-1]:
            raise ValueError(f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                             f"({component_distribution.batch_shape[-1]})")
        self._num_component = count
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(components, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(MixtureSameFamily, batch_shape, _instance)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of the component's number."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    def _weights(self) -> Tensor:
        probs = self._mixture_distribution.probs
        return probs.reshape((*probs.shape, *(1,) * self._event_ndims))

    @property
    def mean(self) -> Tensor:
        return (self._weights() * self._component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        axis = -1 - self._event_ndims
        within = (self._weights() * self._component_distribution.variance).sum(axis)
        between = (self._weights() * (self._component_distribution.mean - self.mean.unsqueeze(axis)).pow(2.0)).sum(axis)
        return within + between

    def cdf(self, x: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        of_each = self._component_distribution.cdf(x.unsqueeze(-1 - self._event_ndims))
        return (of_each * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        of_each = self._component_distribution.log_prob(x.unsqueeze(-1 - self._event_ndims))
        return (of_each + _t.log_softmax(self._mixture_distribution.logits, -1)).logsumexp(dim=-1)

    def _draw(self, sample_shape: Any) -> Tensor:
        axis = len(sample_shape) + len(self.batch_shape)
        chosen = self._mixture_distribution.expand(self.batch_shape).sample(sample_shape)
        chosen = chosen.reshape((*chosen.shape, 1, *(1,) * self._event_ndims))
        values = self._component_distribution.sample(sample_shape)
        chosen = chosen.expand((*chosen.shape[:axis], 1, *self.event_shape))
        return values.gather(axis, chosen).squeeze(axis)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
