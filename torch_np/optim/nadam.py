"""NAdam."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_nadam_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check, check_betas, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "nadam")


class NAdam(FusedOptimizer):
    """Adam optimiser with Nesterov momentum.

    The momentum coefficient of a step is `beta1 * (1 - 0.96 ** (step * momentum_decay) / 2)`.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      betas: decay rates of the running means of the gradient and of its square
      eps: term added to the denominator, for numerical stability
      weight_decay: weight of the L2 penalty; `weight_decay * p` is added to the gradient
      momentum_decay: rate at which the momentum coefficient grows
      decoupled_weight_decay: multiply the parameter by `1 - lr * weight_decay` instead of adding
        the penalty to the gradient
      foreach: accepted for compatibility; every step is one fused operator
      maximize: step along the gradient instead of against it
      capturable: accepted for compatibility; has no effect
      differentiable: record the step for gradients; it is composed of operators then

    Errors: ValueError for options out of range.
    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.
    """

    _formula = "nadam"

    def __init__(self, params: ParamsT, lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
                 momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False, differentiable: bool = False) -> None:
        check_lr(lr)
        check(eps >= 0, "epsilon value", eps)
        check_betas(betas)
        check(weight_decay >= 0, "weight_decay value", weight_decay)
        check(momentum_decay >= 0, "momentum_decay value", momentum_decay)
        check_ways(foreach, differentiable)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
                                      decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach,
                                      capturable=capturable, differentiable=differentiable))

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {"step": number(), "mu_product": number() + 1, "exp_avg": filled_like(p), "exp_avg_sq": filled_like(p)}

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "mu_product", "step")

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        beta1, beta2 = group["betas"]
        _fused_nadam_(parameters, others, lr=float(group["lr"]), beta1=beta1, beta2=beta2, eps=group["eps"],
                      weight_decay=group["weight_decay"], momentum_decay=group["momentum_decay"],
                      decoupled_weight_decay=group["decoupled_weight_decay"], maximize=group["maximize"])
