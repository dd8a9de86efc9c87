"""Student's t-distribution."""
from __future__ import annotations

import math
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.chi2 import Chi2
from torch_np.distributions.utils import broadcast_all, standard_normal

__all__ = ["StudentT"]

_t = _C._torch


class StudentT(Distribution):
    """Student's t-distribution.

    Args:
      df: degrees of freedom
      loc: location
      scale: scale
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: parameters broadcast to the batch; events ().
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return _t.where(self.df <= 1, float("nan"), self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        safe = _t.where(self.df > 2, self.df, 3.0)
        finite = self.scale.pow(2) * safe / (safe - 2)
        m = _t.where(self.df > 2, finite, float("inf"))
        return _t.where(self.df <= 1, float("nan"), m)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(StudentT, batch_shape, _instance, df=0, loc=0, scale=0)
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        x = standard_normal(shape, self.df.dtype, self.df.device)
        return self.loc + self.scale * x * _t.rsqrt(self._chi2.rsample(sample_shape) / self.df)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        z = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + _t.lgamma(0.5 * self.df)
             - _t.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * _t.log1p(y ** 2.0 / self.df) - z

    def entropy(self) -> Tensor:
        log_beta = _t.lgamma(0.5 * self.df) + math.lgamma(0.5) - _t.lgamma(0.5 * (self.df + 1))
        digammas = _t.digamma(0.5 * (self.df + 1)) - _t.digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * digammas + 0.5 * self.df.log() + log_beta
