"""Losses of affine maps."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch_nn_functional import linear

__all__ = ["linear_cross_entropy"]


def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
                         weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
                         label_smoothing: float = 0.0, options: Any = None) -> Tensor:
    """cross_entropy of `input` @ `linear_weight`^T + `linear_bias` and `target`. `options`, how PyTorch computes it in pieces, changes nothing.

    Shapes: `input` (..., k), `linear_weight` (c, ..., k), `linear_bias` (c, ...); the logits are (input's without k, c, ...), and `target`,
    `weight` and the result are as cross_entropy has them. Dtypes: floats, the same for all; `target` of int64, or probabilities.
    Errors: as linear and cross_entropy.
    """
    from torch_np.nn.functional import cross_entropy  # which imports this module
    classes, *more, features = linear_weight.shape
    logits = linear(input, linear_weight.reshape(-1, features), None if linear_bias is None else linear_bias.reshape(-1))
    if more:
        logits = logits.reshape(*input.shape[:-1], classes, *more)
    return cross_entropy(logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
                         label_smoothing=label_smoothing)
