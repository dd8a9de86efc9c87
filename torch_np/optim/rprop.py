"""Resilient backpropagation."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_rprop_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "rprop")


class Rprop(FusedOptimizer):
    """Resilient backpropagation: each element moves by its own step size against the sign of its
    gradient.

    The step size grows while the sign stays the same and shrinks when the sign changes.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: initial step size
      etas: factors by which the step size shrinks and grows
      step_sizes: smallest and largest step size
      capturable: accepted for compatibility; has no effect
      foreach: accepted for compatibility; every step is one fused operator
      maximize: step along the gradient instead of against it
      differentiable: record the step for gradients; it is composed of operators then

    Errors: ValueError for options out of range.
    Source: Riedmiller and Braun, ICNN 1993.
    """

    _formula = "rprop"

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, etas: tuple[float, float] = (0.5, 1.2), step_sizes: tuple[float, float] = (1e-6, 50),
                 *, capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None:
        check_lr(lr)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        check_ways(foreach, differentiable)
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
                                      differentiable=differentiable, capturable=capturable))

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        lr = float(group["lr"])
        return {"step": number(), "prev": filled_like(p), "step_size": filled_like(p, complex(lr, lr) if p.is_complex() else lr)}

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("prev", "step_size", "step")

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        etaminus, etaplus = group["etas"]
        least, most = group["step_sizes"]
        _fused_rprop_(parameters, others, etaminus=etaminus, etaplus=etaplus, step_size_min=least, step_size_max=most,
                      maximize=group["maximize"])
