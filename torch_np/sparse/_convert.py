"""Conversions of tensors to sparse layouts."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse import _compress
from torch_np.sparse._common import BLOCKED, as_list, axes_of, blocksize_of, layout_name, name_of_layout
from torch_np.sparse._parts import BSC, BSR, COO, CSC, CSR, LAYOUTS, make, parts_of, size_of
from torch_np.sparse._to_dense import dense_of

_SUFFIXES = ("", "_csr", "_csc", "_bsr", "_bsc")


def _named(x: Tensor, layout: int) -> str:
    """The name of the conversion in messages."""
    if not _is_sparse(x):
        return f"dense_to_sparse{_SUFFIXES[layout]}"
    source = parts_of(x).layout
    if source == layout:
        return f"to_sparse{_SUFFIXES[layout]}"
    return f"{'coo' if source == COO else 'sparse_compressed'}_to_sparse{_SUFFIXES[layout]}"


def _unsupported(name: str, x: Tensor, layout: int, what: str) -> RuntimeError:
    return RuntimeError(f"{name}: conversion from {layout_name(x)} to {name_of_layout(LAYOUTS[layout])} {what} is not supported")


def _check_sparse_dim(name: str, x: Tensor, layout: int, sparse_dim: int) -> None:
    if _is_sparse(x):
        own = axes_of(parts_of(x)).sparse
        if sparse_dim != own:
            raise _unsupported(name, x, layout, f"with sparse_dim argument !={'self.sparse_dim()' if parts_of(x).layout == COO else own}")
    elif not 0 <= sparse_dim <= x.dim():
        raise RuntimeError(f"{name}: sparse_dim argument must be in [0,{x.dim()}] range, but {sparse_dim} is given")
    elif sparse_dim == 0 and x.dim() > 0:
        raise RuntimeError(f"{name}: sparse_dim argument must be in >0 when self.dim()>0")


def _checked_blocksize(name: str, x: Tensor, layout: int, blocksize: Any, dense_dim: int) -> tuple[int, int]:
    """The shape of blocks, which is (1, 1) for layouts without blocks."""
    own = parts_of(x) if _is_sparse(x) else None
    if layout not in BLOCKED:
        if blocksize is not None:
            raise _unsupported(name, x, layout, "with blocksize argument given")
        return 1, 1
    if blocksize is None:
        if own is None or own.layout not in BLOCKED:
            raise _unsupported(name, x, layout, "without blocksize argument given")
        return blocksize_of(own)
    block = [int(blocksize)] * 2 if hasattr(blocksize, "__index__") else [int(n) for n in blocksize]
    if len(block) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(block)}")
    if min(block) <= 0:
        raise RuntimeError(f"{name}: blocksize needs to be positive, but got {as_list(block)}")
    if own is not None and own.layout in BLOCKED and (had := list(blocksize_of(own))) != block:
        raise _unsupported(name, x, layout, f"with blocksize changed from {as_list(had)} to {as_list(block)}")
    first = len(x.shape) - dense_dim - 2
    rows, columns = x.shape[first:first + 2]
    if rows % block[0] or columns % block[1]:
        raise RuntimeError(f"{name}: tensor sparse size ({rows},{columns}) must be divisible by given blocksize ({block[0]},{block[1]})")
    return block[0], block[1]


def _to_layout(name: str, x: Tensor, layout: int, sparse_dim: int | None, blocksize: Any, dense_dim: int | None) -> Tensor:
    """The tensor in another layout. `name` is the conversion in messages."""
    source = parts_of(x).layout if _is_sparse(x) else None
    if dense_dim is not None:
        if source is not None:
            raise _unsupported(name, x, layout, "with dense_dim argument given")
        most = x.dim() - (2 if layout != COO else 1)
        if not 0 <= dense_dim <= most:
            raise RuntimeError(f"{name}: dense_dim argument must be in [0,{most}] range, but {dense_dim} is given")
    if sparse_dim is not None:
        _check_sparse_dim(name, x, layout, sparse_dim)
    if source is None and layout != COO and x.dim() < 2:
        raise IndexError(f"{name}: the layout {name_of_layout(LAYOUTS[layout])} needs two axes, but the tensor has {x.dim()}")
    dense = axes_of(parts_of(x)).dense if source is not None else dense_dim or 0
    block = _checked_blocksize(name, x, layout, blocksize, dense)
    if source == layout:
        return x
    if source is None:
        if layout == COO:
            return _compress.coo_of_dense(x, x.dim() - dense if sparse_dim is None else sparse_dim)
        return _compress.compressed_of_dense(x, layout, block, dense)
    if source == COO:
        if axes_of(parts_of(x)).sparse != 2:
            raise _unsupported(name, x, layout, "for input tensors with sparse_dim()!=2")
        return _compress.compressed_of_coo(x, layout, block)
    return _from_compressed(_named(x, layout), x, layout, block)


def _from_compressed(name: str, x: Tensor, layout: int, block: tuple[int, int]) -> Tensor:
    parts = parts_of(x)
    if layout == COO:
        return _compress.coo_of_compressed(x)
    if parts.layout in BLOCKED and layout not in BLOCKED:
        raise RuntimeError(f"{name}: expected SparseCsr or SparseCsc layout but got {layout_name(x)}")
    if (parts.layout in BLOCKED) == (layout in BLOCKED):
        return make(_compress.swapped(parts, layout, size_of(x)), size_of(x))
    if axes_of(parts).batch:
        raise _unsupported(name, x, layout, "for batched inputs")
    return _compress.blocks_of_compressed(x, layout, block)


def to_sparse(x: Tensor, *args: Any, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None) -> Tensor:
    """The method to_sparse."""
    if args and (layout is not None or blocksize is not None or dense_dim is not None or len(args) > 1):
        raise TypeError(f"to_sparse() takes 0 positional arguments but {len(args)} was given")
    if layout is not None and layout not in LAYOUTS:
        return dense_of(x) if _is_sparse(x) else x
    number = COO if layout is None else LAYOUTS.index(layout)
    if not _is_sparse(x):
        name = "dense_to_sparse"
    elif parts_of(x).layout == number:
        name = "to_sparse"
    else:
        name = "coo_to_sparse" if parts_of(x).layout == COO else "sparse_compressed_to_sparse"
    return _to_layout(name, x, number, args[0] if args else None, blocksize, dense_dim)


def to_sparse_csr(x: Tensor, dense_dim: int | None = None) -> Tensor:
    """The method to_sparse_csr."""
    return _to_layout(_named(x, CSR), x, CSR, None, None, dense_dim)


def to_sparse_csc(x: Tensor, dense_dim: int | None = None) -> Tensor:
    """The method to_sparse_csc."""
    return _to_layout(_named(x, CSC), x, CSC, None, None, dense_dim)


def to_sparse_bsr(x: Tensor, blocksize: Sequence[int] | int, dense_dim: int | None = None) -> Tensor:
    """The method to_sparse_bsr."""
    return _to_layout(_named(x, BSR), x, BSR, None, blocksize, dense_dim)


def to_sparse_bsc(x: Tensor, blocksize: Sequence[int] | int, dense_dim: int | None = None) -> Tensor:
    """The method to_sparse_bsc."""
    return _to_layout(_named(x, BSC), x, BSC, None, blocksize, dense_dim)


def in_layout(x: Tensor, like: Tensor) -> Tensor:
    """A tensor in the layout, and with the blocks and dense axes, of another one.

    Args:
      x: a dense or sparse tensor
      like: a sparse tensor of the same shape
    """
    parts = parts_of(like)
    axes = axes_of(parts)
    if _is_sparse(x):
        if parts_of(x).layout == parts.layout:
            return x
        block = blocksize_of(parts) if parts.layout in BLOCKED else None
        return _to_layout(_named(x, parts.layout), x, parts.layout, None, block, None)
    if parts.layout == COO:
        return _compress.coo_of_dense(x, axes.sparse)
    return _compress.compressed_of_dense(x, parts.layout, blocksize_of(parts), axes.dense)
