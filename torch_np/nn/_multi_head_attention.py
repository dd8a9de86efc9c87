"""Multi-head attention (Vaswani et al., 2017), of public operators."""
from __future__ import annotations

import math

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F

__all__ = ["multi_head_attention_forward"]


def additive_mask(mask: Tensor | None, name: str, dtype: _C.dtype) -> Tensor | None:
    """A mask to add to scores: -inf where one of bools is True. Errors: AssertionError for one of integers."""
    if mask is None:
        return None
    if mask.dtype == _C.bool:
        return _C._torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, -math.inf)
    if not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask


def _check_dimensions(query, key, value, key_padding_mask, attn_mask):
    """Whether there is a batch. Errors: AssertionError."""
    n = query.dim()
    if n not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor")
    if key.dim() != n or value.dim() != n:
        raise AssertionError(f"For {n}-D `query`, expected `key` and `value` to be {n}-D but found {key.dim()}-D and {value.dim()}-D tensors")
    if key_padding_mask is not None and key_padding_mask.dim() != n - 1:
        raise AssertionError(f"For {n}-D `query`, expected `key_padding_mask` to be None or {n - 1}-D but found {key_padding_mask.dim()}-D")
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(f"For {n}-D `query`, expected `attn_mask` to be None, 2-D or 3-D but found {attn_mask.dim()}-D")
    return n == 3


def _in_projections(query, key, value, weight, bias):
    """Queries, keys and values of one weight (3 E, E): as few products as there are different inputs."""
    size = query.shape[-1]
    if key is value and query is key:
        return F.linear(query, weight, bias).chunk(3, -1)
    if key is value:
        b_query, b_both = (None, None) if bias is None else (bias[:size], bias[size:])
        return F.linear(query, weight[:size], b_query), *F.linear(key, weight[size:], b_both).chunk(2, -1)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(F.linear(x, w, b) for x, w, b in zip((query, key, value), weight.chunk(3), biases, strict=True))


def _widened(mask):
    """A mask with a column of zeros more."""
    if mask is None:
        return None
    return _C._torch.cat((mask, _C._torch.zeros((*mask.shape[:-1], 1), dtype=mask.dtype, device=mask.device)), -1)


def _static(given, name, shape, computed):
    if given is None:
        return computed
    if (given.shape[0], given.shape[2]) != shape:
        raise AssertionError(f"expecting {name}.size(0), .size(2) of {shape}, but got {(given.shape[0], given.shape[2])}")
    return given


def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
                                 in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None,
                                 add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None,
                                 training: bool = True, key_padding_mask: Tensor | None = None, need_weights: bool = True,
                                 attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False,
                                 q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None,
                                 v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None,
                                 average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
    """Attention of `num_heads` heads between projections of `query` (L, N, E), `key` and `value` (S, N, ...), without N if unbatched.

    `attn_mask`: (L, S) or (N heads, L, S), `key_padding_mask`: (N, S); True, or -inf, where nothing is seen. `is_causal` says that
    `attn_mask` is the causal one. Returns (L, N, E), and the weights (N, L, S), or (N, heads, L, S) unless `average_attn_weights`, or None
    unless `need_weights`. Errors: AssertionError for dimensions and sizes that do not fit, RuntimeError for masks.
    """
    batched = _check_dimensions(query, key, value, key_padding_mask, attn_mask)
    if not batched:
        query, key, value = ((x.unsqueeze(1) for x in (query, key, value)) if not (query is key and key is value) else
                             (query.unsqueeze(1),) * 3)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, size = query.shape
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    of_head = size // num_heads
    if of_head * num_heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if (key.shape[:2] if use_separate_proj_weight else key.shape) != (value.shape[:2] if use_separate_proj_weight else value.shape):
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    if use_separate_proj_weight:
        weights = {"q_proj_weight": q_proj_weight, "k_proj_weight": k_proj_weight, "v_proj_weight": v_proj_weight}
        given = [w for w in weights.values() if w is not None]
        if len(given) < 3:
            missing = next(name for name, w in weights.items() if w is None)
            raise AssertionError(f"use_separate_proj_weight is True but {missing} is None")
        biases = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        q, k, v = (F.linear(x, w, b) for x, w, b in zip((query, key, value), given, biases, strict=True))
    elif in_proj_weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    else:
        q, k, v = _in_projections(query, key, value, in_proj_weight, in_proj_bias)

    mask = additive_mask(attn_mask, "attn_mask", q.dtype)
    if mask is not None:
        expected = (length, k.shape[0]) if mask.dim() == 2 else (batch * num_heads, length, k.shape[0])
        if mask.shape != expected:
            raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {tuple(mask.shape)}, but should be {expected}.")
        mask = mask.unsqueeze(0) if mask.dim() == 2 else mask
    padding = additive_mask(key_padding_mask, "key_padding_mask", q.dtype)
    if bias_k is not None and bias_v is not None:
        if static_k is not None or static_v is not None:
            raise AssertionError("bias cannot be added to static key or value.")
        k, v = _C._torch.cat((k, bias_k.expand(1, batch, -1))), _C._torch.cat((v, bias_v.expand(1, batch, -1)))
        mask, padding = _widened(mask), _widened(padding)
    elif bias_k is not None or bias_v is not None:
        raise AssertionError("bias_k and bias_v must be given both, or neither")

    q, k, v = (x.reshape(x.shape[0], batch * num_heads, of_head).transpose(0, 1) for x in (q, k, v))
    k = _static(static_k, "static_k", (batch * num_heads, of_head), k)
    v = _static(static_v, "static_v", (batch * num_heads, of_head), v)
    if add_zero_attn:
        zeros = _C._torch.zeros((batch * num_heads, 1, of_head), dtype=k.dtype, device=k.device)
        k, v = _C._torch.cat((k, zeros), 1), _C._torch.cat((v, zeros), 1)
        mask, padding = _widened(mask), _widened(padding)
    if padding is not None:
        if padding.shape != (batch, k.shape[1]):
            raise AssertionError(f"expecting key_padding_mask shape of {(batch, k.shape[1])}, but got {tuple(padding.shape)}")
        of_heads = padding.view(batch, 1, 1, -1).expand(-1, num_heads, -1, -1).reshape(batch * num_heads, 1, -1)
        mask = of_heads if mask is None else mask + of_heads

    attended, scores = _attended(q, k, v, mask, dropout_p if training else 0.0, batch,
                                 is_causal and padding is None and k.shape[1] == length and not need_weights, need_weights)
    result = F.linear(attended.transpose(0, 1).reshape(length, batch, size), out_proj_weight, out_proj_bias)
    if scores is not None:
        scores = scores.view(batch, num_heads, length, -1)
        scores = scores.mean(1) if average_attn_weights else scores
    if not batched:
        return result.squeeze(1), None if scores is None else scores.squeeze(0)
    return result, scores


def _attended(q, k, v, mask, dropout, batch, is_causal, need_weights):
    """(N heads, L, E / heads), and the weights if they are wanted."""
    if not need_weights:
        q, k, v = (x.reshape(batch, -1, *x.shape[1:]) for x in (q, k, v))
        if mask is not None and not is_causal:
            mask = mask.unsqueeze(0) if mask.shape[0] == 1 else mask.view(batch, -1, *mask.shape[1:])
        result = F.scaled_dot_product_attention(q, k, v, None if is_causal else mask, dropout, is_causal)
        return result.reshape(-1, *result.shape[2:]), None
    q = q * math.sqrt(1.0 / q.shape[-1])
    scores = _C._torch.bmm(q, k.transpose(1, 2))
    weights = (scores if mask is None else scores + mask).softmax(-1)
    if dropout > 0:
        weights = F.dropout(weights, dropout)
    return _C._torch.bmm(weights, v), weights
