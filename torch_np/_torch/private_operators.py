"""Operators of PyTorch with private names, which programs reach by `torch.ops.aten`."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_np import _C
from torch_np._torch.native_layers import convolution, native_batch_norm

_torch = _C._torch

__all__ = [
    "_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_", "_assert_async", "_assert_scalar", "_batch_norm_with_update", "_chunk_cat",
    "_convolution_double_backward", "_grouped_mm", "_is_all_true", "_native_batch_norm_legit", "_native_multi_head_attention", "_safe_softmax",
    "_sample_dirichlet", "_scaled_dot_product_flash_attention_for_cpu", "_shape_as_tensor", "_softmax_backward_data", "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate"]


def _softmax_backward_data(grad_output: _C.Tensor, output: _C.Tensor, dim: int, input_dtype: _C.dtype) -> _C.Tensor:
    """The gradient of softmax, from its result. Shapes: any, the same for both tensors."""
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


def _amp_foreach_non_finite_check_and_unscale_(self: Sequence[_C.Tensor], found_inf: _C.Tensor, inv_scale: _C.Tensor) -> None:
    """Multiplies gradients by `inv_scale`, and sets `found_inf` to 1 if one of them is infinite or NaN. Shapes: `found_inf` and
    `inv_scale` have one element.
    """
    from torch_np.autograd import no_grad
    with no_grad():
        for grad in self:
            if not grad.isfinite().all():
                found_inf.fill_(1.0)
            grad.mul_(inv_scale.to(grad.dtype).reshape(()))


def _amp_update_scale_(self: _C.Tensor, growth_tracker: _C.Tensor, found_inf: _C.Tensor, scale_growth_factor: float,
                       scale_backoff_factor: float, growth_interval: int) -> _C.Tensor:
    """Updates the scale of a loss, and the number of steps since it changed. Shapes: all have one element."""
    from torch_np.autograd import no_grad
    with no_grad():
        steps = int(growth_tracker) + 1
        if float(found_inf):
            self.mul_(scale_backoff_factor)
            steps = 0
        elif steps == growth_interval:
            larger = self * scale_growth_factor
            if larger.isfinite().all():
                self.copy_(larger)
            steps = 0
        growth_tracker.fill_(steps)
    return self


def _safe_softmax(self: _C.Tensor, dim: int, dtype: _C.dtype | None = None) -> _C.Tensor:
    """softmax, with zeros where all elements are -inf. Shapes: as `self`."""
    empty = (self == float("-inf")).all(dim, keepdim=True)
    return _torch.softmax(self.masked_fill(empty, 0.0), dim, dtype=dtype).masked_fill(empty, 0.0)


def _native_batch_norm_legit(input: _C.Tensor, weight: _C.Tensor | None, bias: _C.Tensor | None, *rest: Any) -> tuple[Any, ...]:  # noqa: A002
    """native_batch_norm, with or without the running statistics. Shapes: `input` (n, c, ...), others (c,)."""
    running = rest[:2] if len(rest) == 5 else (None, None)
    training, momentum, eps = rest[-3:]
    return native_batch_norm(input, weight, bias, running[0], running[1], training, momentum, eps)


def _batch_norm_with_update(input: _C.Tensor, weight: _C.Tensor | None, bias: _C.Tensor | None, running_mean: _C.Tensor,  # noqa: A002
                            running_var: _C.Tensor, momentum: float, eps: float) -> tuple[_C.Tensor, ...]:
    """native_batch_norm in training, and an empty tensor in place of cuDNN's memory. Shapes: `input` (n, c, ...),
    others (c,).
    """
    made = native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *made, _torch.empty(0, dtype=_C.uint8, device=input.device)


def _chunk_cat(tensors: Sequence[_C.Tensor], dim: int, num_chunks: int) -> _C.Tensor:
    """Cuts each tensor along `dim` into chunks, with zeros behind the last elements, and puts the chunks of
    the same number side by side. Shapes: the sizes before `dim` agree; the result is (..., num_chunks, m).
    """
    if not tensors:
        raise RuntimeError("_chunk_cat(): expects a non-empty list of tensors")
    if num_chunks < 1:
        raise RuntimeError(f"_chunk_cat(): num_chunks must be at least 1, got {num_chunks}")
    parts = []
    for t in tensors:
        at = dim % t.dim()
        missing = -t.shape[at] % num_chunks
        if missing:
            t = _torch.cat([t, t.new_zeros((*t.shape[:at], missing, *t.shape[at + 1:]))], at)
        parts.append(t.reshape(*t.shape[:at], num_chunks, -1))
    return _torch.cat(parts, parts[0].dim() - 1)


def _in_range(self: _C.Tensor, indices: Sequence[_C.Tensor | None]) -> tuple[Any, ...]:
    return tuple(slice(None) if i is None else i.clamp(-size, size - 1) for i, size in zip(indices, self.shape))


def _unsafe_masked_index(self: _C.Tensor, mask: _C.Tensor, indices: Sequence[_C.Tensor | None], fill: float) -> _C.Tensor:
    """Elements at the indices where the mask is True, otherwise `fill`; indices out of range are clamped.
    Shapes: those of the indices and the mask broadcast.
    """
    return self[_in_range(self, indices)].masked_fill(~mask, fill)


def _unsafe_masked_index_put_accumulate(self: _C.Tensor, mask: _C.Tensor, indices: Sequence[_C.Tensor | None],
                                        values: _C.Tensor) -> _C.Tensor:
    """A copy with `values` added at the indices where the mask is True; indices out of range are clamped.
    Shapes: as `self`.
    """
    if any(i is None for i in indices):
        raise NotImplementedError("_unsafe_masked_index_put_accumulate(): None among the indices is not implemented")
    return self.index_put(_in_range(self, indices), values.masked_fill(~mask, 0), accumulate=True)


def _scaled_dot_product_flash_attention_for_cpu(
        query: _C.Tensor, key: _C.Tensor, value: _C.Tensor, dropout_p: float = 0.0, is_causal: bool = False, *,
        attn_mask: _C.Tensor | None = None, scale: float | None = None) -> tuple[_C.Tensor, _C.Tensor]:
    """Attention, and the logarithm of the sum of the exponentials of each row of scores. Shapes: `query` (..., l, e),
    `key` (..., s, e), `value` (..., s, v); (..., l, v) and (..., l).
    """
    from torch_np.autograd import no_grad
    from torch_np.nn.functional import scaled_dot_product_attention

    if dropout_p != 0:
        raise RuntimeError("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
    result = scaled_dot_product_attention(query, key, value, attn_mask, 0.0, is_causal, scale=scale)
    with no_grad():
        scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            scores = scores.masked_fill(~_torch.ones_like(scores, dtype=_C.bool).tril(), float("-inf"))
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == _C.bool else scores + attn_mask
        return result, scores.logsumexp(-1)


def _convolution_double_backward(ggI: _C.Tensor | None, ggW: _C.Tensor | None, ggb: _C.Tensor | None, gO: _C.Tensor,  # noqa: N803
                                 weight: _C.Tensor, self: _C.Tensor, stride: Sequence[int], padding: Sequence[int],
                                 dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
                                 output_mask: Sequence[bool]) -> tuple[Any, ...]:
    """The gradients of the gradients of a convolution, by `gO`, `self` and `weight`. Shapes: `ggI` as `self`, `ggW` as
    `weight`, `ggb` as the bias, `gO` as the result.
    """
    from torch_np import autograd

    gO, x, w = (t.detach().requires_grad_() for t in (gO, self, weight))  # noqa: N806
    bias = None if ggb is None else _torch.zeros_like(ggb, requires_grad=True)
    with autograd.enable_grad():
        result = convolution(x, w, bias, stride, padding, dilation, transposed, output_padding, groups)
        pairs: list[tuple[Any, Any]] = [(t, grad) for t, grad in ((x, ggI), (w, ggW), (bias, ggb)) if grad is not None]
        first = autograd.grad(result, [t for t, _ in pairs], gO, create_graph=True)
    second = autograd.grad(first, (gO, x, w), [grad for _, grad in pairs], allow_unused=True)
    return tuple(grad if wanted else None for grad, wanted in zip(second, output_mask, strict=True))


def _native_multi_head_attention(query: _C.Tensor, key: _C.Tensor, value: _C.Tensor, embed_dim: int, num_head: int, qkv_weight: _C.Tensor,
                                 qkv_bias: _C.Tensor, proj_weight: _C.Tensor, proj_bias: _C.Tensor, mask: _C.Tensor | None = None,
                                 need_weights: bool = True, average_attn_weights: bool = True,
                                 mask_type: int | None = None) -> tuple[_C.Tensor, _C.Tensor | None]:
    """Self-attention of several heads without dropout. `mask_type` is 0 for a mask (L, L), 1 for one of padding (N, L). Shapes: (N, L, E),
    the weights (N, L, L), or (N, num_head, L, L) if they are not averaged.
    """
    from torch_np.nn.functional import multi_head_attention_forward

    if mask is not None and mask_type not in (None, 0, 1):
        raise NotImplementedError(f"_native_multi_head_attention(): mask_type={mask_type} is not implemented; use nn.functional.multi_head_attention_forward")
    is_padding = mask is not None and mask_type == 1
    result, weights = multi_head_attention_forward(
        query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), embed_dim, num_head, qkv_weight, qkv_bias, None, None, False, 0.0,
        proj_weight, proj_bias, False, mask if is_padding else None, need_weights, None if is_padding else mask,
        average_attn_weights=average_attn_weights)
    return result.transpose(0, 1), weights


def _assert_scalar(self: float | bool, assert_msg: str) -> None:
    """Raises RuntimeError with the text `assert_msg` if a number is zero."""
    if not self:
        raise RuntimeError(assert_msg)


def _assert_async(self: _C.Tensor, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """Raises RuntimeError with the text `assert_msg` if the element of a tensor is zero. It waits for the element. Shapes: one element."""
    _assert_scalar(bool(self), assert_msg)


def _is_all_true(self: _C.Tensor) -> _C.Tensor:
    """Whether all elements of a bool tensor are True. Shapes: any; the result is ()."""
    if self.dtype != _C.bool:
        raise RuntimeError(f"_is_all_true(): expects a bool tensor, got {self.dtype}")
    return self.all()


def _shape_as_tensor(self: _C.Tensor) -> _C.Tensor:
    """The sizes of a tensor, as a vector of int64 on the CPU. Shapes: (self.dim(),)."""
    return _torch.tensor(list(self.shape), dtype=_C.int64)


def _sample_dirichlet(self: _C.Tensor, generator: _C.Generator | None = None) -> _C.Tensor:
    """Draws from Dirichlet distributions with the concentrations `self`, with gradients. Shapes: (..., k), for both."""
    from torch_np.distributions import Dirichlet

    if generator is not None:
        raise NotImplementedError("_sample_dirichlet(): generator is not implemented; call torch_np.manual_seed")
    return Dirichlet(self, validate_args=False).rsample()


def _grouped_mm(self: _C.Tensor, mat2: _C.Tensor, offs: _C.Tensor | None = None, bias: _C.Tensor | None = None,
                out_dtype: _C.dtype | None = None) -> _C.Tensor:
    """Products of groups of matrices: torch_np.nn.functional.grouped_mm. Shapes: as there."""
    from torch_np.nn.functional import grouped_mm

    return grouped_mm(self, mat2, offs=offs, bias=bias, out_dtype=out_dtype)
