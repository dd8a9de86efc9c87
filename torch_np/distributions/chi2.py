"""The chi-square distribution."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.distributions import constraints
from torch_np.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-square distribution: a gamma distribution of shape `df / 2` and rate 1/2.

    Args:
      df: degrees of freedom
      validate_args: whether to check parameters and values; by default the class setting

    Shapes: the batch is shaped as `df`; events ().
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
