"""Distributions of transformed values."""
from __future__ import annotations

from typing import Any

from torch_np._C import Size, Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.independent import Independent
from torch_np.distributions.transforms import ComposeTransform, Transform
from torch_np.distributions.utils import sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of transformed values of another distribution.

    Args:
      base_distribution: the distribution
      transforms: a transform, or a list of transforms in the order of application
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the base's, changed by the transforms; events have at least as many axes as the
    transforms' values.
    Errors: ValueError if an item of `transforms` is not a Transform, and for transforms of values
    with more axes than the base has.
    """

    arg_constraints: dict[str, Any] = {}

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        event_dim = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        if len(base_shape) < transform.domain.event_dim:
            raise ValueError(f"base_distribution needs to have shape with size at least {transform.domain.event_dim}, but got {base_shape}.")
        shape = transform.forward_shape(base_shape)
        expanded = transform.inverse_shape(shape)
        if tuple(base_shape) != tuple(expanded):
            base_distribution = base_distribution.expand(tuple(expanded)[:len(expanded) - event_dim])
        extra = transform.domain.event_dim - event_dim
        self.base_dist = Independent(base_distribution, extra) if extra > 0 else base_distribution
        dims = max(transform.codomain.event_dim, event_dim + transform.codomain.event_dim - transform.domain.event_dim)
        cut = len(shape) - dims
        super().__init__(tuple(shape)[:cut], tuple(shape)[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(TransformedDistribution, batch_shape, _instance)
        new.transforms = self.transforms
        transform = ComposeTransform(self.transforms)
        shape = transform.inverse_shape(Size((*batch_shape, *self.event_shape)))
        new.base_dist = self.base_dist.expand(tuple(shape)[:len(shape) - len(self.base_dist.event_shape)])
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        dims = len(self.event_shape)
        return constraints.independent(support, dims - support.event_dim) if dims > support.event_dim else support

    @property
    def has_rsample(self) -> bool:
        return self.base_dist.has_rsample

    def _draw(self, sample_shape: Any) -> Tensor:
        x = self.base_dist.sample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        x = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        event_dim, log_prob, y = len(self.event_shape), None, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            term = sum_rightmost(transform.log_abs_det_jacobian(x, y), event_dim - transform.domain.event_dim)
            log_prob = -term if log_prob is None else log_prob - term
            y = x
        base = sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))
        return base if log_prob is None else log_prob + base

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        value = self.base_dist.icdf(self._monotonize_cdf(value))
        for transform in self.transforms:
            value = transform(value)
        return value
