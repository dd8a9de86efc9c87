"""Helpers of torch_np.nn.functional by PyTorch's private names, for layers of packages that import them."""
from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from torch_np._C import Tensor, dtype as DType  # noqa: N812  (PyTorch's name)
from torch_np._C._torch_nn_functional import linear
from torch_np._jit_internal import (
    BroadcastingList1 as BroadcastingList1, BroadcastingList2 as BroadcastingList2, BroadcastingList3 as BroadcastingList3,
)
from torch_np.nn import _attention, _embedding, _pooling, _reduction
from torch_np.nn.modules.utils import _list_with_default, _pair, _single, _triple

__all__ = [
    "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES", "_Reduction",
    "_canonical_mask", "_check_key_padding_mask", "_get_softmax_dim", "_in_projection", "_in_projection_packed", "_list_with_default",
    "_mha_shape_check", "_no_grad_embedding_renorm_", "_none_or_dtype", "_pair", "_single", "_triple", "_unpool_output_size", "_verify_batch_size",
    "_verify_spatial_size",
]

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}
_Reduction = _reduction


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> list[Tensor]:
    """The three projections of attention by one weight of shape (3 e, e)."""
    return list(_attention._projected(q, k, v, w, b))


def _in_projection(q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, b_q: Tensor | None = None,
                   b_k: Tensor | None = None, b_v: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The three projections of attention by weights of shapes (e, e), (e, ek) and (e, ev)."""
    e, e_k, e_v = q.size(-1), k.size(-1), v.size(-1)
    for name, weight, size in (("query", w_q, e), ("key", w_k, e_k), ("value", w_v, e_v)):
        if weight.shape != (e, size):
            raise AssertionError(f"expecting {name} weights shape of {(e, size)}, but got {weight.shape}")
    for name, bias in (("query", b_q), ("key", b_k), ("value", b_v)):
        if bias is not None and bias.shape != (e,):
            raise AssertionError(f"expecting {name} bias shape of {(e,)}, but got {bias.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _none_or_dtype(input: Tensor | None) -> DType | None:  # noqa: A002
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _canonical_mask(mask: Tensor | None, mask_name: str, other_type: DType | None, other_name: str, target_type: DType,
                    check_other: bool = True) -> Tensor | None:
    """A mask to add to scores; True in a mask of bools becomes -inf. Errors: AssertionError for integers."""
    if mask is None:
        return None
    import torch_np

    if mask.dtype != torch_np.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.", stacklevel=2)
    if mask.is_floating_point():
        return mask
    return torch_np.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def _check_key_padding_mask(key_padding_mask: Tensor, src_len: int, bsz: int) -> None:
    if key_padding_mask.shape != (bsz, src_len):
        raise AssertionError(f"Expected key_padded_mask.shape to be {(bsz, src_len)}, but got {tuple(key_padding_mask.shape)}")


def _mha_shape_check(query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None,
                     num_heads: int) -> bool:
    """Whether the input of attention is a batch. Errors: AssertionError for dimensions that do not fit."""
    ndim = query.dim()
    if ndim not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor")
    if key.dim() != ndim or value.dim() != ndim:
        raise AssertionError(f"For {'batched' if ndim == 3 else 'unbatched'} ({ndim}-D) `query`, expected `key` and `value` to be {ndim}-D but found "
                             f"{key.dim()}-D and {value.dim()}-D tensors respectively")
    if key_padding_mask is not None and key_padding_mask.dim() != ndim - 1:
        raise AssertionError(f"For {'batched' if ndim == 3 else 'unbatched'} ({ndim}-D) `query`, expected `key_padding_mask` to be `None` or "
                             f"{ndim - 1}-D but found {key_padding_mask.dim()}-D tensor instead")
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(f"For {'batched' if ndim == 3 else 'unbatched'} ({ndim}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but "
                                 f"found {attn_mask.dim()}-D tensor instead")
        expected = (num_heads, query.shape[0], key.shape[0])
        if ndim == 2 and attn_mask.dim() == 3 and attn_mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return ndim == 3


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension of a softmax that none was given for. Warns."""
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.", stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def _unpool_output_size(input: Tensor, kernel_size: Sequence[int], stride: Sequence[int], padding: Sequence[int],  # noqa: A002
                        output_size: Sequence[int] | None) -> list[int]:
    """The size of the result of max_unpool. Errors: ValueError for an `output_size` that does not fit."""
    return list(_pooling._unpooled_size(len(kernel_size), input, tuple(kernel_size), tuple(stride), tuple(padding), output_size))


def _verify_batch_size(size: Sequence[int]) -> None:
    if math.prod(size) // max(size[1], 1) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _verify_spatial_size(size: Sequence[int]) -> None:
    if math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")


def _no_grad_embedding_renorm_(weight: Tensor, input: Any, max_norm: float, norm_type: float) -> None:  # noqa: A002
    """Scales rows of a table in place so that their norms are at most `max_norm`."""
    _embedding._renormalize(weight, input, max_norm, norm_type)
