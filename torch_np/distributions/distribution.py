"""Distribution, the base class of all distributions."""
from __future__ import annotations

import math
import warnings
from typing import Any

from torch_np import _C
from torch_np._C import Size, Tensor
from torch_np.autograd import no_grad
from torch_np.distributions import constraints
from torch_np.distributions.utils import lazy_property

__all__ = ["Distribution"]


class Distribution:
    """Base class of probability distributions.

    Args:
      batch_shape: shape of the parameters
      event_shape: shape of one value
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: values are (*sample_shape, *batch_shape, *event_shape), their log-probabilities
    (*sample_shape, *batch_shape).
    Errors: ValueError, unless `validate_args` is False, for parameters out of range, and for values
    that do not have such a shape or lie outside the support.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Sets whether distributions check their arguments by default.

        Args:
          value: True or False

        Errors: ValueError if `value` is neither True nor False.
        """
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            warnings.warn(f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the distribution "
                          "with `validate_args=False` to turn off validation.", stacklevel=2)
            return
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property):
                continue  # this parameter is computed from another one, which is checked
            value = getattr(self, name)
            valid = constraint.check(value)
            if not bool(valid.all()):
                raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} to "
                                 f"satisfy the constraint {constraint!r}, but found invalid values:\n{value}")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution with its parameters broadcast to `batch_shape`.

        Args:
          batch_shape: the new batch shape
          _instance: object to initialise, for subclasses that extend this method

        Errors: NotImplementedError for a subclass that defines `__init__()` without `expand()`.
        """
        raise NotImplementedError

    def _expanded(self, cls: Any, batch_shape: Any, _instance: Any, **event_dims: int) -> Any:
        """Implements expand() for the class `cls` by broadcasting the named parameters that are
        set; the keyword's value is the number of event axes of a parameter.
        """
        new = self._get_checked_instance(cls, _instance)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        for name, n in event_dims.items():
            if name in self.__dict__:
                value = self.__dict__[name]
                new.__dict__[name] = value.expand((*batch_shape, *value.shape[value.dim() - n:]))
        return new

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """The constraint of each parameter.

        Errors: NotImplementedError if the class does not define it.
        """
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint of values.

        Errors: NotImplementedError if the class does not define it.
        """
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean.

        Shapes: (*batch_shape, *event_shape).
        Errors: NotImplementedError if the class does not define it.
        """
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value.

        Shapes: (*batch_shape, *event_shape).
        Errors: NotImplementedError if the class does not define it.
        """
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance.

        Shapes: (*batch_shape, *event_shape).
        Errors: NotImplementedError if the class does not define it.
        """
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation.

        Shapes: (*batch_shape, *event_shape).
        Errors: NotImplementedError if the class does not define it.
        """
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws random values, without gradients.

        Args:
          sample_shape: shape of the samples

        Shapes: (*sample_shape, *batch_shape, *event_shape).
        """
        with no_grad():
            return self._draw(sample_shape)

    def _draw(self, sample_shape: Any) -> Tensor:
        """Implements sample(), which calls it with gradients disabled."""
        return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws random values that are differentiable with respect to the parameters
        (reparameterised).

        Args:
          sample_shape: shape of the samples

        Shapes: (*sample_shape, *batch_shape, *event_shape).
        Errors: NotImplementedError if the class does not define it; `has_rsample` is False then.
        """
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at `value`.

        Args:
          value: values

        Shapes: `value` broadcasts with (*batch_shape, *event_shape); the result has the broadcast
        shape without the event axes.
        Errors: ValueError, unless `validate_args` is False, if `value` does not broadcast with this
        shape, or lies outside the support.
        """
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The cumulative distribution function: the probability of values up to `value`.

        Args:
          value: values

        Shapes: `value` broadcasts with (*batch_shape, *event_shape); the result has the broadcast
        shape without the event axes.
        Errors: ValueError, unless `validate_args` is False, if `value` does not broadcast with this
        shape, or lies outside the support; NotImplementedError if the class does not define it.
        """
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of the cumulative distribution function.

        Args:
          value: probabilities

        Shapes: `value` broadcasts with (*batch_shape, *event_shape); the result has the broadcast
        shape.
        Errors: NotImplementedError if the class does not define it.
        """
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along a new first axis.

        Args:
          expand: expand the result over the batch; otherwise the batch axes have size 1

        Shapes: (number of values, *batch_shape, *event_shape).
        Errors: NotImplementedError if the class does not define it; `has_enumerate_support` is
        False then.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats.

        Shapes: (*batch_shape,).
        Errors: NotImplementedError if the class does not define it.
        """
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy.

        Shapes: (*batch_shape,).
        Errors: NotImplementedError if the class does not define it.
        """
        return _C._torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = value.dim() - len(self._event_shape)
        if tuple(value.shape[max(start, 0):]) != tuple(self._event_shape):
            raise ValueError(f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}.")
        for i, j in zip(reversed(value.shape), reversed((*self._batch_shape, *self._event_shape)), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs "
                                 f"{self._batch_shape + self._event_shape}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{type(self)} does not define `support` to enable sample validation. Please initialize the distribution with "
                          "`validate_args=False` to turn off validation.", stacklevel=2)
            return
        if support is None:
            raise AssertionError("support is None in distribution")
        valid = support.check(value)
        if not bool(valid.all()):
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                             f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}")

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise NotImplementedError(f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define "
                                      "a custom .expand() method.")
        return type(self).__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        names = [k for k in self.arg_constraints if k in self.__dict__]
        values = ", ".join(f"{n}: {self.__dict__[n] if self.__dict__[n].numel() == 1 else self.__dict__[n].size()}" for n in names)
        return f"{type(self).__name__}({values})"


HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)
