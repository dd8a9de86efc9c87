"""Attention functions of torch_np.nn.functional; the operators are defined in
native_functions/attention.yaml.

    scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False,
                                 scale=None, enable_gqa=False)
    multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, ...)
        -> (output, weights or None)

The full score matrix is allocated only for dropout and for gradients of masks.
"""
from __future__ import annotations

import enum
import math

import torch_np
from torch_np import Tensor, dtype as _dtype
from torch_np._C import _is_autocast_on
from torch_np._C._torch import _flash_attention
from torch_np._C._torch_nn_functional import _dropout, linear

__all__ = ["ScalingType", "SwizzleType", "grouped_mm", "multi_head_attention_forward", "scaled_addmm", "scaled_addmm_",
           "scaled_dot_product_attention", "scaled_grouped_mm", "scaled_mm"]


def _dropped(x: Tensor, p: float) -> Tensor:
    return x * 0.0 if p >= 1 else _dropout(x, 1 - p).out


def _weights(query: Tensor, key: Tensor, attn_mask: Tensor | None, is_causal: bool, scale: float) -> Tensor:
    scores = torch_np.matmul(query * scale, key.transpose(-2, -1))
    least = torch_np.full((), -math.inf, dtype=scores.dtype, device=scores.device)
    if is_causal:
        seen = torch_np.tril(torch_np.ones((query.shape[-2], key.shape[-2]), dtype=torch_np.bool, device=query.device))
        scores = torch_np.where(seen, scores, least)
    if attn_mask is not None:
        if attn_mask.dtype != torch_np.bool and _is_autocast_on():
            attn_mask = attn_mask.to(scores.dtype)
        scores = torch_np.where(attn_mask, scores, least) if attn_mask.dtype == torch_np.bool else scores + attn_mask
    return torch_np.softmax(scores, -1)


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """Attention: `softmax(scale * query @ key.T + mask) @ value`.

    Only blocks of the scores are held in memory. With dropout, or a mask that requires a gradient,
    all scores are.

    Args:
      query: queries
      key: keys
      value: values
      attn_mask: mask added to the scores, or bools that are True for the keys to use
      dropout_p: fraction of the probabilities that are set to 0, also outside of training
      is_causal: mask out, for query i, the keys after i
      scale: factor of the scores, 1 / sqrt(e) by default
      enable_gqa: several heads of `query`, in axis -3, share one head of `key` and `value`

    Shapes: `query` (..., l, e), `key` (..., s, e), `value` (..., s, v), `attn_mask` broadcasts to
    (..., l, s); the result is (..., l, v).
    Dtypes: floats, the same for all.
    Errors: RuntimeError for shapes and dtypes that differ from these, for `attn_mask` together with
    `is_causal`, and for a `dropout_p` outside [0, 1].
    Source: Rabe and Staats, arXiv 2112.05682; Dao et al., FlashAttention, arXiv 2205.14135.
    """
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"scaled_dot_product_attention(): dropout_p must be between 0 and 1, got {dropout_p}")
    if is_causal and attn_mask is not None:
        raise RuntimeError("scaled_dot_product_attention(): attn_mask must not be given when is_causal=True")
    if query.ndim < 2 or key.ndim < 2 or value.ndim < 2:
        raise RuntimeError("scaled_dot_product_attention(): query, key and value must have at least 2 dimensions, got shapes "
                           f"{tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}")
    if attn_mask is not None and attn_mask.dtype not in (torch_np.bool, torch_np.float32, query.dtype) and not _is_autocast_on():
        raise RuntimeError(f"scaled_dot_product_attention(): attn_mask must be of bools, of float32 or of query's dtype {query.dtype}, got {attn_mask.dtype}")
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    if enable_gqa:
        key, value = _repeated_heads(query, key), _repeated_heads(query, value)
    if dropout_p > 0 or (attn_mask is not None and attn_mask.requires_grad and torch_np.is_grad_enabled()):
        weights = _weights(query, key, attn_mask, is_causal, scale)
        return torch_np.matmul(_dropped(weights, dropout_p) if dropout_p > 0 else weights, value)
    return _flash_attention(query, key, value, attn_mask, is_causal, scale)


def _repeated_heads(query: Tensor, t: Tensor) -> Tensor:
    if query.ndim < 3 or t.ndim < 3:
        raise RuntimeError("scaled_dot_product_attention(): enable_gqa needs heads, in axis -3")
    heads, own = query.shape[-3], t.shape[-3]
    if own == heads:
        return t
    if own == 0 or heads % own:
        raise RuntimeError(f"scaled_dot_product_attention(): {heads} heads of query cannot share {own} of key and value")
    times = heads // own
    return t.unsqueeze(-3).expand(*t.shape[:-2], times, *t.shape[-2:]).reshape(*t.shape[:-3], heads, *t.shape[-2:])


# ---------------------------------------------------------------------------- multi-head attention


def _as_mask(mask: Tensor | None, name: str, like: Tensor) -> Tensor | None:
    """A mask to add to the scores; True in a mask of bools becomes -inf."""
    if mask is None:
        return None
    if mask.dtype == torch_np.bool:
        least = torch_np.full((), -math.inf, dtype=like.dtype, device=like.device)
        return torch_np.where(mask, least, torch_np.zeros((), dtype=like.dtype, device=like.device))
    if not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask


def _projected(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    e = query.shape[-1]
    if query is key and key is value:
        q, k, v = linear(query, weight, bias).split(e, -1)
        return q, k, v
    ws = weight.split(e, 0)
    bs: tuple[Tensor | None, ...] = (None,) * 3 if bias is None else tuple(bias.split(e, 0))
    return linear(query, ws[0], bs[0]), linear(key, ws[1], bs[1]), linear(value, ws[2], bs[2])


def multi_head_attention_forward(
        query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor | None,
        in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float,
        out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False,
        q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None,
        static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: bool = True,
        is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
    """Multi-head attention with projections of its inputs and output, the computation of
    nn.MultiheadAttention.

    Args:
      query: queries
      key: keys
      value: values
      embed_dim_to_check: expected size e of a query
      num_heads: number of heads
      in_proj_weight: weight of the three input projections
      in_proj_bias: bias of the three input projections
      bias_k: additional key
      bias_v: additional value
      add_zero_attn: append a zero key and value
      dropout_p: fraction of the probabilities that are set to 0
      out_proj_weight: weight of the output projection
      out_proj_bias: bias of the output projection
      training: whether to apply dropout
      key_padding_mask: mask that is True or -inf for keys to ignore
      need_weights: return the probabilities too
      attn_mask: mask that is True or -inf for pairs of a query and a key to ignore
      use_separate_proj_weight: use the three weights that follow instead of `in_proj_weight`
      q_proj_weight: weight of the projection of queries
      k_proj_weight: weight of the projection of keys
      v_proj_weight: weight of the projection of values
      static_k: projected keys to use instead of `key`
      static_v: projected values to use instead of `value`
      average_attn_weights: return the mean of the probabilities over heads
      is_causal: hint that `attn_mask`, which must be given, is the causal mask

    Shapes: `query` (l, n, e), `key` (s, n, ...), `value` (s, n, ...), or all without n;
    `key_padding_mask` (n, s); `attn_mask` (l, s) or (n * `num_heads`, l, s). The result is shaped
    as `query`. The probabilities are (n, l, s) or (n, `num_heads`, l, s), without n for unbatched
    input.
    Dtypes: floats.
    Errors: AssertionError or RuntimeError, the same as PyTorch's, for shapes that do not fit.
    Source: Vaswani et al., Attention Is All You Need, arXiv 1706.03762.
    """
    batched = query.ndim == 3
    if query.ndim not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor")
    if key.ndim != query.ndim or value.ndim != query.ndim:
        raise AssertionError(f"For {query.ndim}-D `query`, expected `key` and `value` to be {query.ndim}-D but found {key.ndim}-D and "
                             f"{value.ndim}-D tensors respectively")
    if key_padding_mask is not None and key_padding_mask.ndim != query.ndim - 1:
        raise AssertionError(f"For {query.ndim}-D `query`, expected `key_padding_mask` to be `None` or {query.ndim - 1}-D but found "
                             f"{key_padding_mask.ndim}-D tensor instead")
    if attn_mask is not None and attn_mask.ndim not in (2, 3):
        raise AssertionError(f"For {query.ndim}-D `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.ndim}-D tensor instead")
    if not batched and attn_mask is not None and attn_mask.ndim == 3 and attn_mask.shape != (num_heads, query.shape[0], key.shape[0]):
        raise AssertionError(f"Expected `attn_mask` shape to be {(num_heads, query.shape[0], key.shape[0])} but got {tuple(attn_mask.shape)}")
    if not batched:
        alike = query is key and key is value
        query = query.unsqueeze(1)
        key, value = (query, query) if alike else (key.unsqueeze(1), value.unsqueeze(1))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, n, e = query.shape
    keys = key.shape[0]
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    key_padding_mask = _as_mask(key_padding_mask, "key_padding_mask", query)
    use_causal = is_causal and key_padding_mask is None and not need_weights
    attn_mask = None if use_causal else _as_mask(attn_mask, "attn_mask", query)
    if e != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {e}")
    head = e // num_heads
    if head * num_heads != e:
        raise AssertionError(f"embed_dim {e} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
        if q_proj_weight is None or k_proj_weight is None or v_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is True but a projection's weight is None")
        parts: tuple[Tensor | None, ...] = (None,) * 3 if in_proj_bias is None else tuple(in_proj_bias.split(e, 0))
        q, k, v = linear(query, q_proj_weight, parts[0]), linear(key, k_proj_weight, parts[1]), linear(value, v_proj_weight, parts[2])
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        if attn_mask.ndim == 2:
            if tuple(attn_mask.shape) != (length, keys):
                raise RuntimeError(f"The shape of the 2D attn_mask is {attn_mask.shape}, but should be {(length, keys)}.")
            attn_mask = attn_mask.unsqueeze(0)
        elif attn_mask.ndim == 3:
            if tuple(attn_mask.shape) != (n * num_heads, length, keys):
                raise RuntimeError(f"The shape of the 3D attn_mask is {attn_mask.shape}, but should be {(n * num_heads, length, keys)}.")
        else:
            raise RuntimeError(f"attn_mask's dimension {attn_mask.ndim} is not supported")

    def longer(mask: Tensor | None, by: int) -> Tensor | None:
        return mask if mask is None else torch_np.cat([mask, torch_np.zeros((*mask.shape[:-1], by), dtype=mask.dtype, device=mask.device)], -1)

    if (bias_k is None) != (bias_v is None):
        raise AssertionError("bias_k and bias_v must be given both or not at all")
    if bias_k is not None and bias_v is not None:
        if static_k is not None or static_v is not None:
            raise AssertionError("bias cannot be added to static key or value")
        k, v = torch_np.cat([k, bias_k.expand(1, n, -1)]), torch_np.cat([v, bias_v.expand(1, n, -1)])
        attn_mask, key_padding_mask = longer(attn_mask, 1), longer(key_padding_mask, 1)

    def heads(t: Tensor) -> Tensor:  # (n, heads, positions, features)
        return t.reshape(t.shape[0], n, num_heads, head).permute(1, 2, 0, 3)

    def of_static(t: Tensor, name: str) -> Tensor:
        if t.shape[0] != n * num_heads or t.shape[2] != head:
            raise AssertionError(f"expecting {name} of shape ({n * num_heads}, positions, {head}), but got {tuple(t.shape)}")
        return t.reshape(n, num_heads, *t.shape[1:])

    q = heads(q)
    k = heads(k) if static_k is None else of_static(static_k, "static_k")
    v = heads(v) if static_v is None else of_static(static_v, "static_v")
    if add_zero_attn:
        zeros = torch_np.zeros((n, num_heads, 1, head), dtype=k.dtype, device=k.device)
        k, v = torch_np.cat([k, zeros], 2), torch_np.cat([v, zeros], 2)
        attn_mask, key_padding_mask = longer(attn_mask, 1), longer(key_padding_mask, 1)
    keys = k.shape[2]
    mask = None
    if attn_mask is not None:
        mask = attn_mask.unsqueeze(0) if attn_mask.shape[0] == 1 else attn_mask.reshape(n, num_heads, length, keys)
    if key_padding_mask is not None:
        if tuple(key_padding_mask.shape) != (n, keys):
            raise AssertionError(f"expecting key_padding_mask shape of {(n, keys)}, but got {tuple(key_padding_mask.shape)}")
        padding = key_padding_mask.reshape(n, 1, 1, keys)
        mask = padding if mask is None else mask + padding
    dropout = dropout_p if training else 0.0
    weights = None
    if need_weights:
        weights = _weights(q, k, mask, False, 1 / math.sqrt(head))
        if dropout > 0:
            weights = _dropped(weights, dropout)
        context = torch_np.matmul(weights, v)
    else:
        context = scaled_dot_product_attention(q, k, v, mask, dropout, use_causal)
    output = linear(context.permute(2, 0, 1, 3).reshape(length, n, e), out_proj_weight, out_proj_bias)
    if weights is not None and average_attn_weights:
        weights = weights.mean(1)
    if not batched:
        output = output.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return output, weights


# ------------------------------------------------------------------ grouped and scaled products


class ScalingType(enum.Enum):
    """The part of an operand that shares a scale, in products of 8-bit and 4-bit floats."""

    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class SwizzleType(enum.Enum):
    """The memory layout of scales, in products of 8-bit and 4-bit floats."""

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1
    SWIZZLE_32_8 = 2


def _no_float8(name: str) -> NotImplementedError:
    return NotImplementedError(f"{name}(): scaled products need the dtypes float8 or float4, which are not implemented")


def grouped_mm(mat_a: Tensor, mat_b: Tensor, *, offs: Tensor | None = None, bias: Tensor | None = None,
               out_dtype: _dtype | None = None) -> Tensor:
    """Products of groups of matrices.

    Without `offs`, both operands are stacks of matrices. With `offs`, the rows (columns) of a
    two-dimensional operand are divided into groups: group i ends before `offs[i]`. Elements after
    the last offset are 0.

    Args:
      mat_a: left operand
      mat_b: right operand
      offs: ends of the groups
      bias: only None is supported
      out_dtype: dtype of the result

    Shapes: (g, m, k) @ (g, k, n) is (g, m, n) without `offs`; (m, k) @ (g, k, n) with groups of
    rows is (m, n); (g, m, k) @ (k, n) with groups of columns is (m, n); (m, k) @ (k, n) with groups
    of both along k is (g, m, n).
    Dtypes: floats, the same for both; `offs` of int32.
    Errors: RuntimeError for shapes and dtypes that differ from these, NotImplementedError unless
    `bias` is None.
    """
    if bias is not None:
        raise NotImplementedError("grouped_mm(): bias is not implemented")
    if mat_a.ndim not in (2, 3) or mat_b.ndim not in (2, 3):
        raise RuntimeError(f"grouped_mm(): operands must be matrices or stacks, got shapes {tuple(mat_a.shape)} and {tuple(mat_b.shape)}")
    if mat_a.dtype != mat_b.dtype or not mat_a.is_floating_point():
        raise RuntimeError(f"grouped_mm(): operands must be of one floating dtype, got {mat_a.dtype} and {mat_b.dtype}")
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError(f"grouped_mm(): shapes {tuple(mat_a.shape)} and {tuple(mat_b.shape)} cannot be multiplied")
    flat = mat_a.ndim == 2 or mat_b.ndim == 2
    if flat != (offs is not None):
        raise RuntimeError("grouped_mm(): offs must be given if an operand is a matrix, and only then")
    if offs is None:
        if mat_a.shape[0] != mat_b.shape[0]:
            raise RuntimeError(f"grouped_mm(): mat_a has {mat_a.shape[0]} matrices, but mat_b {mat_b.shape[0]}")
        result = torch_np.matmul(mat_a, mat_b)
        return result if out_dtype is None else result.to(out_dtype)
    if offs.ndim != 1 or offs.dtype != torch_np.int32:
        raise RuntimeError(f"grouped_mm(): offs must be a vector of int32, got shape {tuple(offs.shape)} of {offs.dtype}")
    ends = offs.tolist()
    begins = [0, *ends[:-1]]
    if mat_a.ndim == 2 and mat_b.ndim == 2:
        result = torch_np.stack([torch_np.matmul(mat_a[:, i:j], mat_b[i:j]) for i, j in zip(begins, ends)])
    else:
        groups = mat_b.shape[0] if mat_b.ndim == 3 else mat_a.shape[0]
        if len(ends) != groups:
            raise RuntimeError(f"grouped_mm(): offs has {len(ends)} offsets, but there are {groups} matrices")
        along = 0 if mat_a.ndim == 2 else 1
        parts = [torch_np.matmul(mat_a[i:j], mat_b[g]) if along == 0 else torch_np.matmul(mat_a[g], mat_b[:, i:j])
                 for g, (i, j) in enumerate(zip(begins, ends))]
        size = mat_a.shape[0] if along == 0 else mat_b.shape[1]
        rest = size - (ends[-1] if ends else 0)
        if rest:
            other = mat_b.shape[-1] if along == 0 else mat_a.shape[-2]
            parts.append(torch_np.zeros((rest, other) if along == 0 else (other, rest), dtype=mat_a.dtype, device=mat_a.device))
        result = torch_np.cat(parts, along)
    return result if out_dtype is None else result.to(out_dtype)


_Scales = Tensor | list[Tensor]
_Recipes = ScalingType | list[ScalingType]
_Swizzles = SwizzleType | list[SwizzleType] | None


def scaled_mm(mat_a: Tensor, mat_b: Tensor, scale_a: _Scales, scale_recipe_a: _Recipes, scale_b: _Scales, scale_recipe_b: _Recipes,
              swizzle_a: _Swizzles = None, swizzle_b: _Swizzles = None, bias: Tensor | None = None,
              output_dtype: _dtype | None = torch_np.bfloat16, contraction_dim: list[int] | tuple[int, ...] = (),
              use_fast_accum: bool = False) -> Tensor:
    """Not supported: the operands would be of float8, a dtype that torch_np does not have.

    Shapes: matrices.
    Dtypes: none that torch_np has.
    Errors: NotImplementedError always.
    """
    raise _no_float8("scaled_mm")


def scaled_grouped_mm(mat_a: Tensor, mat_b: Tensor, scale_a: _Scales, scale_recipe_a: _Recipes, scale_b: _Scales, scale_recipe_b: _Recipes,
                      swizzle_a: _Swizzles = None, swizzle_b: _Swizzles = None, bias: Tensor | None = None, offs: Tensor | None = None,
                      output_dtype: _dtype | None = torch_np.bfloat16, contraction_dim: list[int] | tuple[int, ...] = (),
                      use_fast_accum: bool = False) -> Tensor:
    """Not supported: the operands would be of float8, a dtype that torch_np does not have.

    Shapes: matrices.
    Dtypes: none that torch_np has.
    Errors: NotImplementedError always.
    """
    raise _no_float8("scaled_grouped_mm")


def scaled_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, scale_a: _Scales, scale_recipe_a: _Recipes, scale_b: _Scales,
                 scale_recipe_b: _Recipes, swizzle_a: _Swizzles = None, swizzle_b: _Swizzles = None,
                 contraction_dim: list[int] | tuple[int, ...] = (), use_fast_accum: bool = False, *, beta: float = 1.0,
                 alpha: float = 1.0) -> Tensor:
    """Not supported: the operands would be of float8, a dtype that torch_np does not have.

    Shapes: matrices.
    Dtypes: none that torch_np has.
    Errors: NotImplementedError always.
    """
    raise _no_float8("scaled_addmm")


def scaled_addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, scale_a: _Scales, scale_recipe_a: _Recipes, scale_b: _Scales,
                  scale_recipe_b: _Recipes, swizzle_a: _Swizzles = None, swizzle_b: _Swizzles = None,
                  contraction_dim: list[int] | tuple[int, ...] = (), use_fast_accum: bool = False, *, beta: float = 1.0,
                  alpha: float = 1.0) -> Tensor:
    """Not supported: the operands would be of float8, a dtype that torch_np does not have.

    Shapes: matrices.
    Dtypes: none that torch_np has.
    Errors: NotImplementedError always.
    """
    raise _no_float8("scaled_addmm_")
