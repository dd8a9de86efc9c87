"""Embedding functions of torch_np.nn.functional; the operators are defined in
native_functions/embedding.yaml.
"""
from __future__ import annotations

import warnings

import torch_np
from torch_np import Tensor
from torch_np._C import _is_wrapped, _torch, _torch_nn_functional as _functions

__all__ = ["embedding", "embedding_bag", "one_hot"]


def _renormalize(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the selected rows of `weight` down to norm `max_norm`, in place."""
    with torch_np.no_grad():
        rows = indices.reshape(-1).to(torch_np.int64)
        if not rows.numel():
            return
        chosen = torch_np.index_select(weight, 0, rows)
        length = torch_np.linalg.vector_norm(chosen, norm_type, -1, True)
        weight[rows] = torch_np.where(length > max_norm, chosen * (max_norm / (length + 1e-7)), chosen)


def _padding(padding_idx: int | None, rows: int) -> int:
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % rows


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """Selects rows of a table.

    Args:
      input: indices of rows
      weight: the table
      padding_idx: row that gets no gradient
      max_norm: norm to which the selected rows are scaled down first, in place
      norm_type: order of that norm
      scale_grad_by_freq: divide gradients by the number of times that a row is selected
      sparse: give `weight` a sparse COO tensor as its gradient

    Shapes: `input` any, `weight` (rows, d); the result is (*input, d).
    Dtypes: `input` int32 or int64.
    Errors: IndexError for an index out of range; RuntimeError if `input` is neither int32 nor
    int64; AssertionError for a `padding_idx` out of range.
    """
    padding = _padding(padding_idx, weight.shape[0]) if padding_idx is not None else -1
    if max_norm is not None:
        _renormalize(weight, input, max_norm, norm_type)
    return _torch.embedding(weight, input, padding, scale_grad_by_freq, sparse)


def _bags_of_rows(rows: Tensor, input: Tensor, offsets: Tensor, mode: str, per_sample_weights: Tensor | None, padding: int) -> Tensor:  # noqa: A002
    """Sums or means of bags of selected rows, without those of `padding`."""
    lengths = torch_np.diff(offsets, append=offsets.new_tensor([input.shape[0]]))
    bag = torch_np.repeat_interleave(lengths)
    kept = input != padding
    if not bool(kept.all()):
        bag, rows = bag[kept], rows[kept]
        per_sample_weights = None if per_sample_weights is None else per_sample_weights[kept]
        lengths = torch_np.bincount(bag, minlength=offsets.shape[0])
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    sums = rows.new_zeros(offsets.shape[0], rows.shape[1]).index_add(0, bag, rows)
    return sums if mode == "sum" else sums / lengths.clamp(min=1).unsqueeze(1)


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2,
                  scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Tensor | None = None,
                  include_last_offset: bool = False, padding_idx: int | None = None) -> Tensor:
    """Sums, means or maxima of bags of rows of a table.

    Args:
      input: indices of rows; each row of a 2-d `input` is a bag
      weight: the table
      offsets: for a 1-d `input`, the start of each bag
      max_norm: norm to which the selected rows are scaled down first, in place
      norm_type: order of that norm
      scale_grad_by_freq: divide gradients by the number of times that a row is selected
      mode: "sum", "mean" or "max"
      sparse: give `weight` a sparse COO tensor as its gradient; not for "max"
      per_sample_weights: factor of each selected row, for "sum" only
      include_last_offset: the last offset is the end of the last bag
      padding_idx: row that is left out

    Shapes: `input` (n,) with `offsets` (bags,), or (bags, n); `weight` (rows, d); the result is
    (bags, d).
    Dtypes: floats; `input` and `offsets` int32 or int64.
    Errors: ValueError for shapes that do not fit; IndexError or RuntimeError for an index out of
    range; AssertionError for a `padding_idx` out of range; NotImplementedError for
    `per_sample_weights` unless `mode` is "sum".
    """
    if weight.dtype == torch_np.int64 and input.is_floating_point():
        warnings.warn("Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is deprecated, and "
                      "should now be `embedding_bag(input, weight, ...)`.", stacklevel=2)
        input, weight = weight, input
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(f"embedding_bag: If per_sample_weights ({tuple(per_sample_weights.shape)}) is not None, then it must have the same "
                         f"shape as the input ({tuple(input.shape)})")
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences.")
        bags, length = input.shape
        offsets = torch_np.arange(bags, dtype=torch_np.int64, device=input.device) * length
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        if include_last_offset:
            offsets = offsets[:-1]
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
                                  f"mode='{mode}').")
    if max_norm is not None:
        _renormalize(weight, input, max_norm, norm_type)
    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise AssertionError("padding_idx must be within the number of embeddings")
    padding = -1 if padding_idx is None else padding_idx % weight.shape[0]
    if sparse and weight.requires_grad and torch_np.is_grad_enabled():
        if scale_grad_by_freq:
            raise RuntimeError("embedding_bag_backward: scale_grad_by_freq not supported with sparse gradients")
        return _bags_of_rows(_torch.embedding(weight, input, padding, False, True), input, offsets, mode, per_sample_weights, padding)
    number = ("sum", "mean", "max").index(mode)
    return _functions._embedding_bag(weight, input, offsets, number, per_sample_weights, padding, scale_grad_by_freq)[0]


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """One-hot vectors: a one at the index given by each number, along a new last axis, and zeros
    elsewhere.

    Args:
      tensor: class numbers
      num_classes: size of the new axis; -1 is the largest number plus 1

    Shapes: (*) to (*, classes).
    Dtypes: int64.
    Errors: RuntimeError if `tensor` is not int64, or a class number is negative or not below
    `num_classes`; NotImplementedError on `device='meta'` without `num_classes`.
    """
    if tensor.dtype != torch_np.int64:
        raise RuntimeError(f"one_hot is only applicable to index tensor of type LongTensor, got {tensor.dtype}")
    if not tensor.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    elif tensor.device.type == "meta":
        if num_classes == -1:
            raise NotImplementedError("one_hot(): num_classes must be given for a tensor on the device 'meta', which has no values")
    elif num_classes == -1 or not _is_wrapped(tensor):  # a transformation does not read values
        if int(tensor.min()) < 0:
            raise RuntimeError("Class values must be non-negative.")
        largest = int(tensor.max())
        if num_classes == -1:
            num_classes = largest + 1
        elif num_classes < 1:
            raise RuntimeError("num_classes should be positive")
        elif largest >= num_classes:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == torch_np.arange(num_classes, device=tensor.device)).to(torch_np.int64)
