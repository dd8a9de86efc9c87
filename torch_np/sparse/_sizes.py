"""Changes of sizes of sparse tensors in place."""
from __future__ import annotations

from collections.abc import Sequence

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import as_list, axes_of, check_in_place, layout_name, nnz_of
from torch_np.sparse._invariants import check_size
from torch_np.sparse._parts import COO, Parts, parts_of, replace, size_of


def _check_dims(size: Sequence[int], sparse: int, dense: int) -> None:
    if sparse + dense != len(size):
        raise RuntimeError(f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {sparse}, "
                           f"dense_dim = {dense}")
    check_size(size)


def _check_growth(old: Sequence[int], size: Sequence[int], had: tuple[int, int], sparse: int, dense: int) -> None:
    """Raises RuntimeError if elements would be lost, or change their meaning."""
    if sparse != had[0]:
        raise RuntimeError(f"changing the number of sparse dimensions (from {had[0]} to {sparse}) on a non-empty sparse tensor is not supported.")
    if dense != had[1]:
        raise RuntimeError(f"changing the number of dense dimensions (from {had[1]} to {dense}) on a non-empty sparse tensor is not supported.")
    for name, was, new in (("sparse", old[:sparse], size[:sparse]), ("dense", old[sparse:], size[sparse:])):
        if any(n < m for n, m in zip(new, was, strict=True)):
            raise RuntimeError(f"shrinking the size of {name} dimensions (from {as_list(was)} to {as_list(new)}) on a non-empty sparse tensor is "
                               "not supported.")


def sparse_resize_(self: Tensor, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Tensor:
    """Changes the size of a COO tensor in place; elements keep their indices. Of larger dense axes, the
    numbers keep their order in memory, and zeros follow.

    Args:
      self: the tensor
      size: the new size
      sparse_dim: the number of sparse axes
      dense_dim: the number of dense axes

    Errors: RuntimeError if elements would be lost.
    """
    if not _is_sparse(self) or parts_of(self).layout != COO:
        raise NotImplementedError(f"sparse_resize_(): not implemented for tensors of the layout {layout_name(self)}")
    size = tuple(size)
    _check_dims(size, sparse_dim, dense_dim)
    check_in_place(self)
    parts, old = parts_of(self), size_of(self)
    axes = axes_of(parts)
    if nnz_of(parts):
        _check_growth(old, size, (axes.sparse, axes.dense), sparse_dim, dense_dim)
    count = nnz_of(parts)
    values, indices = parts.values, parts.indices
    inner = size[sparse_dim:]
    if tuple(values.shape[1:]) != inner:
        grown = torch_np.zeros((count, *inner), dtype=values.dtype, device=values.device)
        grown.view(-1)[:values.numel()] = values.reshape(-1)  # as in memory
        values = grown
    if indices.shape[0] != sparse_dim:
        indices = torch_np.empty((sparse_dim, count), dtype=torch_np.int64, device=values.device)
    return replace(self, Parts(COO, indices, None, values, parts.is_coalesced), size)


def sparse_resize_and_clear_(self: Tensor, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Tensor:
    """Changes the size of a sparse tensor in place and removes all elements.

    Args:
      self: the tensor
      size: the new size
      sparse_dim: the number of sparse axes
      dense_dim: the number of dense axes
    """
    if not _is_sparse(self) or parts_of(self).layout != COO:
        raise NotImplementedError(f"sparse_resize_and_clear_(): not implemented for tensors of the layout {layout_name(self)}")
    size = tuple(size)
    _check_dims(size, sparse_dim, dense_dim)
    check_in_place(self)
    values = parts_of(self).values
    empty = torch_np.empty((0, *size[sparse_dim:]), dtype=values.dtype, device=values.device)
    return replace(self, Parts(COO, torch_np.empty((sparse_dim, 0), dtype=torch_np.int64, device=values.device), None, empty, True), size)


def resize_as_sparse_(self: Tensor, the_template: Tensor) -> Tensor:
    """Changes the size of a sparse tensor in place to that of another one.

    Args:
      self: the tensor
      the_template: the other tensor

    Shapes: any; the result has the size of `the_template`.
    Errors: RuntimeError if elements would be lost.
    """
    if not _is_sparse(the_template) or not _is_sparse(self):
        raise NotImplementedError(f"resize_as_sparse_(): expected sparse tensors, but got {layout_name(self)} and {layout_name(the_template)}")
    parts = parts_of(the_template)
    axes = axes_of(parts)
    if parts.layout == COO and parts_of(self).layout == COO:
        return sparse_resize_(self, size_of(the_template), axes.sparse, axes.dense)
    if parts_of(self).layout != parts.layout:
        raise RuntimeError(f"resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: self ({layout_name(self)}) and "
                           f"source ({layout_name(the_template)})")
    check_in_place(self)
    values = parts.values.new_zeros(parts.values.shape, dtype=parts_of(self).values.dtype)
    return replace(self, parts._replace(indices=parts.indices.clone(), plain=None if parts.plain is None else parts.plain.clone(), values=values),
                   size_of(the_template))
