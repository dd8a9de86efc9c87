"""Sorting of COO tensors, and sums of elements that have the same index."""
from __future__ import annotations

from collections.abc import Sequence

import torch_np
from torch_np import Tensor
from torch_np.sparse import _kernels
from torch_np.sparse._common import count_of, positions, sparse_size, unravelled
from torch_np.sparse._elements import parts_in
from torch_np.sparse._invariants import is_in_order
from torch_np.sparse._parts import COO, make_coo, size_of


def _summed(values: Tensor, group: Tensor, count: int) -> Tensor:
    """The sums of values of the same group; for bools whether any is True."""
    size = (count, *values.shape[1:])
    if values.dtype == torch_np.bool:
        return torch_np.zeros(size, dtype=torch_np.int64, device=values.device).index_add(0, group, values.to(torch_np.int64)) != 0
    return torch_np.zeros(size, dtype=values.dtype, device=values.device).index_add(0, group, values)


def _sums_of_runs(values: Tensor, order: Tensor, starts: Tensor) -> Tensor:
    """The sums of values[order[starts[i]:starts[i + 1]]]."""
    ends = torch_np.cat((starts, starts.new_tensor([order.shape[0]])))
    if values.dtype in (torch_np.bool, torch_np.uint64):
        group = torch_np.repeat_interleave(torch_np.diff(ends))
        return _summed(values.index_select(0, order), group, starts.shape[0])
    sums = _kernels.csr_matmul(ends, order, values.new_ones(order.shape[0]), values.reshape(order.shape[0], -1))
    return sums.reshape(starts.shape[0], *values.shape[1:])


def _sorted_columns(indices: Tensor) -> Tensor:
    """The order of columns of indices, for sizes of which the product is no int64."""
    order = torch_np.arange(indices.shape[1], device=indices.device)
    for row in reversed(list(indices)):
        order = order[torch_np.argsort(row[order], stable=True)]
    return order


def _coalesced(indices: Tensor, values: Tensor, size: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Sorted and distinct indices, and sums of values with the same index.

    Args:
      indices: (axes, elements) of int64
      values: (elements, ...)
      size: the sizes of the axes
    """
    if count_of(size) >= 2**63:
        order = _sorted_columns(indices)
        columns = indices[:, order]
        is_new = (columns[:, 1:] != columns[:, :-1]).any(0)
        group = torch_np.cat((is_new.new_zeros(1), is_new)).cumsum(0)
        first = torch_np.cat((is_new.new_ones(1), is_new)).nonzero().squeeze(1)
        return columns[:, first], _summed(values.index_select(0, order), group, first.shape[0])
    flat = positions(indices, size)
    if is_in_order(flat):
        return indices, values
    has_gradient = values.requires_grad and torch_np.is_grad_enabled()
    if values.dim() == 1 and not has_gradient and values.dtype not in (torch_np.bool, torch_np.uint64):
        keys, sums = _kernels.coalesced_sums(flat, values)
        return unravelled(keys, size), sums
    order, starts = _kernels.coalesced_order(flat)
    if starts.shape[0] == order.shape[0]:
        return indices.index_select(1, order), values.index_select(0, order)
    return indices.index_select(1, order.index_select(0, starts)), _sums_of_runs(values, order, starts)


def coalesce(x: Tensor) -> Tensor:
    """A COO tensor with sorted and distinct indices: the tensor itself if it is one."""
    if parts_in("coalesce", x, (COO,)).is_coalesced:
        return x
    return _coalesce(x)


def _coalesce(input: Tensor) -> Tensor:  # noqa: A002
    """A coalesced copy of a COO tensor.

    Args:
      input: the tensor

    Shapes: unchanged.
    """
    parts = parts_in("_coalesce", input, (COO,))
    indices, values = _coalesced(parts.indices, parts.values, sparse_size(input))
    return make_coo(indices.clone() if indices is parts.indices else indices, values.clone() if values is parts.values else values,
                    size_of(input), True)
