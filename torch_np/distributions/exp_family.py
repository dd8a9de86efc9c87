"""Exponential families, whose entropy is computed from the log-normaliser."""
from __future__ import annotations

from typing import Any

from torch_np import autograd
from torch_np._C import Tensor
from torch_np.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Base class of exponential families, of density exp(<t(x), theta> - F(theta) + k(x)).

    Subclasses define the natural parameters theta and the log-normaliser F.

    Args:
      batch_shape: shape of the parameters
      event_shape: shape of one value
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: natural parameters (*batch_shape, ...), the log-normaliser's value (*batch_shape,).
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, F - <theta, dF/dtheta> - E[k].

        Shapes: (*batch_shape,).
        Source: Nielsen and Nock, ICIP 2010.
        """
        parameters: list[Any] = [p.detach().requires_grad_() for p in self._natural_params]
        with autograd.enable_grad():
            normalizer = self._log_normalizer(*parameters)
            gradients = autograd.grad(normalizer.sum(), parameters, create_graph=True)
        result = -self._mean_carrier_measure + normalizer
        for p, g in zip(parameters, gradients, strict=True):
            term = p * g
            result = result - term.reshape(*self._batch_shape, -1).sum(-1)
        return result
