"""Loss functions of torch_np.nn.functional.

The elementwise losses are operators with their own derivatives, defined in
native_functions/losses.yaml. This module weights and reduces them. Common arguments: `reduction` is
'none', 'mean' or 'sum'. The deprecated `size_average` and `reduce` replace it if given. An unknown
`reduction` raises ValueError.
"""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import torch_np
from torch_np import Tensor
from torch_np._C import _is_wrapped, _torch, _torch_nn_functional as _functions
from torch_np._torch.autocasting import ruled as _ruled

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "ctc_loss", "gaussian_nll_loss", "hinge_embedding_loss",
           "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "multi_margin_loss",
           "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss",
           "triplet_margin_loss", "triplet_margin_with_distance_loss"]


def _how(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """The reduction selected by the three arguments."""
    if size_average is None and reduce is None:
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(f"{reduction} is not a valid value for reduction")
        return reduction
    chosen = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.", stacklevel=3)
    return chosen


def _reduced(loss: Tensor, how: str) -> Tensor:
    return loss.mean() if how == "mean" else loss.sum() if how == "sum" else loss


def _warn_of_sizes(name: str, input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        warnings.warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely lead to "
                      f"incorrect results due to broadcasting. Please ensure they have the same size.", stacklevel=3)


def _weighted(loss: Tensor, weight: Tensor | None, how: str, target: Tensor) -> Tensor:
    """The reduced loss times `weight`; the mean is divided by the sum of the weights."""
    if weight is None:
        return _reduced(loss, how)
    if weight.shape != target.shape:
        raise ValueError(f"weight of shape {tuple(weight.shape)} must have the shape of target, {tuple(target.shape)}")
    weighted = loss * weight
    return weighted.sum() / weight.expand(loss.shape).sum() if how == "mean" else _reduced(weighted, how)


_NUMBER = {"none": 0, "mean": 1, "sum": 2}


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
             reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The negative log-likelihood loss: `-input` at the target class, times the weight of the
    class.

    The mean is divided by the sum of the weights.

    Args:
      input: log-probabilities
      target: classes
      weight: weight of each class
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      ignore_index: class whose targets have loss 0
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum

    Shapes: `input` (classes,) and `target` (), or (n, classes, ...) and (n, ...); `weight`
    (classes,); the result is shaped as `target`, or () if reduced.
    Dtypes: floats; `target` int64.
    Errors: ValueError for different batch sizes and an unknown `reduction`; RuntimeError for any
    other mismatch of shapes or dtypes; IndexError for a class out of range; TypeError if `target`
    is not a Tensor.
    """
    how = _how(reduction, size_average, reduce)
    if not isinstance(target, Tensor):
        raise TypeError(f"nll_loss(): target must be a Tensor, not {type(target).__name__}")
    if input.dim() > 1 and target.dim() and input.shape[0] != target.shape[0]:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]}).")
    return _functions._nll_loss(input, target, weight, _NUMBER[how], ignore_index)[0]


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
                  reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """The cross-entropy loss: the negative log-likelihood loss of `log_softmax(input)` over the
    classes.

    If `target` holds probabilities of all classes, the loss is the sum of `-target *
    log_softmax(input)` over them.

    Args:
      input: logits; the classes are axis 1, or the only axis
      target: classes, or probabilities as floats of the shape of `input`
      weight: weight of each class
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      ignore_index: class whose targets have loss 0
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      label_smoothing: weight of a uniform distribution mixed into the targets, from 0 to 1

    Shapes: `input` (classes,) or (n, classes, ...); `target` (), (n, ...) or as `input`; `weight`
    (classes,); the result is () or (n, ...), or () if reduced.
    Dtypes: floats; `target` int64 or floats.
    Errors: ValueError for different batch sizes and an unknown `reduction`; RuntimeError for any
    other mismatch of shapes or dtypes and unless 0 <= `label_smoothing` <= 1; IndexError for a
    class out of range.
    """
    how = _how(reduction, size_average, reduce)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if target.is_floating_point() and input.shape == target.shape:
        return _of_probabilities(input, target, weight, how, label_smoothing)
    if input.dim() > 1 and target.dim() and input.shape[0] != target.shape[0]:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]}).")
    return _functions._cross_entropy(input, target, weight, _NUMBER[how], ignore_index, label_smoothing)[0]


@_ruled("float32")
def _of_probabilities(input: Tensor, target: Tensor, weight: Tensor | None, how: str, smoothing: float) -> Tensor:
    axis = 0 if input.dim() == 1 else 1
    if not input.dim():
        raise RuntimeError("cross_entropy(): input is 0-d")
    if weight is not None and tuple(weight.shape) != (input.shape[axis],):
        raise RuntimeError(f"cross_entropy(): weight tensor should be defined either for all {input.shape[axis]} classes or no classes but "
                           f"got weight tensor of shape: {tuple(weight.shape)}")
    if smoothing:
        target = target * (1 - smoothing) + smoothing / input.shape[axis]
    terms = _torch.log_softmax(input, axis) * target
    if weight is not None:
        terms = terms * weight.reshape([-1 if d == axis else 1 for d in range(input.dim())])
    if how == "mean":
        return -terms.sum() / (input.numel() / input.shape[axis] if input.numel() else 0 * terms.sum())
    return -terms.sum() if how == "sum" else -terms.sum(axis)


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """The connectionist temporal classification loss.

    It is minus the logarithm of the probability of all alignments of `targets`: each step emits a
    class, and a class may repeat or be followed by `blank`. The loss is infinite if there is no
    alignment. The mean is that of losses divided by target lengths. The gradient assumes that
    `log_probs` is a result of `log_softmax`.

    Args:
      log_probs: log-probabilities of the classes at each step
      targets: classes of the target sequences
      input_lengths: number of steps of each sequence
      target_lengths: length of each target
      blank: class of the blank
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      zero_infinity: replace infinite losses and their gradients by 0

    Shapes: `log_probs` (steps, n, classes) or (steps, classes); `targets` (n, longest), or (sum of
    lengths,) for concatenated targets; lengths (n,), or () for unbatched input; the result is (n,)
    or (), or () if reduced.
    Dtypes: `log_probs` floats; `targets` and lengths integers.
    Errors: NotImplementedError unless `log_probs` has a float dtype, and for a second derivative;
    RuntimeError for shapes, lengths, classes or dtypes that do not fit. Classes of `targets` on a
    GPU are checked asynchronously and raise at the next synchronisation.
    Source: Graves, Fernandez, Gomez and Schmidhuber, Connectionist Temporal Classification, ICML
    2006.
    """
    how = _how(reduction)
    steps, lengths = torch_np.as_tensor(input_lengths), torch_np.as_tensor(target_lengths)
    return _functions._ctc_loss(log_probs, targets, steps, lengths, blank, _NUMBER[how], zero_infinity)


def mse_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
             weight: Tensor | None = None) -> Tensor:
    """The squared error, `(input - target) ** 2`.

    Args:
      input: input tensor
      target: target tensor
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      weight: weight of each element

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: floats.
    """
    how = _how(reduction, size_average, reduce)
    _warn_of_sizes("mse_loss", input, target)
    return _weighted(_functions._squared_error(input, target), weight, how, target)


def l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
            weight: Tensor | None = None) -> Tensor:
    """The absolute error, `abs(input - target)`.

    Args:
      input: input tensor
      target: target tensor
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      weight: weight of each element

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: all.
    """
    how = _how(reduction, size_average, reduce)
    _warn_of_sizes("l1_loss", input, target)
    floating = input.is_floating_point() and target.is_floating_point()
    loss = _functions._absolute_error(input, target) if floating else torch_np.abs(input - target)
    return _weighted(loss, weight, how, target)


@_ruled("float32")
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                   beta: float = 1.0) -> Tensor:
    """The smooth absolute error: with `d = abs(input - target)`, `d ** 2 / (2 * beta)` where `d <
    beta`, else `d - beta / 2`.

    Args:
      input: input tensor
      target: target tensor
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      beta: error at which the loss becomes linear

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: floats.
    Errors: RuntimeError for a negative `beta`, ValueError for an unknown `reduction`.
    """
    how = _how(reduction, size_average, reduce)
    _warn_of_sizes("smooth_l1_loss", input, target)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss(): beta is {beta}, which is negative")
    if beta == 0:
        return _reduced(_functions._absolute_error(input, target), how)
    return _reduced(_functions._smooth_absolute(input - target, beta), how)


@_ruled("float32")
def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None) -> Tensor:
    """The Huber loss: with `d = abs(input - target)`, `d ** 2 / 2` where `d < delta`, else `delta *
    (d - delta / 2)`.

    Args:
      input: input tensor
      target: target tensor
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      delta: error at which the loss becomes linear
      weight: weight of each element; the mean is still over elements

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: floats.
    Errors: RuntimeError unless `delta` is positive, ValueError for an unknown `reduction`.
    """
    how = _how(reduction)
    _warn_of_sizes("huber_loss", input, target)
    if delta <= 0:
        raise RuntimeError(f"huber_loss(): delta is {delta}, which is not positive")
    loss = _functions._smooth_absolute(input - target, delta)
    loss = loss if delta == 1 else loss * delta
    # As in PyTorch, this mean is over elements. Other weighted losses divide by the sum of the
    # weights.
    return _reduced(loss if weight is None else _weighted(loss, weight, "none", target), how)


def kl_div(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence, `target * (log(target) - input)` for log-probabilities
    `input`.

    Args:
      input: log-probabilities
      target: probabilities, or log-probabilities if `log_target`
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none', 'mean', 'sum', or 'batchmean' for the sum divided by the size of axis 0
      log_target: whether `target` holds log-probabilities

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: floats.
    """
    how = "sum" if reduction == "batchmean" and size_average is None and reduce is None else _how(reduction, size_average, reduce)
    loss = _reduced(_functions._divergence_of_logarithms(input, target) if log_target else _functions._divergence(input, target), how)
    return loss / input.shape[0] if reduction == "batchmean" and input.dim() else loss


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
                         reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The binary cross-entropy, `-(target * log(input) + (1 - target) * log(1 - input))`, with
    logarithms clamped to at least -100.

    Args:
      input: probabilities
      target: target tensor
      weight: factor of the losses
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum

    Shapes: `target` as `input`, `weight` broadcasts; the result is shaped as `input`, or () if
    reduced.
    Dtypes: floats.
    Errors: ValueError for different shapes and an unknown `reduction`; RuntimeError if an element
    of `input` is outside [0, 1].
    """
    how = _how(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
                         f"Please ensure they have the same size.")
    if input.is_cuda and torch_np.is_autocast_enabled():
        raise RuntimeError("torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast: on GPUs use "
                           "binary_cross_entropy_with_logits or BCEWithLogitsLoss, which apply the sigmoid themselves")
    if input.numel() and input.device.type != "meta" and not _is_wrapped(input) and not bool(((input >= 0) & (input <= 1)).all()):
        raise RuntimeError("all elements of input should be between 0 and 1")
    loss = _functions._binary_cross_entropy_of(input, target)
    if weight is not None:
        loss = loss * weight
    return _reduced(loss, how)


@_ruled("float32")
def _with_pos_weight(input: Tensor, target: Tensor, pos_weight: Tensor) -> Tensor:
    return (1 - target) * input - ((pos_weight - 1) * target + 1) * _functions.logsigmoid(input)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
                                     reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> Tensor:
    """The binary cross-entropy of `sigmoid(input)`, computed without overflow.

    Args:
      input: logits
      target: target tensor
      weight: factor of the losses
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum
      pos_weight: factor of the terms with `target`

    Shapes: `target` as `input`, `weight` and `pos_weight` broadcast; the result is shaped as
    `input`, or () if reduced.
    Dtypes: floats.
    Errors: ValueError if the shapes of `input` and `target` differ, and for an unknown `reduction`.
    """
    how = _how(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if pos_weight is None:
        loss = _functions._logits_cross_entropy(input, target)
    else:
        loss = _with_pos_weight(input, target, pos_weight)
    return _reduced(loss if weight is None else loss * weight, how)


@_ruled("float32")
def soft_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
                     reduction: str = "mean") -> Tensor:
    """`log(1 + exp(-target * input))`, for targets of -1 and 1.

    Args:
      input: input tensor
      target: target tensor
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: floats.
    """
    return _reduced(-_functions.logsigmoid(target * input), _how(reduction, size_average, reduce))


@_ruled("float32")
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
                         reduction: str = "mean") -> Tensor:
    """`input` where `target` is 1, and `max(0, margin - input)` where it is -1.

    For other targets the loss is the sum of both parts.

    Args:
      input: input tensor
      target: target tensor
      margin: the margin
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: floats.
    """
    how = _how(reduction, size_average, reduce)
    beyond = torch_np.where(target == 1, 0, torch_np.clamp(margin - input, min=0))
    near = torch_np.where(target == -1, 0, input)
    return _reduced(beyond + near, how)


@_ruled("float32")
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
                        reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """`max(0, -target * (input1 - input2) + margin)`, for targets of -1 and 1.

    Args:
      input1: first input
      input2: second input
      target: target tensor
      margin: the margin
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum

    Shapes: all broadcast and have the same number of axes; the result has the broadcast shape, or
    () if reduced.
    Dtypes: floats.
    Errors: RuntimeError for different numbers of axes, ValueError for an unknown `reduction`.
    """
    how = _how(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.shape}, "
                           f"input2: {input2.shape}, target: {target.shape} ")
    return margin_ranking(input1, input2, target, margin, how)


@_ruled("float32")
def margin_ranking(input1: Tensor, input2: Tensor, target: Tensor, margin: float, how: str) -> Tensor:
    """The margin ranking loss of operands that broadcast, whatever their numbers of axes."""
    return _reduced(torch_np.clamp(-target * (input1 - input2) + margin, min=0), how)


@_ruled("float32")
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
                          reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """`1 - cos` where `target` is 1, and `max(0, cos - margin)` where it is -1, with `cos` the
    cosine of the angle between rows.

    Args:
      input1: first input
      input2: second input
      target: target tensor
      margin: the margin
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Shapes: `input1` and `input2` (n, d) and `target` (n,), or (d,) and (); the result is shaped as
    `target`, or () if reduced.
    Dtypes: floats.
    Errors: RuntimeError for shapes that do not fit, ValueError for an unknown `reduction`.
    """
    how = _how(reduction, size_average, reduce)
    if target.dim() not in (0, 1):
        raise RuntimeError(f"0D or 1D target tensor expected, multi-target not supported: it has shape {tuple(target.shape)}")
    rows = target.dim()
    if input1.dim() != rows + 1 or input2.dim() != rows + 1:
        raise RuntimeError(f"{rows}D target tensor expects {rows + 1}D input tensors, but found inputs with sizes {tuple(input1.shape)} "
                           f"and {tuple(input2.shape)}.")
    tiny = 1e-12
    product = (input1 * input2).sum(rows)
    squares = ((input1 * input1).sum(rows) + tiny) * ((input2 * input2).sum(rows) + tiny)
    cosine = product / torch_np.sqrt(squares)
    far = torch_np.clamp(cosine - margin, min=0)
    return _reduced(torch_np.where(target == 1, 1 - cosine, 0) + torch_np.where(target == -1, far, 0), how)


@_ruled("float32")
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None,
                     eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The negative log-likelihood of a Poisson distribution, `exp(input) - target * input`.

    Args:
      input: logarithm of the rate, or the rate unless `log_input`
      target: target tensor
      log_input: whether `input` is the logarithm; otherwise the loss is `input - target * log(input
        + eps)`
      full: add Stirling's approximation of `log(target!)` where `target` is above 1
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      eps: term that avoids the logarithm of 0
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum

    Shapes: `input` and `target` broadcast; the result has their shape, or () if reduced.
    Dtypes: floats.
    """
    how = _how(reduction, size_average, reduce)
    loss = torch_np.exp(input) - target * input if log_input else input - target * torch_np.log(input + eps)
    if full:
        stirling = target * torch_np.log(target) - target + 0.5 * torch_np.log(2 * math.pi * target)
        loss = loss + torch_np.where(target <= 1, 0, stirling)
    return _reduced(loss, how)


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Tensor:
    """The negative log-likelihood of a normal distribution, `(log(var) + (input - target) ** 2 /
    var) / 2`.

    Args:
      input: mean
      target: target tensor
      var: variance
      full: add the constant `log(2 * pi) / 2`
      eps: lower bound of the variance; it does not affect the gradient
      reduction: 'none' returns the loss of each element, 'mean' their mean, 'sum' their sum

    Shapes: `var` as `input`, or with a last axis of size 1, or without it, or a number; the result
    is shaped as `input`, or () if reduced.
    Dtypes: floats.
    Errors: ValueError for shapes that do not fit, for a negative variance, and for an unknown
    `reduction`.
    """
    if isinstance(var, (int, float)):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch_np.ones_like(input)
    elif var.numel() and var.device.type != "meta" and bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif not (tuple(input.shape[:-1]) == tuple(var.shape[:-1]) and var.dim() and var.shape[-1] == 1):
            ratio = [(i, v) for i, v in zip(input.shape, var.shape) if i != v]
            if var.dim() != input.dim() or any(v != 1 for _, v in ratio):
                raise ValueError(f"var of shape {tuple(var.shape)} does not fit input of shape {tuple(input.shape)}")
    how = _how_of_gaussian(reduction)
    # The lower bound of the variance does not take part in the gradient.
    var = var + (torch_np.clamp(var.detach(), min=eps) - var.detach())
    loss = 0.5 * (torch_np.log(var) + (input - target) ** 2 / var)
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, how)


def _how_of_gaussian(reduction: str) -> str:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return reduction


def _rows_of_classes(name: str, input: Tensor, target: Tensor, like_input: bool) -> tuple[Tensor, Tensor]:
    """`input` as rows, and `target` with one class for each row, or several if `like_input`."""
    fits = input.dim() in (0, 1, 2) and (input.dim() != 2 or input.shape[1] != 0)
    if fits and input.dim() == 2:
        fits = tuple(target.shape) == (tuple(input.shape) if like_input else (input.shape[0],))
    elif fits:
        fits = target.numel() == (input.numel() if like_input else 1) and target.dim() <= 1
    if not fits:
        raise RuntimeError(f"{name}(): target of shape {tuple(target.shape)} does not fit input of shape {tuple(input.shape)}")
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    return rows, target.reshape(rows.shape if like_input else (rows.shape[0],))


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
                      size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The multi-class hinge loss: the sum of `max(0, margin - x[target] + x[i]) ** p` over the
    classes i that are not the target, divided by the number of classes.

    Args:
      input: input tensor
      target: classes
      p: exponent, 1 or 2
      margin: the margin
      weight: weight of each class, which multiplies the summands of its targets
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Shapes: `input` (n, classes) and `target` (n,), or (classes,) and (); the result is shaped as
    `target`, or () if reduced.
    Dtypes: floats.
    Errors: ValueError unless `p` is 1 or 2 and `weight` is one-dimensional, and for an unknown
    `reduction`; RuntimeError for shapes that do not fit and for a class out of range.
    """
    how = _how(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    rows, classes = _rows_of_classes("multi_margin_loss", input, target, like_input=False)
    if weight is not None and weight.shape[0] != rows.shape[1]:
        raise RuntimeError(f"multi_margin_loss(): inconsistent weight size, expected {rows.shape[1]} but got {tuple(weight.shape)}")
    loss = _functions._multi_margin_rows(rows, classes, p, margin, weight)
    return _reduced(loss if input.dim() == 2 else loss[0], how)


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
                           reduction: str = "mean") -> Tensor:
    """The multi-label hinge loss: the sum of `max(0, 1 - x[j] + x[i])` over target classes j and
    non-target classes i, divided by the number of classes.

    Args:
      input: input tensor
      target: in each row the target classes, ended by -1
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Shapes: `input` and `target` (n, classes) or (classes,); the result is (n,) or (), or () if
    reduced.
    Dtypes: floats; `target` int64.
    Errors: RuntimeError for shapes that do not fit and for a class out of range, ValueError for an
    unknown `reduction`.
    """
    how = _how(reduction, size_average, reduce)
    rows, classes = _rows_of_classes("multilabel_margin_loss", input, target, like_input=True)
    loss = _functions._multilabel_margin_rows(rows, classes)
    return _reduced(loss if input.dim() == 2 else loss[0], how)


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
                                reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The mean over classes, the last axis, of the binary cross-entropy of `sigmoid(input)`.

    Args:
      input: input tensor
      target: target tensor
      weight: factor of the losses
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Shapes: all broadcast; the result is without the last axis, or () if reduced.
    Dtypes: floats.
    """
    how = _how(reduction, size_average, reduce)
    loss = -(target * _functions.logsigmoid(input) + (1 - target) * _functions.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return _reduced(loss.sum(input.dim() - 1) / input.shape[-1] if input.dim() else loss, how)


@_ruled("float32")
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
                        swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The triplet loss, `max(0, d(anchor, positive) - d(anchor, negative) + margin)`, with `d(a,
    b)` the norm of `a - b + eps`.

    Args:
      anchor: anchors
      positive: similar samples
      negative: dissimilar samples
      margin: the margin
      p: order of the norm
      eps: term added to the difference
      swap: use `d(positive, negative)` instead of `d(anchor, negative)` if it is smaller
      size_average: deprecated; False replaces `reduction` by 'sum', True by 'mean'
      reduce: deprecated; False replaces `reduction` by 'none'
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Shapes: (n, d) each, or (d,); the result is (n,) or (), or () if reduced.
    Dtypes: floats.
    Errors: ValueError unless `margin` is positive, and for an unknown `reduction`; RuntimeError for
    different numbers of axes.
    Source: Balntas et al., BMVC 2016.
    """
    how = _how(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(f"The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
                           f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs")

    def distance(a: Tensor, b: Tensor) -> Tensor:
        return torch_np.linalg.vector_norm(a - b + eps, p, -1)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch_np.minimum(far, distance(positive, negative))
    return _reduced(torch_np.clamp(margin + near - far, min=0), how)


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *,
                                      distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0,
                                      swap: bool = False, reduction: str = "mean") -> Tensor:
    """The triplet loss, `max(0, d(anchor, positive) - d(anchor, negative) + margin)`, with a given
    distance `d`.

    Args:
      anchor: anchors
      positive: similar samples
      negative: dissimilar samples
      distance_function: the distance; the Euclidean one by default
      margin: the margin
      swap: use `d(positive, negative)` instead of `d(anchor, negative)` if it is smaller
      reduction: 'none' returns the loss of each row, 'mean' their mean, 'sum' their sum

    Shapes: (n, d) each, or (d,); the result is (n,) or (), or () if reduced.
    Errors: ValueError unless `margin` is positive, and for an unknown `reduction`; RuntimeError for
    different numbers of axes.
    """
    how = _how(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of dimensions")

    def euclidean(a: Tensor, b: Tensor) -> Tensor:
        return torch_np.linalg.vector_norm(a - b + 1e-6, 2, -1)
    distance = euclidean if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch_np.minimum(far, distance(positive, negative))
    return _reduced(torch_np.clamp(margin + near - far, min=0), how)
