"""Losses as modules."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.distance import PairwiseDistance
from torch_np.nn.modules.linear import Linear
from torch_np.nn.modules.module import Module
# Names that layers of packages import from here.
from torch_np.nn import _reduction as _Reduction  # noqa: F401

__all__ = ["BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss", "HingeEmbeddingLoss",
           "HuberLoss", "KLDivLoss", "L1Loss", "LinearCrossEntropyLoss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss",
           "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss",
           "TripletMarginLoss", "TripletMarginWithDistanceLoss"]


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """The `reduction` equivalent to PyTorch's older arguments `size_average` and `reduce`.

    Args:
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
    """
    if reduce is not None and not reduce:
        return "none"
    return "sum" if size_average is not None and not size_average else "mean"


class _Loss(Module):
    """Base class of losses with the argument `reduction`: 'none', 'mean' or 'sum'."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction if size_average is None and reduce is None else legacy_reduction(size_average, reduce)


class _WeightedLoss(_Loss):
    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """The absolute error, `abs(input - target)`.

    Args:
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The squared error, `(input - target) ** 2`.

    Args:
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.mse_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """The negative log-likelihood loss: `-input` at the target class, times the weight of the
    class.

    Args:
      weight: weight of each class
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      ignore_index: class whose targets have loss 0
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: log-probabilities (N, C, ...) or (C,), classes (N, ...) or (); the result is
        shaped as the classes, or () if reduced.
        """
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The negative log-likelihood loss; a deprecated name of NLLLoss."""


class PoissonNLLLoss(_Loss):
    """The negative log-likelihood of a Poisson distribution, `exp(input) - target * input`.

    Args:
      log_input: whether the input is the logarithm of the rate; otherwise the loss is `input -
        target * log(input + eps)`
      full: add Stirling's approximation of `log(target!)`
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      eps: term that avoids the logarithm of 0
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def __init__(self, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """The negative log-likelihood of a normal distribution, `(log(var) + (input - target) ** 2 /
    var) / 2`.

    Args:
      full: add the constant `log(2 * pi) / 2`
      eps: lower bound of the variance
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Shapes: input and target have the same shape; var has it too, or is without the last
        axis, or has size 1 there. The result is shaped as the input, or () if reduced.
        """
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence, `target * (log(target) - input)` for log-probabilities
    `input`.

    Args:
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none', 'mean', 'sum', or 'batchmean' for the sum divided by the size of axis 0
      log_target: whether the target holds log-probabilities
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(_WeightedLoss):
    """The binary cross-entropy, `-(target * log(input) + (1 - target) * log(1 - input))`.

    Args:
      weight: factor of the losses
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """The binary cross-entropy of `sigmoid(input)`, computed without overflow.

    Args:
      weight: factor of the losses
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      pos_weight: factor of the terms with the target
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                 pos_weight: Tensor | None = None) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """`input` where the target is 1, and `max(0, margin - input)` where it is -1.

    Args:
      margin: the margin
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def __init__(self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """The multi-label hinge loss; each row of the target lists the target classes, ended by -1.

    It is the sum of `max(0, 1 - x[j] + x[i])` over target classes j and non-target classes i,
    divided by the number of classes.

    Args:
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: (N, C) or (C,) both; the result is (N,) or (), or () if reduced."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """The smooth absolute error: with `d = abs(input - target)`, `d ** 2 / (2 * beta)` where `d <
    beta`, else `d - beta / 2`.

    Args:
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      beta: error at which the loss becomes linear
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """The Huber loss: with `d = abs(input - target)`, `d ** 2 / 2` where `d < delta`, else `delta *
    (d - delta / 2)`.

    Args:
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      delta: error at which the loss becomes linear
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """`log(1 + exp(-target * input))`, for targets of -1 and 1.

    Args:
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: input and target have the same shape. The result has it too, or is () if reduced."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """The cross-entropy loss of logits and classes, or probabilities of all classes.

    Args:
      weight: weight of each class
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      ignore_index: class whose targets have loss 0
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      label_smoothing: weight of a uniform distribution mixed into the targets, from 0 to 1
    """

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None,
                 reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: logits (N, C, ...) or (C,); classes (N, ...) or (), or probabilities shaped as
        the logits; the result is (N, ...) or (), or () if reduced.
        """
        return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
                               label_smoothing=self.label_smoothing)


class LinearCrossEntropyLoss(Module):
    """The cross-entropy loss of a linear layer's outputs.

    Args:
      in_features: features of the input
      num_classes: number of classes
      out_features: sizes of further axes of the layer's output
      bias: learn a bias of the layer
      device: device of the parameters
      dtype: dtype of the parameters
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      weight: weight of each class
      ignore_index: class whose targets are ignored, -100 by default
      label_smoothing: weight of a uniform distribution mixed into the targets, from 0 to 1
      options: LinearCrossEntropyOptions, which change no result
    """

    weight: Tensor | None

    def __init__(self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (), bias: bool = False, device: Any = None,
                 dtype: Any = None, reduction: str = "mean", weight: Tensor | None = None, ignore_index: int | None = None,
                 label_smoothing: float = 0.0, options: Any = None) -> None:
        super().__init__()
        count = num_classes
        for n in out_features:
            count *= n
        self.in_features, self.num_classes, self.out_features = in_features, num_classes, out_features
        self.reduction, self.ignore_index, self.label_smoothing, self.options = reduction, ignore_index, label_smoothing, options
        self.linear = Linear(in_features, count, bias=bias, device=device, dtype=dtype)
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: (N, in_features), classes (N, *out_features); the result is shaped as the
        classes, or () if reduced.
        """
        scores = self.linear(input)
        if self.out_features:
            scores = scores.reshape(*scores.shape[:-1], self.num_classes, *self.out_features)
        return F.cross_entropy(scores, target, weight=self.weight, ignore_index=-100 if self.ignore_index is None else self.ignore_index,
                               reduction=self.reduction, label_smoothing=self.label_smoothing)

    def extra_repr(self) -> str:
        return (f"in_features={self.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
                f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
                f"label_smoothing={self.label_smoothing}, options={self.options}")


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of the binary cross-entropy of `sigmoid(input)`.

    Args:
      weight: factor of the losses
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: (N, C) both; the result is (N,), or () if reduced."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """`1 - cos` where the target is 1, and `max(0, cos - margin)` where it is -1, with `cos` the
    cosine of the angle between the inputs.

    Args:
      margin: the margin
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum
    """

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Shapes: (N, D), (N, D) and (N,), or without N; the result is (N,) or (), or () if
        reduced.
        """
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """`max(0, -target * (input1 - input2) + margin)`, for targets of -1 and 1.

    Args:
      margin: the margin
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
    """

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Shapes: all three have the same shape. The result has it too, or is () if reduced."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """The multi-class hinge loss: the sum of `max(0, margin - x[target] + x[i]) ** p` over the
    classes i that are not the target, divided by the number of classes.

    Args:
      p: exponent, 1 or 2
      margin: the margin
      weight: weight of each class
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Errors: ValueError unless `p` is 1 or 2, and for a `weight` that is not one-dimensional.
    """

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Shapes: (N, C) and (N,), or (C,) and (); the result is (N,) or (), or () if reduced."""
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """The triplet loss, `max(0, d(anchor, positive) - d(anchor, negative) + margin)`, with `d(a,
    b)` the norm of `a - b + eps`.

    Args:
      margin: the margin
      p: order of the norm
      eps: term added to the difference
      swap: use `d(positive, negative)` instead of `d(anchor, negative)` if it is smaller
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Errors: ValueError unless `margin` is positive.
    """

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: bool | None = None,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Shapes: (N, D) or (D,), all three; the result is (N,) or (), or () if reduced."""
        return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap,
                                     reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """The triplet loss, `max(0, d(anchor, positive) - d(anchor, negative) + margin)`, with a given
    distance `d`.

    Args:
      distance_function: the distance; the Euclidean one by default
      margin: the margin
      swap: use `d(positive, negative)` instead of `d(anchor, negative)` if it is smaller
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Errors: ValueError unless `margin` is positive.
    """

    def __init__(self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False,
                 reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Shapes: any that the distance accepts."""
        return F.triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=self.distance_function, margin=self.margin,
                                                   swap=self.swap, reduction=self.reduction)


class CTCLoss(_Loss):
    """The connectionist temporal classification loss (Graves et al., 2006): minus the
    log-probability of all alignments of the targets.

    Args:
      blank: class of the blank
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      zero_infinity: replace infinite losses and their gradients by 0
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        """Shapes: log_probs (T, N, C) or (T, C), targets (N, S) or (sum of lengths,), lengths (N,)
        or (); the result is (N,) or (), or () if reduced.
        """
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)
