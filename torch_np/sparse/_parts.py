"""Parts of sparse tensors: indices, values and size."""
from __future__ import annotations

from typing import Any, NamedTuple

from torch_np import _C
from torch_np._torch import layouts

COO, CSR, CSC, BSR, BSC = range(5)
LAYOUTS = (layouts.sparse_coo, layouts.sparse_csr, layouts.sparse_csc, layouts.sparse_bsr, layouts.sparse_bsc)
NAMES = ("Sparse", "SparseCsr", "SparseCsc", "SparseBsr", "SparseBsc")  # in messages, as in PyTorch's


class Parts(NamedTuple):
    """The parts of a sparse tensor, which share its memory. Gradients belong to `values`.

    COO: `indices` (sparse axes, elements) of int64, `plain` is None, `values` (elements, dense axes...).
    Other layouts: `indices` are the compressed pointers (batch..., rows + 1) and `plain` the indices
    of the other axis (batch..., elements), both int32 or int64; `values` (batch..., elements, block
    axes..., dense axes...). Rows are columns in CSC and BSC, and rows of blocks in BSR and BSC.
    """

    layout: int
    indices: _C.Tensor
    plain: _C.Tensor | None
    values: _C.Tensor
    is_coalesced: bool


def parts_of(sparse: _C.Tensor) -> Parts:
    """The parts of a sparse tensor."""
    return Parts(*_C._sparse_parts(sparse))


def size_of(sparse: _C.Tensor) -> tuple[int, ...]:
    """The size of a sparse tensor."""
    return _C._sparse_shape(sparse)


def make(parts: Parts, size: Any) -> _C.Tensor:
    """A sparse tensor of parts that were checked."""
    layout, indices, plain, values, is_coalesced = parts
    return _C._make_sparse(layout, indices, plain, values, tuple(size), is_coalesced)


def make_coo(indices: _C.Tensor, values: _C.Tensor, size: Any, is_coalesced: bool = False) -> _C.Tensor:
    """A COO tensor of parts that were checked."""
    return _C._make_sparse(COO, indices, None, values, tuple(size), is_coalesced)


def replace(sparse: _C.Tensor, parts: Parts, size: Any) -> _C.Tensor:
    """Gives a sparse tensor other parts in place; returns the tensor."""
    layout, indices, plain, values, is_coalesced = parts
    return _C._replace_sparse(sparse, layout, indices, plain, values, tuple(size), is_coalesced)


def is_sparse(o: object) -> bool:
    """Whether the object is a tensor of a sparse layout."""
    return _C._is_sparse(o)
