"""The functions of layers that PyTorch has in `torch` itself, with the order of arguments that they have there: a reduction is a number, 0
for 'none', 1 for 'mean', 2 for 'sum'. What computes is in torch_np.nn.functional, which is asked for only when one of them is called;
shapes, dtypes and errors are as there."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch_np._C import Tensor, _torch_nn_functional
from torch_np._deferred import deferred

if TYPE_CHECKING:
    from torch_np import nn
else:
    nn = deferred("torch_np.nn")

__all__ = ["alpha_dropout", "alpha_dropout_", "batch_norm", "ctc_loss", "dropout", "dropout_", "embedding_bag", "feature_alpha_dropout",
           "feature_alpha_dropout_", "feature_dropout", "feature_dropout_", "group_norm", "instance_norm", "layer_norm", "rms_norm",
           "binary_cross_entropy_with_logits", "cosine_embedding_loss", "hinge_embedding_loss", "kl_div", "margin_ranking_loss",
           "poisson_nll_loss", "rrelu", "rrelu_", "triplet_margin_loss"]


def _named(reduction: int) -> str:
    if reduction not in (0, 1, 2):
        raise RuntimeError(f"reduction is {reduction}, not 0 (none), 1 (mean) or 2 (sum)")
    return ("none", "mean", "sum")[reduction]


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """As nn.functional.rrelu. Shapes: as `input`."""
    return nn.functional.rrelu(input, lower, upper, training)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """As nn.functional.rrelu, in place. Shapes: as `input`."""
    return nn.functional.rrelu(input, lower, upper, training, inplace=True)


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """As nn.functional.kl_div. Shapes: as there."""
    return nn.functional.kl_div(input, target, reduction=_named(reduction), log_target=log_target)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
                                     reduction: int = 0) -> Tensor:
    """As nn.functional.binary_cross_entropy_with_logits.

    Shapes: as there.
    Errors: RuntimeError where the shapes of `input` and `target` differ.
    """
    if input.shape != target.shape:
        raise RuntimeError(f"binary_cross_entropy_with_logits(): target of shape {tuple(target.shape)} must have that of input, {tuple(input.shape)}")
    return nn.functional.binary_cross_entropy_with_logits(input, target, weight, reduction=_named(reduction), pos_weight=pos_weight)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """As nn.functional.hinge_embedding_loss. Shapes: as there."""
    return nn.functional.hinge_embedding_loss(input, target, margin, reduction=_named(reduction))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """As nn.functional.margin_ranking_loss. Shapes: as there."""
    return nn.functional.margin_ranking_loss(input1, input2, target, margin, reduction=_named(reduction))


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """As nn.functional.cosine_embedding_loss. Shapes: as there."""
    return nn.functional.cosine_embedding_loss(input1, input2, target, margin, reduction=_named(reduction))


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """As nn.functional.poisson_nll_loss. Shapes: as there."""
    return nn.functional.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_named(reduction))


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
                        swap: bool = False, reduction: int = 0) -> Tensor:
    """As nn.functional.triplet_margin_loss. Shapes: as there."""
    return nn.functional.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_named(reduction))


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int = 0, reduction: int = 1,
             zero_infinity: bool = False) -> Tensor:
    """As nn.functional.ctc_loss. Shapes: as there."""
    return nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _named(reduction), zero_infinity)


def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
               training: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:
    """As nn.functional.batch_norm. Shapes: as there."""
    return _torch_nn_functional._batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
                  use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:
    """As nn.functional.instance_norm. Shapes: as there."""
    return nn.functional.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5, cudnn_enable: bool = True) -> Tensor:
    """As nn.functional.layer_norm. Shapes: as `input`."""
    return nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
               cudnn_enabled: bool = True) -> Tensor:
    """As nn.functional.group_norm. Shapes: as `input`."""
    return nn.functional.group_norm(input, num_groups, weight, bias, eps)


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """As nn.functional.rms_norm. Shapes: as `input`."""
    return nn.functional.rms_norm(input, normalized_shape, weight, eps)


def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0, sparse: bool = False,
                  per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """As nn.functional.embedding_bag, with `mode` 0 (sum), 1 (mean) or 2 (max); also which bag each index is in, how many rows each bag
    has, and which row each maximum is of.

    Shapes: as there; the other results are (n,), (bags,) and (0,) or, for `mode` 2, (bags, d).
    """
    return _torch_nn_functional._embedding_bag(
        weight, indices, offsets[:-1] if include_last_offset else offsets, mode, per_sample_weights,
        -1 if padding_idx is None else padding_idx % max(weight.shape[0], 1), scale_grad_by_freq)


def _check_probability(function: str, p: float) -> None:
    """These have another class than those of nn.functional for what is no probability."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"{function}(): dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """As nn.functional.dropout. Shapes: as `input`. Errors: RuntimeError unless 0 <= `p` <= 1."""
    _check_probability("dropout", p)
    return nn.functional.dropout(input, p, train)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """As nn.functional.dropout, in place. Shapes: as `input`. Errors: RuntimeError unless 0 <= `p` <= 1."""
    _check_probability("dropout_", p)
    return nn.functional.dropout(input, p, train, True)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """As nn.functional.alpha_dropout. Shapes: as `input`. Errors: RuntimeError unless 0 <= `p` <= 1."""
    _check_probability("alpha_dropout", p)
    return nn.functional.alpha_dropout(input, p, train)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """As nn.functional.alpha_dropout, in place. Shapes: as `input`. Errors: RuntimeError unless 0 <= `p` <= 1."""
    _check_probability("alpha_dropout_", p)
    return nn.functional.alpha_dropout(input, p, train, True)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` of whole channels, which are axis 1. Shapes: as `input`, (n, channels, ...). Errors: RuntimeError unless 0 <= `p` <= 1."""
    _check_probability("feature_dropout", p)
    return nn._dropout._dropout("feature_dropout", input, p, train, False, features=True)


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` of whole channels, which are axis 1, in place.

    Shapes: as `input`, (n, channels, ...).
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("feature_dropout_", p)
    return nn._dropout._dropout("feature_dropout_", input, p, train, True, features=True)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """As nn.functional.feature_alpha_dropout. Shapes: as `input`, (n, channels, ...). Errors: RuntimeError unless 0 <= `p` <= 1."""
    _check_probability("feature_alpha_dropout", p)
    return nn.functional.feature_alpha_dropout(input, p, train)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """As nn.functional.feature_alpha_dropout, in place.

    Shapes: as `input`, (n, channels, ...).
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("feature_alpha_dropout_", p)
    return nn.functional.feature_alpha_dropout(input, p, train, True)
