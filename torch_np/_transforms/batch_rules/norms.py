"""Normalisations. Batched weights are applied behind an operator without weights."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._transforms.batch_rules.images import _apart, _beside
from torch_np._transforms.batch_rules.products import folded, unfolded
from torch_np._transforms.batch_rules.table import loop, rule
from torch_np._transforms.batching import Batch


def _is_batched(b: Batch, *tensors: _C.Tensor | None) -> bool:
    return any(t is not None and b.part(t) is not None for t in tensors)


def _scaled(b: Batch, made: _C.Tensor, weight: _C.Tensor | None, bias: _C.Tensor | None, rank: int) -> _C.Tensor:
    """The part of normalised samples with `rank` axes, times weights, plus biases, along the last axes."""
    if weight is not None:
        made = made * b.aligned(weight, rank)
    return made if bias is None else made + b.aligned(bias, rank)


@rule("native_layer_norm", "native_rms_norm")
def _row_norm(b: Batch, call: Any) -> Any:
    x, shape, *parameters, eps = call.args
    part = b.full(x)
    if not _is_batched(b, *parameters):
        out, *others = call.run([part, shape, *parameters, eps])
    else:
        out, *others = call.run([part, shape, *[None] * len(parameters), eps])
        out = _scaled(b, out, parameters[0], parameters[1] if len(parameters) > 1 else None, x.dim()).to(out.dtype)
    return (b.wrap(out), *[b.wrap(_per_row(b, t, x, shape)) for t in others])


def _per_row(b: Batch, t: _C.Tensor, x: _C.Tensor, shape: list[int]) -> _C.Tensor:
    """Statistics of rows as those of single samples have them: with the leading axes, or in one line."""
    if t.dim() == x.dim() + 1:
        return t
    return t.reshape(b.size, *([-1] if t.dim() == 1 else x.shape[:x.dim() - len(shape)]))


@rule("layer_norm_gradients")
def _row_norm_gradients(b: Batch, call: Any) -> Any:
    grad, x, shape, mean, rstd, weight, wanted = call.args
    g, part, rank, lead = b.full(grad), b.full(x), x.dim(), x.dim() - len(shape)

    def column(t: _C.Tensor) -> _C.Tensor:
        return b.full(t).reshape(b.size, *x.shape[:lead], *[1] * len(shape))
    to_input = to_weight = to_bias = None
    rows = list(range(1, lead + 1))
    if wanted[0]:
        batched = weight is not None and b.part(weight) is not None
        flat = [None if t is None else b.full(t).reshape(-1) if t.dim() < rank else b.full(t) for t in (mean, rstd)]
        given = g * b.aligned(weight, rank) if batched else g
        to_input = call.run([given.to(g.dtype), part, shape, *flat, None if batched else weight, [True, False, False]])[0]
    if wanted[1]:
        centred = part if mean is None else part - column(mean)
        product = g * (centred * column(rstd)).to(g.dtype)
        to_weight = product.sum(rows) if rows else product
    if wanted[2]:
        to_bias = g.sum(rows) if rows else g
    return tuple(None if t is None else b.wrap(t) for t in (to_input, to_weight, to_bias))


def _channels(b: Batch, t: _C.Tensor, rank: int) -> _C.Tensor:
    """A vector of channels beside batches of images with `rank` axes, (n, channels, ...)."""
    part = b.part(t)
    shape = (t.shape[0], *[1] * (rank - 2))
    return t.reshape(shape) if part is None else part.reshape(b.size, 1, *shape)


@rule("native_group_norm")
def _group_norm(b: Batch, call: Any) -> Any:
    x, groups, weight, bias, eps = call.args
    if not b.size:
        return loop(b, call)
    batched = _is_batched(b, weight, bias)
    out, mean, rstd = call.run([folded(b, x), groups, *((None, None) if batched else (weight, bias)), eps])
    out = unfolded(b, out)
    if batched:
        out = out if weight is None else out * _channels(b, weight, x.dim())
        out = out if bias is None else out + _channels(b, bias, x.dim())
    return b.wrap(out), b.wrap(unfolded(b, mean)), b.wrap(unfolded(b, rstd))


@rule("group_norm_gradients")
def _group_norm_gradients(b: Batch, call: Any) -> Any:
    grad, x, groups, mean, rstd, weight, wanted = call.args
    if not b.size:
        return loop(b, call)
    g, part = b.full(grad), b.full(x)
    to_input = to_weight = to_bias = None
    if wanted[0]:
        batched = _is_batched(b, weight)
        given = g * _channels(b, weight, x.dim()) if batched else g
        made = call.run([given.flatten(0, 1), folded(b, x), groups, folded(b, mean), folded(b, rstd), None if batched else weight,
                         [True, False, False]])
        to_input = unfolded(b, made[0])
    rest = [1, *range(3, part.dim())]
    if wanted[1]:
        lines = part.reshape(b.size, x.shape[0], groups, -1)
        line = (b.size, x.shape[0], groups, 1)
        normal = ((lines - b.full(mean).reshape(line)) * b.full(rstd).reshape(line)).reshape(part.shape)
        to_weight = (g * normal).sum(rest)
    if wanted[2]:
        to_bias = g.sum(rest)
    return tuple(None if t is None else b.wrap(t) for t in (to_input, to_weight, to_bias))


def _side_by_side(b: Batch, t: _C.Tensor | None) -> _C.Tensor | None:
    return None if t is None else b.full(t).flatten()


@rule("native_batch_norm")
def _batch_norm(b: Batch, call: Any) -> Any:
    x, weight, bias, running_mean, running_var, training, eps = call.args
    if not b.size:
        return loop(b, call)
    vectors = (weight, bias, running_mean, running_var)
    if not training and not _is_batched(b, *vectors):
        out, *others = call.run([folded(b, x), *vectors, training, eps])
        return (b.wrap(unfolded(b, out)), *[b.wrap(t.expand(b.size, *t.shape)) for t in others])
    out, *others = call.run([_beside(b, x), *[_side_by_side(b, t) for t in vectors], training, eps])
    return (b.wrap(_apart(b, out)), *[b.wrap(t.reshape(b.size, -1)) for t in others])


@rule("batch_norm_gradients")
def _batch_norm_gradients(b: Batch, call: Any) -> Any:
    grad, x, mean, rstd, weight, training, wanted = call.args
    if not b.size:
        return loop(b, call)
    to_input, *others = call.run([_beside(b, grad), _beside(b, x), *[_side_by_side(b, t) for t in (mean, rstd, weight)], training, wanted])
    return (None if to_input is None else b.wrap(_apart(b, to_input)), *[None if t is None else b.wrap(t.reshape(b.size, -1)) for t in others])
