"""Dense tensors that equal sparse ones."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np.sparse import _kernels
from torch_np.sparse._common import BY_COLUMNS, axes_of, blocksize_of, count_of, positions, row_numbers, sparse_size
from torch_np.sparse._parts import COO, CSR, Parts, parts_of, size_of


def _placed(flat: Tensor, values: Tensor, count: int) -> Tensor:
    """(count, ...): the sums of the values at each position."""
    zeros = torch_np.zeros((count, *values.shape[1:]), dtype=values.dtype, device=values.device)
    if values.dtype == torch_np.bool:
        return zeros.to(torch_np.int64).index_add(0, flat, values.to(torch_np.int64)) != 0
    return zeros.index_add_(0, flat, values)


def block_numbers(parts: Parts, size: tuple[int, ...]) -> tuple[Tensor, tuple[int, int]]:
    """The number of each element's block among all blocks of all batches, row by row, as (batches *
    elements,); and the number of blocks along rows and columns.
    """
    assert parts.plain is not None
    batch = parts.indices.dim() - 1
    height, width = blocksize_of(parts)
    rows, columns = size[batch] // max(height, 1), size[batch + 1] // max(width, 1)
    line = row_numbers(parts.indices, parts.plain.shape[-1]).to(torch_np.int64)
    other = parts.plain.to(torch_np.int64)
    row, column = (other, line) if parts.layout in BY_COLUMNS else (line, other)
    count = count_of(size[:batch])
    flat = (row * columns + column).reshape(count, parts.plain.shape[-1])
    return (flat + torch_np.arange(count, device=flat.device).unsqueeze(1) * (rows * columns)).reshape(-1), (rows, columns)


def _compressed(x: Tensor, parts: Parts) -> Tensor:
    size, values = size_of(x), parts.values
    if (parts.layout == CSR and values.dim() == 1 and values.dtype not in (torch_np.bool, torch_np.uint64)
            and not (torch_np.is_grad_enabled() and values.requires_grad)):
        assert parts.plain is not None
        return _kernels.csr_to_dense(parts.indices, parts.plain, values, size[1])
    batch, _, block, _ = axes_of(parts)
    flat, (rows, columns) = block_numbers(parts, size)
    count = count_of(size[:batch])
    values = values.reshape(flat.shape[0], *values.shape[batch + 1:])
    dense = _placed(flat, values, count * rows * columns)
    if block:
        height, width = values.shape[1:3]
        dense = dense.reshape(count, rows, columns, height, width, *values.shape[3:]).transpose(2, 3)
    return dense.reshape(size)


def dense_of(x: Tensor) -> Tensor:
    """The dense tensor that equals a sparse one."""
    parts = parts_of(x)
    if parts.layout != COO:
        return _compressed(x, parts)
    size = sparse_size(x)
    if count_of(size) * max(parts.values[:1].numel(), 1) >= 2**62:
        raise RuntimeError(f"to_dense(): a dense tensor of the size {list(size_of(x))} is too large")
    values = parts.values
    return _placed(positions(parts.indices, size), values, count_of(size)).reshape(size_of(x))


def to_dense(x: Tensor, dtype: Any = None, masked_grad: bool | None = True) -> Tensor:
    """The method to_dense of a sparse tensor."""
    if dtype is not None:
        raise RuntimeError(f"dtype argument is not supported by sparse_{'' if parts_of(x).layout == COO else 'csr_'}to_dense")
    if masked_grad is False and parts_of(x).values.requires_grad and parts_of(x).values.is_leaf:
        raise NotImplementedError("to_dense(): the gradient of a sparse tensor is that of its elements; masked_grad=False is not implemented")
    return dense_of(x)
