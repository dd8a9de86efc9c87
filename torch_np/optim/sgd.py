"""Stochastic gradient descent."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np._C._torch import _fused_sgd_
from torch_np.optim._functions import functions
from torch_np.optim._fused import FusedOptimizer, check, check_lr, check_ways
from torch_np.optim.optimizer import ParamsT

__getattr__ = functions(__name__, "sgd")


class SGD(FusedOptimizer):
    """Stochastic gradient descent, optionally with momentum.

    The update is `p -= lr * d`, where `d` is the gradient plus `weight_decay * p`. With momentum,
    `d` is replaced by the buffer `momentum * buffer + (1 - dampening) * d`, which starts as the
    first `d`. A sparse gradient changes only the rows that it has; its momentum buffer is sparse.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: learning rate; a number or a Tensor of one element
      momentum: momentum factor
      dampening: dampening of the momentum
      weight_decay: weight of the L2 penalty; `weight_decay * p` is added to the gradient
      nesterov: use `d + momentum * buffer` instead of the buffer
      maximize: step along the gradient instead of against it
      foreach: accepted for compatibility; every step is one fused operator
      differentiable: record the step for gradients; it is composed of operators then
      fused: accepted for compatibility; every step is one fused operator

    Errors: ValueError for negative options, and for `nesterov` without momentum or with dampening.
    """

    _formula = "sgd"

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float | Tensor = 0,
                 nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        check_lr(lr)
        check(momentum >= 0, "momentum value", momentum)
        check(float(weight_decay) >= 0, "weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_ways(foreach, differentiable, fused)
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov,
                                      maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused))

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Tensor]:
        return {}

    def _gather(self, group: dict[str, Any]) -> tuple[list[Tensor], list[Tensor]]:
        parameters, grads = [], []
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            if _is_sparse(grad):
                self._update_sparse(group, p, grad)
                continue
            parameters.append(p)
            grads.append(grad)
        return parameters, grads

    def _update_sparse(self, group: dict[str, Any], p: Tensor, grad: Tensor) -> None:
        from torch_np.optim import _sparse_steps

        _sparse_steps.sgd(p, grad, self.state[p] if group["momentum"] else {}, group)

    def _update(self, group: dict[str, Any], parameters: list[Tensor], others: list[Tensor]) -> None:
        momentum, first = float(group["momentum"]), []
        if momentum:
            for p in parameters:
                own = self.state[p]
                buffer = own.get("momentum_buffer")
                first.append(buffer is None)
                if buffer is None:
                    buffer = own["momentum_buffer"] = torch_np.empty_like(p)
                others.append(buffer)
        _fused_sgd_(parameters, others, lr=float(group["lr"]), momentum=momentum, dampening=float(group["dampening"]),
                    weight_decay=float(group["weight_decay"]), nesterov=group["nesterov"], maximize=group["maximize"], first=first)
