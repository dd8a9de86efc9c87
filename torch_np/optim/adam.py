"""Adam and AdamW."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_adam_
from torch_np.optim._fused import FusedOptimizer, check, check_betas, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT


class Adam(FusedOptimizer):
    """p -= lr * m / (sqrt(v) + eps), where m and v are running means of the gradient and of its square, corrected for having begun at 0.

    `weight_decay` * p is added to the gradient, or, with `decoupled_weight_decay`, p is multiplied by 1 - lr * weight_decay. With
    `amsgrad`, v is the largest one so far. Errors: ValueError for options out of range.
    Source: Kingma and Ba, arXiv 1412.6980; Reddi et al., ICLR 2018.
    """

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
    """Adam with decoupled weight decay. Source: Loshchilov and Hutter, arXiv 1711.05101. Errors: as Adam."""

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
                         differentiable=differentiable, fused=fused, decoupled_weight_decay=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
