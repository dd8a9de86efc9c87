"""Operators that change a batched tensor, those that compare or read values, and composite ones that write into a new tensor."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batch_rules.table import check_changeable, rule
from torch_np._transforms.batching import Batch


@rule("copy_")
def _copy(b: Batch, call: Any) -> Any:
    target, source = call.args[:2]
    part = check_changeable(b, target, "copy_")
    rank = target.dim()
    values = b.aligned(source, rank)
    while values.dim() > rank + 1 and b.part(source) is not None:
        values = values.select(1, 0)
    part.copy_(values)
    _C._bump_version(target)
    return target


@rule("fill_")
def _fill(b: Batch, call: Any) -> Any:
    target, value = call.args[:2]
    part = check_changeable(b, target, "fill_")
    part.fill_(value)
    _C._bump_version(target)
    return target


@rule("fill_.Tensor")
def _fill_with_tensor(b: Batch, call: Any) -> Any:
    target, value = call.args[:2]
    part = check_changeable(b, target, "fill_")
    part.copy_(b.aligned(value, target.dim()))
    _C._bump_version(target)
    return target


@rule("item")
def _item(b: Batch, call: Any) -> Any:
    raise RuntimeError(
        "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try to rewrite "
        "what you're doing with other operations. Or it looks like you're attempting to use a Tensor in some data-dependent control flow, which "
        "is not supported either: use torch.where().")


@rule("true_indices", "nonzero_rows", "select_rows", "put_rows_", "nonzero", "nonzero_tuple", "masked_select", "flatnonzero", "argwhere",
      "where.condition", "compress", "extract", "_coalesced_order", "_coalesced_sums", composed=True)
def _depends_on_values(b: Batch, call: Any) -> Any:
    raise RuntimeError(f"vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over (aten::{call.name}). "
                       "The shape of the result depends on values.")


@rule("is_all_true", "equal", "allclose", composed=True)
def _reads_values(b: Batch, call: Any) -> Any:
    raise RuntimeError(f"vmap: {call.name}() reads values of a batched tensor: data-dependent control flow is not supported")


@rule("scatter", "scatter.value", "scatter_add", "index_add", "index_copy", "index_fill", "index_fill.tensor", "index_put", "masked_fill",
      "masked_fill.scalar", "masked_scatter", "put", "slice_scatter", "select_scatter", "diagonal_scatter", "as_strided_scatter",
      "scatter.reduced", "scatter.value_reduced", "scatter_reduce", "index_reduce", "fill.Tensor",
      "full_like.tensor", "full.tensor", composed=True)
def _together(b: Batch, call: Any) -> Any:
    """A composite operator that changes a copy of its first tensor: all tensors become batched before."""
    args = call.args
    first = next((i for i, a in enumerate(args) if isinstance(a, _C.Tensor)), None)
    if first is None or b.part(args[first]) is not None:
        return NotImplemented
    t = args[first]
    if call.is_recorded and t.requires_grad:
        with b.active():
            args[first] = t * b.wrap(_torch.ones(b.size, dtype=t.dtype, device=t.device))
        return b.again(call, args)
    args[first] = b.wrap(b.full(t))
    result = b.again(call, args)
    return result if call.is_recorded else b.wrapped(b.part(result))
