"""Batch normalisation over the batches of several processes.

Forward adds up the count, the sum and the sum of squared deviations of each channel in all
processes; backward adds up the two sums of its formula.
"""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.autograd import Function, no_grad

_t = _C._torch


def _all_reduce(t, group):
    from torch_np import distributed
    distributed.all_reduce(t, group=group)
    return t


class _Normalized(Function):
    """(x - mean) * rstd of each channel, with the statistics of all processes.

    Returns also the mean, the biased variance and the count, which have no gradients.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float, group: Any) -> Any:
        axes = [d for d in range(x.dim()) if d != 1]
        channels = x.shape[1]
        wide = x.to(_C.float32) if x.dtype in (_C.float16, _C.bfloat16) else x
        sums = _t.cat([wide.sum(axes), _t.full((1,), x.numel() // max(channels, 1), dtype=wide.dtype, device=x.device)])
        _all_reduce(sums, group)
        count = sums[-1]
        mean = sums[:-1] / count
        shape = [1, channels] + [1] * (x.dim() - 2)
        centred = wide - mean.view(shape)
        variance = _all_reduce((centred * centred).sum(axes), group) / count
        rstd = (variance + eps).rsqrt()
        result = centred * rstd.view(shape)
        ctx.save_for_backward(result, rstd, count)
        ctx.axes, ctx.shape, ctx.group, ctx.dtype = axes, shape, group, x.dtype
        ctx.mark_non_differentiable(mean, variance, count)
        return result, mean, variance, count

    @staticmethod
    def backward(ctx: Any, grad: Any, *unused: Any) -> Any:
        result, rstd, count = ctx.saved_tensors
        with no_grad():
            channels = len(rstd)
            sums = _t.cat([grad.sum(ctx.axes), (grad * result).sum(ctx.axes)])
            means = _all_reduce(sums, ctx.group) / count
            inner = grad - means[:channels].view(ctx.shape) - result * means[channels:].view(ctx.shape)
            return (inner * rstd.view(ctx.shape)).to(ctx.dtype), None, None


def synchronized_batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None, bias: Tensor | None,
                            momentum: float, eps: float, group: Any) -> Tensor:
    """Normalises by the statistics of all processes of `group`, and updates the running ones.

    Shapes: `x` (N, C, ...), the others (C,); the result has the shape of `x`.
    """
    result, mean, variance, count = _Normalized.apply(x, eps, group)
    shape = [1, x.shape[1]] + [1] * (x.dim() - 2)
    if running_mean is not None and running_var is not None:
        with no_grad():
            unbiased = variance * (count / (count - 1))
            running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype), alpha=momentum)
            running_var.mul_(1 - momentum).add_(unbiased.to(running_var.dtype), alpha=momentum)
    if weight is not None:
        result = result * weight.view(shape)
    if bias is not None:
        result = result + bias.view(shape)
    return result.to(x.dtype)
