"""Adafactor."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.optim._functions import functions
from torch_np.optim._fused import number
from torch_np.optim.optimizer import Optimizer, ParamsT

__getattr__ = functions(__name__, "adafactor")


def adafactor_step(p: Tensor, g: Tensor, step: float, row: Tensor | None, column: Tensor | None, variance: Tensor | None, *, lr: float,
                   beta2_decay: float, eps1: float, eps2: float, d: float, weight_decay: float, maximize: bool) -> None:
    """Updates one parameter and its state, step `step`, in place."""
    g = -g if maximize else g
    fresh = step ** beta2_decay  # the weight of this gradient's squares
    size = p.numel() ** 0.5
    factor = max(eps2, float(p.norm(2)) / size) * min(lr, 1 / step ** 0.5)
    if weight_decay:
        p.mul_(1 - lr * weight_decay)
    squares = g * g
    if g.dim() > 1:
        assert row is not None and column is not None
        row.lerp_(squares.mean(-1, keepdim=True), fresh)
        column.lerp_(squares.mean(-2, keepdim=True), fresh)
        estimate = row @ column / row.mean(-2, keepdim=True).clamp(min=eps1)
    else:
        assert variance is not None
        variance.lerp_(squares, fresh)
        estimate = variance.clone()
    update = estimate.clamp(min=eps1 * eps1).rsqrt() * g
    p.sub_(update * (factor / max(1.0, float(update.norm(2)) / (size * d))))


class Adafactor(Optimizer):
    """Adafactor, which keeps the running mean of the squared gradient of a matrix as the product of
    a column and a row.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: largest relative step, and the factor of `weight_decay`
      beta2_decay: the gradient of step t has the weight `t ** beta2_decay`
      eps: smallest denominator, by default the dtype's epsilon, and smallest root mean square of a
        parameter
      d: largest root mean square of an update
      weight_decay: decay coefficient
      foreach: accepted for compatibility; has no effect
      maximize: step along the gradient instead of against it

    Shapes: any; tensors of more than two dimensions are batches of matrices.
    Errors: ValueError for options out of range; RuntimeError for complex parameters.
    Source: Shazeer and Stern, ICML 2018, arXiv 1804.04235.
    """

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, beta2_decay: float = -0.8, eps: tuple[float | None, float] = (None, 1e-3),
                 d: float = 1.0, weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for good, text in ((lr >= 0, f"Learning rate should be >= 0 but is: {lr}"),
                           (beta2_decay <= 0, f"beta2_decay should be <= 0 but is: {beta2_decay}"),
                           (eps[0] is None or eps[0] >= 0, f"epsilon1 should be >= 0 but is: {eps[0]}"),
                           (eps[1] >= 0, f"epsilon2 should be >= 0 but is: {eps[1]}"),
                           (d >= 1, f"Clipping threshold d should be >= 1 but is: {d}"),
                           (weight_decay >= 0, f"weight_decay should be >= 0 but is: {weight_decay}")):
            if not good:
                raise ValueError(text)
        super().__init__(params, dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay, foreach=foreach,
                                      maximize=maximize))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates all parameters that have a gradient.

        Args:
          closure: function without arguments that computes the loss; it is called before the
            update, with gradients enabled

        Returns the closure's result, or None without a closure.
        Errors: RuntimeError for complex parameters.
        """
        loss = None
        if closure is not None:
            with torch_np.enable_grad():
                loss = closure()
        with torch_np.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        if _is_sparse(p.grad):
                            raise RuntimeError("Adafactor does not support sparse gradients")
                        self._update(p, p.grad, group)
        return loss

    def _update(self, p: Tensor, g: Tensor, group: dict[str, Any]) -> None:
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        own = self.state[p]
        if not own:
            own["step"] = number()
            if g.dim() > 1:
                own["row_var"] = g.new_zeros((*g.shape[:-1], 1))
                own["col_var"] = g.new_zeros((*g.shape[:-2], 1, g.shape[-1]))
            else:
                own["variance"] = torch_np.zeros_like(g)
        own["step"] += 1
        eps1, eps2 = group["eps"]
        adafactor_step(p, g, float(own["step"]), own.get("row_var"), own.get("col_var"), own.get("variance"), lr=float(group["lr"]),
                       beta2_decay=group["beta2_decay"], eps1=torch_np.finfo(p.dtype).eps if eps1 is None else eps1, eps2=eps2, d=group["d"],
                       weight_decay=group["weight_decay"], maximize=group["maximize"])
