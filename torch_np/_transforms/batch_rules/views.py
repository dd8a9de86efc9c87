"""Views: the part of a view is the same view of the part."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._transforms.batch_rules.leading import moved, parts_and_axes
from torch_np._transforms.batch_rules.table import RULES, rule
from torch_np._transforms.batching import Batch


def _view(b: Batch, call: Any) -> Any:
    args, lifted = parts_and_axes(b, call)
    result = call.run(args)
    return b.wrap(result.squeeze(1) if lifted else result, call.args[0])


for _name in "alias view.dtype view_as_real view_as_complex squeeze_dims diagonal unfold".split():
    RULES[_name] = _view


@rule("select", "slice")
def _along(b: Batch, call: Any) -> Any:
    x, dim, *rest = call.args
    return b.wrap(call.run([b.full(x), moved(dim, x.dim()), *rest]), x) if x.dim() else call.run([x, dim, *rest])  # raises


@rule("flip_view")
def _flipped(b: Batch, call: Any) -> Any:
    x, dims = call.args
    dims = list(range(x.dim())) if dims is None else dims
    return b.wrap(call.run([b.full(x), moved(dims, x.dim())]) if x.dim() else b.full(x).view(b.size), x)


@rule("unsqueeze", "expand_dims")
def _new_axes(b: Batch, call: Any) -> Any:
    x, dim = call.args
    rank = x.dim() + (len(dim) if isinstance(dim, list) else 1)
    return b.wrap(call.run([b.full(x), moved(dim, rank)]), x)


def _inferred(shape: list[int], x: _C.Tensor) -> list[int]:
    """`shape` without -1, if it can be."""
    if shape.count(-1) != 1:
        return shape
    rest = 1
    for n in shape:
        rest *= n if n != -1 else 1
    return [x.numel() // rest if n == -1 else n for n in shape] if rest and x.numel() % rest == 0 else shape


def _checked(shape: list[int], x: _C.Tensor) -> list[int]:
    shape = _inferred(shape, x)
    count = 1
    for n in shape:
        count *= n
    if count != x.numel() or any(n < 0 for n in shape):
        raise RuntimeError(f"shape '{shape}' is invalid for input of size {x.numel()}")
    return shape


@rule("view")
def _shaped(b: Batch, call: Any) -> Any:
    x, size = call.args
    return b.wrap(b.full(x).view(b.size, *_checked(size, x)), x)


def _reshaped(b: Batch, x: _C.Tensor, shape: list[int]) -> _C.Tensor:
    part = b.full(x)
    try:
        return b.wrap(part.view(b.size, *shape), x)
    except RuntimeError:
        return b.wrap(part.reshape(b.size, *shape))


@rule("reshape")
def _reshape(b: Batch, call: Any) -> Any:
    x, shape, order, copy = call.args
    if order or copy is not None:
        return NotImplemented
    return _reshaped(b, x, _checked(shape, x))


@rule("reshape_copy")
def _reshape_copy(b: Batch, call: Any) -> Any:
    x, shape = call.args
    return b.wrap(call.run([b.full(x), [b.size, *_checked(shape, x)]]))


@rule("permute")
def _permute(b: Batch, call: Any) -> Any:
    x, dims = call.args
    return b.wrap(call.run([b.full(x), [0, *moved(dims, x.dim())]]), x)


@rule("transpose.axes")
def _reverse(b: Batch, call: Any) -> Any:
    x, axes = call.args
    axes = list(range(x.dim()))[::-1] if axes is None else axes
    return b.wrap(b.full(x).permute(0, *moved(axes, x.dim())), x)


@rule("expand")
def _expand(b: Batch, call: Any) -> Any:
    x, size = call.args
    if len(size) < x.dim():
        return call.run([b.full(x)[0], size])  # raises
    part = b.aligned(x, len(size))
    return b.wrap(call.run([part, [b.size, *_kept(size, x)]]), x)


def _kept(size: list[int], x: _C.Tensor) -> list[int]:
    """`size` with the sizes of `x` for -1. A -1 for a new axis stays, and is an error."""
    new = len(size) - x.dim()
    return [x.shape[i - new] if n == -1 and i >= new else n for i, n in enumerate(size)]


@rule("transfer")
def _transfer(b: Batch, call: Any) -> Any:
    args = call.args
    part = b.full(args[0])
    return b.wrap(part.clone() if part.device == args[1] else call.run([part, *args[1:]]))


@rule("as_strided")
def _as_strided(b: Batch, call: Any) -> Any:
    x, size, stride, offset = call.args
    part = b.full(x)
    return b.wrap(call.run([part, [b.size, *size], [part.stride(0), *stride], offset]), x)
