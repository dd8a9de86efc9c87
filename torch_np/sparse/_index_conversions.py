"""Indices of one layout from those of another, by PyTorch's private names, which packages use."""
from __future__ import annotations

import torch_np
from torch_np import Tensor
from torch_np.sparse._common import count_of, row_numbers, unravelled
from torch_np.sparse._compress import pointers_of


def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Where each row starts, from the rows of elements.

    Args:
      input: the rows, in order
      size: number of rows
      out_int32: whether the result is int32 instead of int64

    Shapes: `input` (elements,); the result is (size + 1,).
    """
    if input.dim() > 1:
        raise RuntimeError(f"Input is supposed to be a vector, but got {input.dim()} dimensional tensor.")
    return pointers_of(input.to(torch_np.int64), size).to(torch_np.int32 if out_int32 else torch_np.int64)


def _convert_indices_from_csr_to_coo(crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False) -> Tensor:
    """Indices of elements, from where each row starts and the columns of elements.

    Args:
      crow_indices: where each row starts
      col_indices: the columns
      out_int32: whether the result is int32 instead of int64
      transpose: whether to exchange rows and columns

    Shapes: `crow_indices` (*batch, rows + 1), `col_indices` (*batch, elements); the result is (axes, all
    elements), where the indices of the batch come first.
    """
    kind = torch_np.int32 if out_int32 else torch_np.int64
    batch = col_indices.shape[:-1]
    count, nnz = count_of(batch), col_indices.shape[-1]
    row = row_numbers(crow_indices, nnz).reshape(-1)
    pair = [row, col_indices.reshape(-1)]
    found = torch_np.stack(pair[::-1] if transpose else pair).to(kind)
    if not batch:
        return found
    number = torch_np.arange(count, device=row.device).repeat_interleave(nnz)
    return torch_np.cat([unravelled(number, batch).to(kind), found])
