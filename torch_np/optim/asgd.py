"""Averaged stochastic gradient descent."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_asgd_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "asgd")


class ASGD(FusedOptimizer):
    """Averaged stochastic gradient descent with a decreasing learning rate.

    The state "ax" holds the mean of the parameter from step `t0` on.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      lambd: decay term
      alpha: power of the learning rate's decay
      t0: step at which averaging starts
      weight_decay: weight of the L2 penalty; `weight_decay * p` is added to the gradient
      foreach: accepted for compatibility; every step is one fused operator
      maximize: step along the gradient instead of against it
      differentiable: record the step for gradients; it is composed of operators then
      capturable: accepted for compatibility; has no effect

    Errors: ValueError for options out of range.
    Source: Polyak and Juditsky, SIAM J. Control Optim. 30 (1992) 838.
    """

    _formula = "asgd"

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6, weight_decay: float = 0,
                 foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False) -> None:
        check_lr(lr)
        check(lambd >= 0, "lambd value", lambd)
        check(alpha >= 0, "alpha value", alpha)
        check(weight_decay >= 0, "weight_decay value", weight_decay)
        check_ways(foreach, differentiable)
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, foreach=foreach, maximize=maximize,
                                      differentiable=differentiable, capturable=capturable))

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {"step": number(), "eta": number() + float(group["lr"]), "mu": number() + 1, "ax": filled_like(p)}

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("ax", "mu", "eta", "step")

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        _fused_asgd_(parameters, others, lr=float(group["lr"]), lambd=group["lambd"], alpha=group["alpha"], t0=group["t0"],
                     weight_decay=group["weight_decay"], maximize=group["maximize"])
