"""Products of matrices, and operators that fold the batch into a leading axis."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batch_rules.table import rule
from torch_np._transforms.batching import Batch, padded


def product(b: Batch, x: _C.Tensor, y: _C.Tensor) -> _C.Tensor:
    """The part of x @ y, of which at least one is batched."""
    if not x.dim() or not y.dim():
        return _torch.matmul(x, y)  # raises
    p, q = b.part(x), b.part(y)
    if q is None and p is not None and (y.dim() <= 2 or x.dim() > 1):
        return _torch.matmul(padded(p, y.dim()) if x.dim() > 1 else p, y)
    if p is None and q is not None and x.dim() == 2 and y.dim() == 1:
        return _torch.matmul(q, x.mT)
    p, q = b.full(x) if p is None and q is None else x if p is None else p, y if q is None else q
    column, row = y.dim() == 1, x.dim() == 1
    if row:
        p = p.unsqueeze(-2)
    if column:
        q = q.unsqueeze(-1)
    rank = max(x.dim() + row, y.dim() + column)
    made = _torch.matmul(padded(p, rank) if b.part(x) is not None else p, padded(q, rank) if b.part(y) is not None else q)
    return made.squeeze((-2, -1) if row and column else -2) if row else made.squeeze(-1) if column else made


@rule("matmul")
def _matmul(b: Batch, call: Any) -> Any:
    return b.wrap(product(b, *call.args[:2]))


@rule("linear")
def _linear(b: Batch, call: Any) -> Any:
    x, weight, bias = call.args
    if b.part(weight) is None and (bias is None or b.part(bias) is None):
        return b.wrap(call.run([b.full(x), weight, bias]))
    if weight.dim() == 1:
        made = product(b, x, weight) if b.part(x) is not None or b.part(weight) is not None else _torch.matmul(x, weight)
    else:
        turned = weight.mT if b.part(weight) is None else b.wrap(b.part(weight).mT)  # type: ignore[union-attr]
        batched = b.part(x) is not None or b.part(weight) is not None
        made = product(b, x, turned) if batched else _torch.matmul(x, turned).expand(b.size, *x.shape[:-1], weight.shape[0])
    return b.wrap(made if bias is None else made + b.aligned(bias, made.dim() - 1))


def _sum_with_product(b: Batch, call: Any, parts: Any) -> Any:
    """beta * input + alpha * product, as addmm and its kin: `input` is not read if beta is 0."""
    x, beta, alpha = call.args[0], call.args[3], call.args[4]
    made = parts if alpha == 1 else parts * alpha
    if beta == 0:
        return b.wrap(made)
    start = b.aligned(x, made.dim() - 1)
    return b.wrap((start if beta == 1 else start * beta) + made)


@rule("addmm", "addmv", "baddbmm")
def _add_product(b: Batch, call: Any) -> Any:
    x, y = call.args[1:3]
    made = product(b, x, y) if b.part(x) is not None or b.part(y) is not None else _torch.matmul(x, y).expand(
        b.size, *_torch.matmul(x, y).shape)
    return _sum_with_product(b, call, made)


@rule("addbmm")
def _add_sum_of_products(b: Batch, call: Any) -> Any:
    return _sum_with_product(b, call, _torch.matmul(b.full(call.args[1]), b.full(call.args[2])).sum(1))


@rule("addr")
def _add_outer(b: Batch, call: Any) -> Any:
    return _sum_with_product(b, call, b.full(call.args[1]).unsqueeze(2) * b.full(call.args[2]).unsqueeze(1))


def folded(b: Batch, t: _C.Tensor | None) -> Any:
    """All samples' rows of the first axis below each other."""
    return None if t is None else b.full(t).flatten(0, 1)


def unfolded(b: Batch, t: _C.Tensor) -> _C.Tensor:
    return t.reshape(b.size, t.shape[0] // b.size if b.size else 0, *t.shape[1:])


@rule("cdist_stack", "cdist_backward", "grid_sample_nd", "grid_sample_backward", "im2col", "col2im", "max_pool_windows", "gather_planes", "resample",
      "cdist_by_product")
def fold(b: Batch, call: Any) -> Any:
    """Operators whose first axis is a batch of its own: that of the samples becomes part of it."""
    if not b.size:
        return NotImplemented if call.kind == "composite" else _of_nothing(b, call)
    results = call.run([folded(b, a) if isinstance(a, _C.Tensor) else a for a in call.args])
    if isinstance(results, _C.Tensor):
        return b.wrap(unfolded(b, results))
    return type(results)(None if r is None else b.wrap(unfolded(b, r)) for r in results)


def _of_nothing(b: Batch, call: Any) -> Any:
    """The results for an empty batch have the shapes of those for zeros."""
    args = [a.new_zeros(a.shape) if b.part(a) is None else b.full(a).new_zeros(b.full(a).shape[1:]) if isinstance(a, _C.Tensor) else a
            for a in call.args]
    results = call.run(args)
    if isinstance(results, _C.Tensor):
        return b.wrap(results.new_zeros((0, *results.shape)))
    return type(results)(None if r is None else b.wrap(r.new_zeros((0, *r.shape))) for r in results)


@rule("scatter_planes")
def _scatter_planes(b: Batch, call: Any) -> Any:
    x, places, size, add = call.args
    made = call.run([folded(b, x), folded(b, places), [b.size * size[0], *size[1:]], add])
    return b.wrap(made.reshape(b.size, *size))
