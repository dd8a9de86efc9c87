"""Losses of linear layers."""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C._torch_nn_functional import linear

__all__ = ["linear_cross_entropy"]


def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
                         weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
                         label_smoothing: float = 0.0, options: Any = None) -> Tensor:
    """The cross-entropy loss of a linear layer's outputs, `input @ linear_weight.T + linear_bias`.

    Args:
      input: input of the layer
      linear_weight: weight of the layer
      target: classes, or probabilities of all classes
      linear_bias: bias of the layer
      weight: weight of each class
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      ignore_index: class whose targets are ignored, -100 by default
      label_smoothing: weight of a uniform distribution mixed into the targets, from 0 to 1
      options: accepted for compatibility; has no effect

    Shapes: `input` (..., k), `linear_weight` (c, ..., k), `linear_bias` (c, ...). The logits are
    the axes of `input` without k, followed by (c, ...). `target` is one number for each row of
    logits, or shaped as the logits; `weight` (c,).
    Dtypes: floats, the same for all; `target` of int64, or floats for probabilities.
    Errors: RuntimeError for shapes or dtypes that do not fit, ValueError for an unknown
    `reduction`.
    """
    from torch_np.nn.functional import cross_entropy  # imported here because it imports this module
    classes, *more, features = linear_weight.shape
    logits = linear(input, linear_weight.reshape(-1, features), None if linear_bias is None else linear_bias.reshape(-1))
    if more:
        logits = logits.reshape(*input.shape[:-1], classes, *more)
    return cross_entropy(logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
                         label_smoothing=label_smoothing)
