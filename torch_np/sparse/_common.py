"""What the functions of sparse tensors share: numbers of axes, positions of elements, aliases."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch_np
from torch_np import Tensor
from torch_np._torch.dtype_names import LEGACY
from torch_np.sparse._parts import BSC, BSR, COO, CSC, CSR, LAYOUTS, NAMES, Parts, make, parts_of, replace, size_of

BLOCKED: tuple[int, int] = (BSR, BSC)
BY_ROWS: tuple[int, int] = (CSR, BSR)
BY_COLUMNS: tuple[int, int] = (CSC, BSC)


class Axes(NamedTuple):
    """Numbers of axes of a sparse tensor: batch, sparse, of blocks in `values`, and dense ones."""

    batch: int
    sparse: int
    block: int
    dense: int


def axes_of(parts: Parts) -> Axes:
    """The numbers of axes of a sparse tensor with these parts."""
    if parts.layout == COO:
        return Axes(0, parts.indices.shape[0], 0, parts.values.dim() - 1)
    batch, block = parts.indices.dim() - 1, 2 if parts.layout in BLOCKED else 0
    return Axes(batch, 2, block, parts.values.dim() - 1 - batch - block)


def nnz_of(parts: Parts) -> int:
    """The number of elements or blocks, of each batch."""
    return parts.values.shape[0] if parts.plain is None else parts.plain.shape[-1]


def blocksize_of(parts: Parts) -> tuple[int, int]:
    """The shape of a block: (1, 1) unless the layout has blocks."""
    if parts.layout not in BLOCKED:
        return 1, 1
    at = parts.indices.dim()
    return parts.values.shape[at], parts.values.shape[at + 1]


def layout_name(x: Any) -> str:
    """The name of a tensor's layout in messages: Strided, Sparse, SparseCsr and so on."""
    return NAMES[parts_of(x).layout] if torch_np._C._is_sparse(x) else "Strided"


def name_of_layout(layout: Any) -> str:
    """The name of a layout in messages."""
    return NAMES[LAYOUTS.index(layout)] if layout in LAYOUTS else "Strided"


def dtype_name(dtype: Any) -> str:
    """The name of a dtype in messages, such as Float."""
    return LEGACY.get(dtype, str(dtype))


def type_name(x: Any) -> str:
    """PyTorch's name of the class of a tensor, such as torch.sparse.FloatTensor."""
    return f"torch.{'cuda.' if x.is_cuda else ''}{'sparse.' if torch_np._C._is_sparse(x) else ''}{dtype_name(x.dtype)}Tensor"


def alias(values: Tensor) -> Tensor:
    """Another tensor of the same memory and history. Each sparse tensor has one of its own, so that
    `requires_grad_` and `grad` of one do not reach another.
    """
    return values.detach() if values.requires_grad and not torch_np.is_grad_enabled() else values.view_as(values)


def with_values(sparse: Tensor, values: Tensor, is_coalesced: bool | None = None) -> Tensor:
    """A tensor of the pattern of `sparse` with other values.

    Args:
      sparse: gives the pattern
      values: the values, which may be of another dtype
      is_coalesced: whether a COO tensor is; None is as `sparse`
    """
    parts = parts_of(sparse)
    flag = parts.is_coalesced if is_coalesced is None else is_coalesced
    return make(parts._replace(values=values, is_coalesced=flag), size_of(sparse))


def check_in_place(x: Tensor) -> None:
    """Raises RuntimeError if gradients forbid to change `x` in place."""
    values = parts_of(x).values
    if values.requires_grad and values.is_leaf and torch_np.is_grad_enabled():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def set_parts(x: Tensor, parts: Parts, size: Sequence[int]) -> Tensor:
    """Gives `x` other parts in place, as an operator does: gradients may forbid it. A leaf that is
    changed without recording of gradients remains a leaf that requires one.
    """
    check_in_place(x)
    old = parts_of(x).values
    if old.requires_grad and old.is_leaf:
        values = parts.values.detach().requires_grad_()
        if old.grad is not None and old.shape == values.shape:
            values.grad = old.grad
        parts = parts._replace(values=values)
    return replace(x, parts, size)


def assign(x: Tensor, result: Tensor) -> Tensor:
    """Gives `x` the parts and the size of `result`, converted to the dtype of `x`."""
    parts = parts_of(result)
    if parts.values.dtype != (dtype := parts_of(x).values.dtype):
        if not torch_np.can_cast(parts.values.dtype, dtype):
            raise RuntimeError(f"result type {dtype_name(parts.values.dtype)} can't be cast to the desired output type {dtype_name(dtype)}")
        parts = parts._replace(values=parts.values.to(dtype))
    return set_parts(x, parts, size_of(result))


def row_numbers(pointers: Tensor, count: int) -> Tensor:
    """The compressed index of each element: (batch..., elements), in the dtype of the pointers."""
    counts = pointers[..., 1:] - pointers[..., :-1]
    numbers = torch_np.arange(counts.shape[-1], dtype=pointers.dtype, device=pointers.device)
    if pointers.dim() == 1:
        return torch_np.repeat_interleave(numbers, counts)
    repeated = torch_np.repeat_interleave(numbers.expand(counts.shape).reshape(-1), counts.reshape(-1))
    return repeated.reshape(*pointers.shape[:-1], count)


def positions(indices: Tensor, size: Sequence[int]) -> Tensor:
    """Where elements are in a contiguous tensor of this size. `indices` (axes, elements) of int64."""
    flat = torch_np.zeros(indices.shape[1], dtype=torch_np.int64, device=indices.device)
    for row, n in zip(indices, size, strict=True):
        flat = flat * n + row
    return flat


def unravelled(flat: Tensor, size: Sequence[int]) -> Tensor:
    """The inverse of `positions`: (axes, elements)."""
    rows: list[Tensor] = []
    for n in reversed(size):
        rows.insert(0, flat % max(n, 1))
        flat = flat // max(n, 1)
    return torch_np.stack(rows) if rows else flat.new_empty((0, flat.shape[0]))


def sparse_size(sparse: Tensor) -> tuple[int, ...]:
    """The sizes of the sparse axes of a COO tensor."""
    return size_of(sparse)[:parts_of(sparse).indices.shape[0]]


def count_of(size: Sequence[int]) -> int:
    """The number of elements of a tensor of this size."""
    return math.prod(size)


def as_list(size: Sequence[int]) -> str:
    """A size in messages: [2, 3]."""
    return str([int(n) for n in size])
