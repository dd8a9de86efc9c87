"""RMSprop."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_rmsprop_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "rmsprop")


class RMSprop(FusedOptimizer):
    """RMSprop optimiser, which divides the gradient by the root of a running mean of its square.

    The update is `p -= lr * g / (sqrt(v) + eps)`, with `v` the running mean of the squared gradient
    `g`.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      alpha: decay rate of the running mean
      eps: term added to the denominator, for numerical stability
      weight_decay: weight of the L2 penalty; `weight_decay * p` is added to the gradient
      momentum: momentum factor, applied to the quotients
      centered: subtract the square of the gradient's running mean from `v`
      capturable: accepted for compatibility; has no effect
      foreach: accepted for compatibility; every step is one fused operator
      maximize: step along the gradient instead of against it
      differentiable: record the step for gradients; it is composed of operators then

    Errors: ValueError for options out of range.
    Source: Tieleman and Hinton, lecture 6.5; Graves, arXiv 1308.0850.
    """

    _formula = "rmsprop"

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0, momentum: float = 0,
                 centered: bool = False, capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False) -> None:
        check_lr(lr)
        check(eps >= 0, "epsilon value", eps)
        check(momentum >= 0, "momentum value", momentum)
        check(weight_decay >= 0, "weight_decay value", weight_decay)
        check(alpha >= 0, "alpha value", alpha)
        check_ways(foreach, differentiable)
        super().__init__(params, dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered, weight_decay=weight_decay,
                                      capturable=capturable, foreach=foreach, maximize=maximize, differentiable=differentiable))

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        state = {"step": number(), "square_avg": filled_like(p)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = filled_like(p)
        if group["centered"]:
            state["grad_avg"] = filled_like(p)
        return state

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", *["grad_avg"] * group["centered"], *["momentum_buffer"] * (group["momentum"] > 0), "step")

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        _fused_rmsprop_(parameters, others, lr=float(group["lr"]), alpha=group["alpha"], eps=group["eps"],
                        weight_decay=group["weight_decay"], momentum=group["momentum"], centered=group["centered"],
                        maximize=group["maximize"])
