"""Losses of classes: those of all lines at once, then a sum or mean for each sample."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batch_rules.table import loop, rule
from torch_np._transforms.batching import Batch

_NONE, _MEAN = 0, 1  # of a reduction


def _rows(b: Batch, t: _C.Tensor, has_rows: bool) -> _C.Tensor:
    """All samples below each other; a sample without rows is one."""
    part = b.full(t)
    return part.flatten(0, 1) if has_rows else part


def _totals(b: Batch, target: _C.Tensor, weight: _C.Tensor | None, ignore_index: int, dtype: Any) -> _C.Tensor:
    """The sum of the weights of the targets of each sample."""
    part = b.full(target)
    counted = part != ignore_index
    weights = counted.to(dtype) if weight is None else _torch.where(counted, weight[_torch.where(counted, part, 0)], 0).to(dtype)
    return weights.reshape(b.size, -1).sum(1) if b.size else weights.new_zeros(0)


@rule("_cross_entropy", "_nll_loss")
def _class_loss(b: Batch, call: Any) -> Any:
    x, target, weight, reduction, ignore_index, *smoothing = call.args
    if not b.size or (weight is not None and b.part(weight) is not None):
        return loop(b, call)
    has_rows = x.dim() > 1
    loss, *others = call.run([_rows(b, x, has_rows), _rows(b, target, has_rows), weight, _NONE, ignore_index, *smoothing])
    totals = _totals(b, target, weight, ignore_index, others[-1].dtype)
    shape = (b.size, *target.shape)
    loss = loss.reshape(shape)
    if reduction != _NONE:
        loss = loss.reshape(b.size, -1).sum(1)
    if reduction == _MEAN:
        loss = (loss / totals).to(loss.dtype)
    further = [] if len(others) == 1 else [b.wrap(others[0].reshape(b.size, *_shape_of_lse(b, others[0], has_rows)))]
    return (b.wrap(loss), *further, b.wrap(totals))


def _shape_of_lse(b: Batch, lse: _C.Tensor, has_rows: bool) -> tuple[int, ...]:
    return (lse.shape[0] // b.size, *lse.shape[1:]) if has_rows else lse.shape[1:]


def _gradient_of_rows(b: Batch, grad: _C.Tensor, total: _C.Tensor, reduction: int, target: _C.Tensor) -> _C.Tensor:
    """The gradient of the loss of each line."""
    g = b.full(grad)
    if reduction == _NONE:
        return g
    if reduction == _MEAN:
        g = g / b.full(total)
    return g.to(grad.dtype).reshape(b.size, *[1] * target.dim()).expand(b.size, *target.shape)


@rule("cross_entropy_gradient")
def _cross_entropy_gradient(b: Batch, call: Any) -> Any:
    grad, x, target, lse, total, weight, reduction, ignore_index, smoothing = call.args
    if not b.size or (weight is not None and b.part(weight) is not None):
        return loop(b, call)
    has_rows = x.dim() > 1
    g = _gradient_of_rows(b, grad, total, reduction, target)
    made = call.run([g.flatten(0, 1) if has_rows else g, _rows(b, x, has_rows), _rows(b, target, has_rows), _rows(b, lse, has_rows),
                     b.full(total).sum(), weight, _NONE, ignore_index, smoothing])
    return b.wrap(made.reshape(b.size, *x.shape))


@rule("nll_loss_backward")
def _nll_loss_backward(b: Batch, call: Any) -> Any:
    grad, target, sizes, total, weight, reduction, ignore_index = call.args
    if not b.size or (weight is not None and b.part(weight) is not None):
        return loop(b, call)
    has_rows = len(sizes) > 1
    g = _gradient_of_rows(b, grad, total, reduction, target)
    whole = [b.size * sizes[0], *sizes[1:]] if has_rows else [b.size, *sizes]
    made = call.run([g.flatten(0, 1) if has_rows else g, _rows(b, target, has_rows), whole, b.full(total).sum(), weight, _NONE, ignore_index])
    return b.wrap(made.reshape(b.size, *sizes))
