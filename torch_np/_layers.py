"""The functions of layers that PyTorch has in `torch` itself, with the order of arguments that they have there: a reduction is a number, 0
for 'none', 1 for 'mean', 2 for 'sum'. What computes is in torch_np.nn.functional, which is asked for only when one of them is called;
shapes, dtypes and errors are as there."""
from __future__ import annotations

import torch_np
from torch_np import Tensor

__all__ = ["binary_cross_entropy_with_logits", "cosine_embedding_loss", "hinge_embedding_loss", "kl_div", "margin_ranking_loss",
           "poisson_nll_loss", "rrelu", "rrelu_", "triplet_margin_loss"]


def _named(reduction: int) -> str:
    if reduction not in (0, 1, 2):
        raise RuntimeError(f"reduction is {reduction}, not 0 (none), 1 (mean) or 2 (sum)")
    return ("none", "mean", "sum")[reduction]


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """As nn.functional.rrelu."""
    return torch_np.nn.functional.rrelu(input, lower, upper, training)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """As nn.functional.rrelu, in place."""
    return torch_np.nn.functional.rrelu(input, lower, upper, training, inplace=True)


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """As nn.functional.kl_div."""
    return torch_np.nn.functional.kl_div(input, target, reduction=_named(reduction), log_target=log_target)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
                                     reduction: int = 0) -> Tensor:
    """As nn.functional.binary_cross_entropy_with_logits."""
    return torch_np.nn.functional.binary_cross_entropy_with_logits(input, target, weight, reduction=_named(reduction), pos_weight=pos_weight)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """As nn.functional.hinge_embedding_loss."""
    return torch_np.nn.functional.hinge_embedding_loss(input, target, margin, reduction=_named(reduction))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """As nn.functional.margin_ranking_loss."""
    return torch_np.nn.functional.margin_ranking_loss(input1, input2, target, margin, reduction=_named(reduction))


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """As nn.functional.cosine_embedding_loss."""
    return torch_np.nn.functional.cosine_embedding_loss(input1, input2, target, margin, reduction=_named(reduction))


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """As nn.functional.poisson_nll_loss."""
    return torch_np.nn.functional.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_named(reduction))


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
                        swap: bool = False, reduction: int = 0) -> Tensor:
    """As nn.functional.triplet_margin_loss."""
    return torch_np.nn.functional.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_named(reduction))
