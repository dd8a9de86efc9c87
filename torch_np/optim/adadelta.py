"""Adadelta."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_adadelta_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "adadelta")


class Adadelta(FusedOptimizer):
    """Adadelta optimiser, which adapts the step of each element to its past gradients and changes.

    The update is `p -= lr * g * sqrt(u + eps) / sqrt(v + eps)`. `v` and `u` are running means of
    the squared gradient `g` and of the squared changes.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: factor of the update
      rho: decay rate of both running means, from 0 to 1
      eps: term added to the denominator, for numerical stability
      weight_decay: weight of the L2 penalty; `weight_decay * p` is added to the gradient
      foreach: accepted for compatibility; every step is one fused operator
      capturable: accepted for compatibility; has no effect
      maximize: step along the gradient instead of against it
      differentiable: record the step for gradients; it is composed of operators then

    Errors: ValueError for options out of range, RuntimeError or NotImplementedError for
    `differentiable=True`.
    Source: Zeiler, arXiv 1212.5701.
    """

    _formula = "adadelta"

    def __init__(self, params: ParamsT, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
                 foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False) -> None:
        check_lr(lr)
        check(0 <= rho <= 1, "rho value", rho)
        check(eps >= 0, "epsilon value", eps)
        check(weight_decay >= 0, "weight_decay value", weight_decay)
        check_ways(foreach, differentiable)
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize, capturable=capturable,
                                      foreach=foreach, differentiable=differentiable))

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {"step": number(), "square_avg": filled_like(p), "acc_delta": filled_like(p)}

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", "acc_delta", "step")

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        _fused_adadelta_(parameters, others, lr=float(group["lr"]), rho=group["rho"], eps=group["eps"],
                         weight_decay=group["weight_decay"], maximize=group["maximize"])
