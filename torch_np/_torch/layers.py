"""Functions of layers and losses that PyTorch has in `torch` itself, with PyTorch's order of
arguments.

A reduction is a number: 0 for 'none', 1 for 'mean', 2 for 'sum'. The computations are in
torch_np.nn.functional, which is imported when one of these functions is first called.
"""
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
    """Randomised leaky ReLU: keeps positive elements, and multiplies the others by a random slope
    between `lower` and `upper`.

    Args:
      input: Input values.
      lower: Lower bound of the slope.
      upper: Upper bound of the slope.
      training: Whether slopes are random; otherwise their mean is used.

    Shapes: as `input`.
    """
    return nn.functional.rrelu(input, lower, upper, training)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """Randomised leaky ReLU, in place: keeps positive elements, and multiplies the others by a
    random slope between `lower` and `upper`.

    Args:
      input: Input values.
      lower: Lower bound of the slope.
      upper: Upper bound of the slope.
      training: Whether slopes are random; otherwise their mean is used.

    Shapes: as `input`.
    """
    return nn.functional.rrelu(input, lower, upper, training, inplace=True)


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """Kullback-Leibler divergence of elements: `target` * (log(`target`) - `input`).

    Args:
      input: Logarithms of probabilities.
      target: Probabilities, or their logarithms if `log_target`.
      reduction: 0 returns all losses, 1 their mean, 2 their sum.
      log_target: Whether `target` holds logarithms.

    Shapes: `input` and `target` broadcast; the result has the common shape, or () if reduced.
    """
    return nn.functional.kl_div(input, target, reduction=_named(reduction), log_target=log_target)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
                                     reduction: int = 0) -> Tensor:
    """Binary cross entropy between sigmoid(`input`) and `target`, computed without overflow.

    Args:
      input: Logits.
      target: Probabilities of the class 1.
      weight: Factor of each loss; None is 1.
      pos_weight: Factor of the losses of the class 1; None is 1.
      reduction: 0 returns all losses, 1 their mean, 2 their sum.

    Shapes: `target` as `input`, `weight` and `pos_weight` broadcast; the result as `input`, or ()
    if reduced.
    Errors: RuntimeError if the shapes of `input` and `target` differ.
    """
    if input.shape != target.shape:
        raise RuntimeError(f"binary_cross_entropy_with_logits(): target of shape {tuple(target.shape)} must have that of input, {tuple(input.shape)}")
    return nn.functional.binary_cross_entropy_with_logits(input, target, weight, reduction=_named(reduction), pos_weight=pos_weight)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """Hinge embedding loss: `input` where `target` is 1, and max(0, `margin` - `input`) where
    `target` is -1.

    Args:
      input: Distances.
      target: 1 for similar and -1 for dissimilar pairs.
      margin: Distance from which dissimilar pairs cost nothing.
      reduction: 0 returns all losses, 1 their mean, 2 their sum.

    Shapes: `input` and `target` broadcast; the result has the common shape, or () if reduced.
    """
    return nn.functional.hinge_embedding_loss(input, target, margin, reduction=_named(reduction))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """Margin ranking loss: max(0, -`target` * (`input1` - `input2`) + `margin`).

    Args:
      input1: Scores of the first items.
      input2: Scores of the second items.
      target: 1 where the first item ranks higher, -1 where the second does.
      margin: Difference of scores from which a pair costs nothing.
      reduction: 0 returns all losses, 1 their mean, 2 their sum.

    Shapes: all broadcast; the result has the common shape, or () if reduced.
    """
    from torch_np.nn._losses import margin_ranking

    return margin_ranking(input1, input2, target, margin, _named(reduction))


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """Cosine embedding loss: 1 - cos where `target` is 1, and max(0, cos - `margin`) where it is
    -1. cos is the cosine of the angle between two vectors.

    Args:
      input1: First vectors.
      input2: Second vectors.
      target: 1 for similar and -1 for dissimilar vectors.
      margin: Cosine up to which dissimilar vectors cost nothing.
      reduction: 0 returns all losses, 1 their mean, 2 their sum.

    Shapes: `input1` and `input2` (n, d) and `target` (n,), or (d,) and (); the result as `target`,
    or () if reduced.
    """
    return nn.functional.cosine_embedding_loss(input1, input2, target, margin, reduction=_named(reduction))


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """Negative log likelihood of a Poisson distribution: exp(`input`) - `target` * `input`, without
    constants.

    Args:
      input: Rates of the distribution, or their logarithms.
      target: Observed counts.
      log_input: Whether `input` holds logarithms; otherwise the loss is `input` - `target` *
        log(`input` + `eps`).
      full: Whether to add Stirling's approximation of log(`target`!) where `target` > 1.
      eps: Small number that keeps the logarithm finite.
      reduction: 0 returns all losses, 1 their mean, 2 their sum.

    Shapes: `input` and `target` broadcast; the result has the common shape, or () if reduced.
    """
    return nn.functional.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_named(reduction))


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
                        swap: bool = False, reduction: int = 0) -> Tensor:
    """Triplet margin loss: max(0, d(`anchor`, `positive`) - d(`anchor`, `negative`) + `margin`),
    where d is the distance of vectors.

    Args:
      anchor: Reference vectors.
      positive: Vectors that should be close to `anchor`.
      negative: Vectors that should be far from `anchor`.
      margin: Difference of distances from which a triplet costs nothing.
      p: Order of the norm that measures distances.
      eps: Small number added to each component of a difference.
      swap: Whether to use the distance of `positive` and `negative` if it is the smaller one.
      reduction: 0 returns all losses, 1 their mean, 2 their sum.

    Shapes: all (n, d) or (d,); the result (n,) or (), and () if reduced.
    Errors: ValueError unless `margin` is positive, RuntimeError if the shapes do not match.
    """
    return nn.functional.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_named(reduction))


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int = 0, reduction: int = 1,
             zero_infinity: bool = False) -> Tensor:
    """Connectionist temporal classification: -log of the probability that the sequences `log_probs`
    stand for `targets`, summed over all alignments.

    Args:
      log_probs: Logarithms of class probabilities at each step, results of `log_softmax`.
      targets: Target classes; padded in rows, or concatenated in a 1-d tensor.
      input_lengths: Number of steps of each sequence.
      target_lengths: Number of classes of each target.
      blank: Class of the blank label.
      reduction: 0 returns all losses, 1 the mean of losses divided by their target lengths, 2 their
        sum.
      zero_infinity: Whether infinite losses, of targets that are too long, become 0 with zero
        gradients.

    Shapes: `log_probs` (steps, n, classes) or (steps, classes); `targets` (n, longest) or (sum of
    lengths,); lengths (n,), or () with (steps, classes). The result (n,), or () if reduced.
    Source: Graves, Fernandez, Gomez and Schmidhuber, Connectionist Temporal Classification, ICML
    2006.
    """
    return nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _named(reduction), zero_infinity)


def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
               training: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:
    """Batch normalization: subtracts the mean of each channel and divides by its standard
    deviation.

    Args:
      input: Input values.
      weight: Scale of each channel; None is 1.
      bias: Shift of each channel; None is 0.
      running_mean: Running mean of each channel, updated in training and used otherwise.
      running_var: Running variance of each channel, updated in training and used otherwise.
      training: Whether to use the statistics of the batch.
      momentum: Weight of the batch in the running statistics.
      eps: Number added to the variance.
      cudnn_enabled: Ignored.

    Shapes: `input` and the result (n, channels, ...), all other tensors (channels,).
    """
    return _torch_nn_functional._batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
                  use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:
    """Instance normalization: subtracts the mean of each channel of each sample and divides by its
    standard deviation.

    Args:
      input: Input values.
      weight: Scale of each channel; None is 1.
      bias: Shift of each channel; None is 0.
      running_mean: Running mean of each channel, or None.
      running_var: Running variance of each channel, or None.
      use_input_stats: Whether to use the statistics of `input` instead of the running statistics.
      momentum: Weight of the batch in the running statistics.
      eps: Number added to the variance.
      cudnn_enabled: Ignored.

    Shapes: `input` and the result (n, channels, ...), all other tensors (channels,).
    """
    return nn.functional.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5, cudnn_enable: bool = True) -> Tensor:
    """Layer normalization: subtracts the mean over the last axes and divides by the standard
    deviation over them.

    Args:
      input: Input values.
      normalized_shape: Sizes of the last axes, over which to normalize.
      weight: Scale of each element; None is 1.
      bias: Shift of each element; None is 0.
      eps: Number added to the variance.
      cudnn_enable: Ignored.

    Shapes: the result as `input`; `weight` and `bias` as `normalized_shape`.
    """
    return nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
               cudnn_enabled: bool = True) -> Tensor:
    """Group normalization: subtracts the mean of each group of channels of a sample and divides by
    its standard deviation.

    Args:
      input: Input values.
      num_groups: Number of groups.
      weight: Scale of each channel; None is 1.
      bias: Shift of each channel; None is 0.
      eps: Number added to the variance.
      cudnn_enabled: Ignored.

    Shapes: `input` (n, channels, ...), the result as `input`; `weight` and `bias` (channels,).
    """
    return nn.functional.group_norm(input, num_groups, weight, bias, eps)


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Root-mean-square normalization: divides by the root of the mean square over the last axes.

    Args:
      input: Input values.
      normalized_shape: Sizes of the last axes, over which to normalize.
      weight: Scale of each element; None is 1.
      eps: Number added to the mean square; None is the epsilon of the dtype.

    Shapes: the result as `input`; `weight` as `normalized_shape`.
    """
    return nn.functional.rms_norm(input, normalized_shape, weight, eps)


def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0, sparse: bool = False,
                  per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sums, means or maxima of selected rows of `weight`, one result for each bag of indices.
    Returns the results, the bag of each index, the number of rows in each bag, and the row of each
    maximum.

    Args:
      weight: Embedding table.
      indices: Rows of the bags, one bag after the other.
      offsets: Position in `indices` where each bag begins.
      scale_grad_by_freq: Whether to divide the gradient of a row by its number of occurrences.
      mode: 0 for sums, 1 for means, 2 for maxima.
      sparse: Ignored: gradients are dense.
      per_sample_weights: Factor of each row, for sums; None is 1.
      include_last_offset: Whether the last element of `offsets` is the end of the last bag.
      padding_idx: Row that is left out; None is none.

    Shapes: `weight` (rows, d), `indices` (n,), `offsets` (bags,); the results (bags, d), (n,),
    (bags,), and (0,) or, for `mode` 2, (bags, d).
    """
    return _torch_nn_functional._embedding_bag(
        weight, indices, offsets[:-1] if include_last_offset else offsets, mode, per_sample_weights,
        -1 if padding_idx is None else padding_idx % max(weight.shape[0], 1), scale_grad_by_freq)


def _check_probability(function: str, p: float) -> None:
    """Checks a probability. torch_np raises RuntimeError here, and nn.functional raises ValueError.
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"{function}(): dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout: sets each element to 0 with probability `p`, and divides the others by 1 - `p`.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: as `input`.
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("dropout", p)
    return nn.functional.dropout(input, p, train)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout, in place: sets each element to 0 with probability `p`, and divides the others by 1 -
    `p`.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: as `input`.
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("dropout_", p)
    return nn.functional.dropout(input, p, train, True)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Alpha dropout: sets each element to the negative saturation value of SELU with probability
    `p`, then scales and shifts all elements so that mean 0 and variance 1 are kept.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: as `input`.
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("alpha_dropout", p)
    return nn.functional.alpha_dropout(input, p, train)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Alpha dropout, in place: sets each element to the negative saturation value of SELU with
    probability `p`, then scales and shifts all elements so that mean 0 and variance 1 are kept.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: as `input`.
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("alpha_dropout_", p)
    return nn.functional.alpha_dropout(input, p, train, True)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout of whole channels (axis 1): sets each channel to 0 with probability `p`, and divides
    the others by 1 - `p`.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: `input` and the result (n, channels, ...).
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("feature_dropout", p)
    return nn._dropout._dropout("feature_dropout", input, p, train, False, features=True)


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout of whole channels (axis 1), in place: sets each channel to 0 with probability `p`,
    and divides the others by 1 - `p`.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: `input` and the result (n, channels, ...).
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("feature_dropout_", p)
    return nn._dropout._dropout("feature_dropout_", input, p, train, True, features=True)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Alpha dropout of whole channels (axis 1): sets each channel to the negative saturation value
    of SELU with probability `p`, then scales and shifts all so that mean 0 and variance 1 are kept.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: `input` and the result (n, channels, ...).
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("feature_alpha_dropout", p)
    return nn.functional.feature_alpha_dropout(input, p, train)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Alpha dropout of whole channels (axis 1), in place: sets each channel to the negative
    saturation value of SELU with probability `p`, then scales and shifts all so that mean 0 and
    variance 1 are kept.

    Args:
      input: Input values.
      p: Probability of dropping.
      train: Whether to drop at all; otherwise `input` is returned.

    Shapes: `input` and the result (n, channels, ...).
    Errors: RuntimeError unless 0 <= `p` <= 1.
    """
    _check_probability("feature_alpha_dropout_", p)
    return nn.functional.feature_alpha_dropout(input, p, train, True)
