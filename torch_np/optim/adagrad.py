"""Adagrad."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch import _fused_adagrad_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check, check_lr, check_ways, filled_like, number
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "adagrad")


class Adagrad(FusedOptimizer):
    """Adagrad optimiser, which divides each step by the root of the sum of all squared gradients.

    The update is `p -= lr / (1 + (step - 1) * lr_decay) * g / (sqrt(sum) + eps)`. The state is
    allocated on construction. A sparse gradient changes only the rows that it has.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      lr_decay: decay of the learning rate with the number of steps
      weight_decay: weight of the L2 penalty; `weight_decay * p` is added to the gradient
      initial_accumulator_value: initial value of the sum of squared gradients
      eps: term added to the denominator, for numerical stability
      foreach: accepted for compatibility; every step is one fused operator
      maximize: step along the gradient instead of against it
      differentiable: record the step for gradients; it is composed of operators then
      fused: accepted for compatibility; every step is one fused operator

    Errors: ValueError for options out of range.
    Source: Duchi, Hazan and Singer, JMLR 12 (2011) 2121.
    """

    _formula = "adagrad"

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0, initial_accumulator_value: float = 0,
                 eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        check_lr(lr)
        check(lr_decay >= 0, "lr_decay value", lr_decay)
        check(weight_decay >= 0, "weight_decay value", weight_decay)
        check(initial_accumulator_value >= 0, "initial_accumulator_value value", initial_accumulator_value)
        check(eps >= 0, "epsilon value", eps)
        check_ways(foreach, differentiable, fused)
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                                      initial_accumulator_value=initial_accumulator_value, foreach=foreach, maximize=maximize,
                                      differentiable=differentiable, fused=fused))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p] = self._new_state(p, group)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        value = group["initial_accumulator_value"]
        return {"step": number(), "sum": filled_like(p, complex(value, value) if p.is_complex() else value)}

    def _update_sparse(self, group: dict[str, Any], p: Tensor, grad: Tensor) -> None:
        from torch_np.optim import _sparse_steps

        _sparse_steps.adagrad(p, grad, self.state[p], group)

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("sum", "step")

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        _fused_adagrad_(parameters, others, lr=float(group["lr"]), lr_decay=group["lr_decay"], eps=group["eps"],
                        weight_decay=group["weight_decay"], maximize=group["maximize"])
