"""Steps of optimisers with sparse gradients (COO), for one parameter each. Only the rows of a parameter
that have a gradient are changed.
"""
from __future__ import annotations

import math
from typing import Any

from torch_np import Tensor, sparse_coo_tensor

_Options = dict[str, Any]


def _like(grad: Tensor, values: Tensor) -> Tensor:
    """A tensor of the pattern of a coalesced gradient with other values."""
    return sparse_coo_tensor(grad._indices(), values, grad.shape, is_coalesced=True, check_invariants=False)


def sgd(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    """One step of SGD. The momentum buffer is sparse, too."""
    if o.get("fused"):
        raise RuntimeError("`_fused_sgd` does not support sparse gradients")
    if o["weight_decay"] != 0:
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if o["maximize"]:
        g = -g
    if o["momentum"] != 0:
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = g.detach().clone()
        else:
            buffer = buffer.mul(o["momentum"]).add(g, alpha=1 - o["dampening"])
        # Gradients of one row are added up, so that the buffer does not grow with the steps.
        state["momentum_buffer"] = buffer = buffer.coalesce() if buffer.is_sparse else buffer
        g = g.add(buffer, alpha=o["momentum"]) if o["nesterov"] else buffer
    p.add_(g, alpha=-float(o["lr"]))


def adagrad(p: Tensor, g: Tensor, state: dict[str, Any], o: _Options) -> None:
    """One step of Adagrad."""
    if o.get("fused"):
        raise RuntimeError("`fused` does not support sparse grad or complex param")
    if o["weight_decay"] != 0:
        raise RuntimeError("weight_decay option is not compatible with sparse gradients")
    state["step"] += 1
    rate = float(o["lr"]) / (1 + (float(state["step"]) - 1) * o["lr_decay"])
    g = (-g if o["maximize"] else g).coalesce()
    values = g._values()
    state["sum"].add_(_like(g, values * values))
    root = state["sum"].sparse_mask(g)._values().sqrt().add_(o["eps"])
    p.add_(_like(g, values / root), alpha=-rate)


def adam(p: Tensor, g: Tensor, mean: Tensor, mean_of_squares: Tensor, step: int, o: _Options) -> None:
    """One step of SparseAdam.

    Args:
      p: the parameter
      g: its gradient
      mean: state `exp_avg`
      mean_of_squares: state `exp_avg_sq`
      step: the number of this step
      o: the options lr, betas, eps and maximize
    """
    g = (-g if o["maximize"] else g).coalesce()
    values = g._values()
    if not values.numel():
        return
    beta1, beta2 = o["betas"]
    before, before_of_squares = mean.sparse_mask(g)._values(), mean_of_squares.sparse_mask(g)._values()
    change = (values - before) * (1 - beta1)
    change_of_squares = (values * values - before_of_squares) * (1 - beta2)
    mean.add_(_like(g, change))
    mean_of_squares.add_(_like(g, change_of_squares))
    root = (change_of_squares + before_of_squares).sqrt_().add_(o["eps"])
    rate = float(o["lr"]) * math.sqrt(1 - beta2 ** step) / (1 - beta1 ** step)
    p.add_(_like(g, -rate * ((change + before) / root)))
