"""Attention whose scores are changed and masked by functions. It is composed of operators that hold
all scores in memory.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn.attention._block_mask import BlockMask, and_masks, create_block_mask, create_mask, indices, noop_mask, or_masks

_DEFAULT_SPARSE_BLOCK_SIZE = 128  # rows and columns of a block

__all__ = ["AuxOutput", "AuxRequest", "BlockMask", "FlexKernelOptions", "and_masks", "create_block_mask", "create_mask", "flex_attention",
           "noop_mask", "or_masks"]

_t = _C._torch
# Pickles name this module, which programs import from, instead of the private file.
BlockMask.__module__ = __name__


class FlexKernelOptions(TypedDict, total=False):
    """Options of PyTorch's kernels, which choose among ways of the same result and have no effect
    here, such as the sizes of tiles.
    """

    BACKEND: Any
    BLOCK_M: Any
    BLOCK_N: Any
    num_stages: Any
    num_warps: Any
    PRESCALE_QK: Any
    ROWS_GUARANTEED_SAFE: Any
    BLOCKS_ARE_CONTIGUOUS: Any
    FORCE_USE_FLEX_ATTENTION: Any
    USE_TMA: Any


class AuxRequest(NamedTuple):
    """What `flex_attention` returns beside its result: the log-sum-exp of the scores of each query,
    and their largest one.
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What `flex_attention` returned beside its result; None for what was not asked for."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def _check(query: Tensor, key: Tensor, value: Tensor, enable_gqa: bool) -> None:
    for name, t in (("query", query), ("key", key), ("value", value)):
        if t.dim() != 4:
            raise NotImplementedError(f"flex_attention(): {name} must have the shape (B, H, L, E), got {tuple(t.shape)}")
    if not query.dtype == key.dtype == value.dtype:
        raise ValueError(f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype}, key.dtype: {key.dtype}, "
                         f"and value.dtype: {value.dtype} instead.")
    heads, of_keys = query.shape[1], key.shape[1]
    if heads != of_keys and not enable_gqa:
        raise ValueError(f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={of_keys}. Try setting "
                         "enable_gqa=True for GQA.")
    if heads % of_keys:
        raise ValueError(f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={of_keys}.")
    if query.shape[0] != key.shape[0] and key.shape[0] != 1:
        raise ValueError(f"Expect query and key/value to have the same batch size, or key/value of 1, but got Bq={query.shape[0]} and "
                         f"Bkv={key.shape[0]}.")


def flex_attention(query: Tensor, key: Tensor, value: Tensor, score_mod: Callable[..., Tensor] | None = None,
                   block_mask: BlockMask | None = None, scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False,
                   kernel_options: FlexKernelOptions | None = None, *, return_aux: AuxRequest | None = None) -> Any:
    """Attention `softmax(score_mod(scale * query @ key.T)) @ value` over the pairs that a mask
    keeps. Queries without a key have the result 0.

    `score_mod(score, b, h, q_idx, kv_idx)` is called once, with all scores and with tensors of
    indices that broadcast to them. A function of single scores in PyTorch's sense gives the same,
    unless it has Python conditions, which PyTorch rejects too.

    Args:
      query: queries
      key: keys
      value: values
      score_mod: function of the scores and their indices; None leaves the scores
      block_mask: BlockMask of the pairs to keep; None is all
      scale: factor of the scores, 1 / sqrt(E) by default
      enable_gqa: several heads of queries share a head of keys and values
      return_lse: return the log-sum-exp of the scores too
      kernel_options: no effect: options of PyTorch's kernels
      return_aux: AuxRequest of further results

    Shapes: `query` (B, Hq, L, E), `key` (B, H, S, E), `value` (B, H, S, V); the result is
    (B, Hq, L, V), log-sum-exp and largest scores are (B, Hq, L).
    Dtypes: floats, the same for all; the log-sum-exp is of float32, or of float64.
    Errors: ValueError for dtypes, heads and batches that do not fit, and for `return_lse` together
    with `return_aux`; NotImplementedError for other numbers of dimensions.
    Source: Dong et al., arXiv 2412.05496.
    """
    _check(query, key, value, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError("flex_attention(): give return_lse or return_aux, not both")
    batch, heads, queries, width = query.shape
    keys = key.shape[-2]
    if key.shape[1] != heads:
        key, value = (t.repeat_interleave(heads // t.shape[1], 1) for t in (key, value))
    precise = _C.float64 if query.dtype == _C.float64 else _C.float32
    factor = (1 / math.sqrt(width) if width else 1.0) if scale is None else scale
    scores = _t.matmul(query.to(precise), key.to(precise).transpose(-2, -1)) * factor
    if score_mod is not None:
        scores = score_mod(scores, *indices(batch, heads, queries, keys, query.device)).to(precise).expand(batch, heads, queries, keys)
    if block_mask is not None:
        if (queries, keys) != tuple(block_mask.seq_lengths):
            raise ValueError(f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={queries} and kv_len={keys}. As the "
                             "block mask was created for a larger length than you're using it for, you can either 1. create a new block mask "
                             "with the correct length, or 2. 'adjust' the existing block mask to the correct length.")
        scores = scores.masked_fill(~block_mask.allowed(batch, heads, queries, keys, query.device), -math.inf)
    wants_lse = return_lse or (return_aux is not None and return_aux.lse)
    weights = _t.softmax(scores, -1)
    weights = weights.masked_fill((scores == -math.inf).all(-1, keepdim=True), 0.0)
    result = _t.matmul(weights.to(query.dtype), value)
    lse = _t.logsumexp(scores, -1) if wants_lse else None
    if return_lse:
        return result, lse
    if return_aux is not None:
        return result, AuxOutput(lse, _t.amax(scores, -1) if return_aux.max_scores else None)
    return result
