"""Convolutions: the batch becomes part of the images' own batch, or of the groups of channels."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batch_rules.products import folded, unfolded
from torch_np._transforms.batch_rules.table import loop, rule
from torch_np._transforms.batching import Batch, run


def _beside(b: Batch, t: _C.Tensor) -> _C.Tensor:
    """Images (n, channels, ...) of all samples with the channels of the samples side by side."""
    part = b.full(t)
    return part.transpose(0, 1).reshape(part.shape[1], b.size * part.shape[2], *part.shape[3:])


def _apart(b: Batch, t: _C.Tensor) -> _C.Tensor:
    """Undoes _beside()."""
    return t.reshape(t.shape[0], b.size, t.shape[1] // b.size, *t.shape[2:]).transpose(0, 1)


def _with_bias(b: Batch, made: _C.Tensor, bias: _C.Tensor | None, axes: int) -> _C.Tensor:
    if bias is None:
        return made
    part = b.part(bias)
    shape = (bias.shape[0], *[1] * axes)
    return made + (bias.reshape(shape) if part is None else part.reshape(b.size, 1, *shape))


@rule("convolution")
def _convolution(b: Batch, call: Any) -> Any:
    x, weight, bias, stride, padding, dilation, transposed, output_padding, groups = call.args
    if not b.size:
        return loop(b, call)
    options = [stride, padding, dilation, transposed, output_padding]
    if b.part(weight) is None and b.part(x) is not None:
        own = None if bias is not None and b.part(bias) is not None else bias
        made = unfolded(b, call.run([folded(b, x), weight, own, *options, groups]))
        return b.wrap(made if own is bias else _with_bias(b, made, bias, x.dim() - 2))
    if b.part(weight) is None:
        made = call.run([x, weight, None, *options, groups]).expand(b.size, *[-1] * x.dim())
        return b.wrap(_with_bias(b, made, bias, x.dim() - 2))
    if b.part(x) is None and groups == 1 and not transposed:
        # One image, other weights: the outputs of all samples are the channels of one convolution.
        made = _apart(b, call.run([x, folded(b, weight), None, *options, 1]))
    else:
        made = _apart(b, call.run([_beside(b, x), folded(b, weight), None, *options, b.size * groups]))
    return b.wrap(_with_bias(b, made, bias, x.dim() - 2))


@rule("convolution_backward")
def _convolution_backward(b: Batch, call: Any) -> Any:
    grad, x, weight, stride, padding, dilation, transposed, output_padding, groups, wanted = call.args
    if not b.size:
        return loop(b, call)
    options = [stride, padding, dilation, transposed, output_padding]
    to_input = to_weight = to_bias = None
    if wanted[0]:
        if b.part(weight) is None:
            to_input = unfolded(b, call.run([folded(b, grad), folded(b, x), weight, *options, groups, [True, False, False]])[0])
        else:
            made = call.run([_beside(b, grad), _beside(b, x), folded(b, weight), *options, b.size * groups, [True, False, False]])
            to_input = _apart(b, made[0])
    if wanted[1]:
        to_weight = _weight_gradient(b, call, grad, x, weight, options, groups)
    if wanted[2]:
        part = b.full(grad)
        to_bias = part.sum([1, *range(3, part.dim())])
    return tuple(None if t is None else b.wrap(t) for t in (to_input, to_weight, to_bias))


def _weight_gradient(b: Batch, call: Any, grad: _C.Tensor, x: _C.Tensor, weight: _C.Tensor, options: list[Any], groups: int) -> _C.Tensor:
    stride, padding, dilation, transposed, _ = options
    if x.dim() == 4 and groups == 1 and not transposed:
        # A product of the output's gradient and the patches of the images.
        g, images = b.full(grad), folded(b, x)
        patches = run("_unfold", images, list(weight.shape[2:]), *[list(o) * (2 // len(o)) for o in (dilation, padding, stride)])
        patches = patches.reshape(b.size, -1, *patches.shape[1:])  # samples, images, patch, places
        g = g.flatten(3)
        patches = patches[..., :g.shape[-1]]
        rows = g.transpose(1, 2).flatten(2)                        # samples, channels, images * places
        columns = patches.transpose(1, 2).flatten(2)
        return _torch.matmul(rows, columns.mT).reshape(b.size, *weight.shape)
    whole = folded(b, weight)
    made = call.run([_beside(b, grad), _beside(b, x), whole, *options, b.size * groups, [False, True, False]])[1]
    return made.reshape(b.size, *weight.shape)
