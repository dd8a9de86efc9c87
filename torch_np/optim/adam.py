"""Adam and AdamW."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_adam_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check, check_betas, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "adam")


class Adam(FusedOptimizer):
    """Adam optimiser, which steps along running means of the gradient and of its square.

    The update is `p -= lr * m / (sqrt(v) + eps)`. `m` and `v` are the running means of the gradient
    and of its square, corrected for their start at 0.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      betas: decay rates of the running means of the gradient and of its square
      eps: term added to the denominator, for numerical stability
      weight_decay: weight of the L2 penalty; `weight_decay * p` is added to the gradient
      amsgrad: use the largest `v` of all steps so far
      foreach: accepted for compatibility; every step is one fused operator
      maximize: step along the gradient instead of against it
      capturable: accepted for compatibility; has no effect
      differentiable: record the step for gradients; it is composed of operators then
      fused: accepted for compatibility; every step is one fused operator
      decoupled_weight_decay: multiply the parameter by `1 - lr * weight_decay` instead of adding
        the penalty to the gradient

    Errors: ValueError for options out of range.
    Source: Kingma and Ba, arXiv 1412.6980; Reddi et al., ICLR 2018.
    """

    _formula = "adam"
    _sparse_name, _sparse_advice = "Adam", ", please consider SparseAdam instead"

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False,
                 capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
                 decoupled_weight_decay: bool = False) -> None:
        check_lr(lr)
        check(eps >= 0, "epsilon value", eps)
        check_betas(betas)
        check(weight_decay >= 0, "weight_decay value", weight_decay)
        check_ways(foreach, differentiable, fused)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize,
                                      foreach=foreach, capturable=capturable, differentiable=differentiable, fused=fused,
                                      decoupled_weight_decay=decoupled_weight_decay))

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        state = {"step": number(), "exp_avg": filled_like(p), "exp_avg_sq": filled_like(p)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = filled_like(p)
        return state

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step") if group["amsgrad"] else ("exp_avg", "exp_avg_sq", "step")

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        beta1, beta2 = group["betas"]
        _fused_adam_(parameters, others, lr=float(group["lr"]), beta1=float(beta1), beta2=float(beta2), eps=group["eps"],
                     weight_decay=group["weight_decay"], amsgrad=group["amsgrad"], maximize=group["maximize"],
                     decoupled_weight_decay=group["decoupled_weight_decay"])


class AdamW(Adam):
    """Adam optimiser with decoupled weight decay: each step first multiplies the parameter by `1 -
    lr * weight_decay`.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      betas: decay rates of the running means of the gradient and of its square
      eps: term added to the denominator, for numerical stability
      weight_decay: decay coefficient
      amsgrad: use the largest running mean of the squared gradient of all steps so far
      maximize: step along the gradient instead of against it
      foreach: accepted for compatibility; every step is one fused operator
      capturable: accepted for compatibility; has no effect
      differentiable: record the step for gradients; it is composed of operators then
      fused: accepted for compatibility; every step is one fused operator

    Errors: ValueError for options out of range.
    Source: Loshchilov and Hutter, arXiv 1711.05101.
    """

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
                         differentiable=differentiable, fused=fused, decoupled_weight_decay=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
