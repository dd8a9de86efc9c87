"""Elements of tensors at the indices of sparse ones."""
from __future__ import annotations

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._coalesce import _coalesced
from torch_np.sparse._common import as_list, axes_of, blocksize_of, count_of, layout_name, positions, sparse_size
from torch_np.sparse._convert import in_layout
from torch_np.sparse._parts import COO, make, parts_of, size_of
from torch_np.sparse._to_dense import block_numbers


def pattern(mask: Tensor) -> Tensor:
    """Positions of the elements, or blocks, of a sparse tensor among all of them: (elements,). They
    differ for different elements.
    """
    parts = parts_of(mask)
    if parts.layout == COO:
        return positions(parts.indices, sparse_size(mask))
    return block_numbers(parts, size_of(mask))[0]


def looked_up(keys: Tensor, values: Tensor, wanted: Tensor) -> Tensor:
    """For each wanted position the value with this key, or zero. `keys` are sorted and distinct."""
    if not keys.shape[0]:
        return values.new_zeros((wanted.shape[0], *values.shape[1:]))
    at = torch_np.searchsorted(keys, wanted).clamp_max(keys.shape[0] - 1)
    is_found = (keys[at] == wanted).reshape(-1, *[1] * (values.dim() - 1))
    return torch_np.where(is_found, values.index_select(0, at), torch_np.zeros((), dtype=values.dtype, device=values.device))


def _of_dense(x: Tensor, mask: Tensor) -> Tensor:
    parts, size = parts_of(mask), size_of(mask)
    axes = axes_of(parts)
    flat = pattern(mask)
    if parts.layout == COO:
        return x.reshape(count_of(size[:axes.sparse]), *size[axes.sparse:]).index_select(0, flat)
    height, width = blocksize_of(parts)
    inner = size[axes.batch + 2:]
    rows, columns = size[axes.batch] // max(height, 1), size[axes.batch + 1] // max(width, 1)
    count = count_of(size[:axes.batch])
    blocks = x.reshape(count, rows, height, columns, width, *inner).transpose(2, 3).reshape(count * rows * columns, height, width, *inner)
    return blocks.index_select(0, flat).reshape(parts.values.shape)


def _of_sparse(x: Tensor, mask: Tensor) -> Tensor:
    own, parts = parts_of(x), parts_of(mask)
    if own.layout == COO:
        indices, values = own.indices, own.values
        if not own.is_coalesced:
            indices, values = _coalesced(indices, values, sparse_size(x))
        keys = positions(indices, sparse_size(x))
    else:
        batch = own.indices.dim() - 1
        values = own.values.reshape(count_of(own.values.shape[:batch + 1]), *own.values.shape[batch + 1:])
        keys, order = torch_np.sort(block_numbers(own, size_of(x))[0])
        values = values.index_select(0, order)
    return looked_up(keys, values, pattern(mask)).reshape(parts.values.shape)


def sparse_mask(x: Tensor, mask: Tensor) -> Tensor:
    """The method sparse_mask."""
    if not _is_sparse(mask):
        raise NotImplementedError("sparse_mask(): the mask must be a sparse tensor")
    if tuple(x.shape) != size_of(mask):
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {as_list(x.shape)} but mask has size "
                           f"{as_list(size_of(mask))}")
    if x is mask:
        return x
    parts = parts_of(mask)
    if not _is_sparse(x):
        return _with_pattern(mask, _of_dense(x, mask))
    if parts_of(x).layout != COO and parts.layout == COO:
        raise RuntimeError(f"sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got {layout_name(mask)}")
    if parts_of(x).layout == COO and axes_of(parts_of(x)).sparse != axes_of(parts).sparse and parts.layout == COO:
        raise RuntimeError("sparse_mask(): the mask must have as many sparse dimensions as the tensor")
    same = in_layout(x, mask)
    if blocksize_of(parts_of(same)) != blocksize_of(parts) or count_of(same.shape) != count_of(size_of(mask)):
        raise NotImplementedError("sparse_mask(): blocks of different sizes are not implemented")
    return _with_pattern(mask, _of_sparse(same, mask))


def _with_pattern(mask: Tensor, values: Tensor) -> Tensor:
    """A tensor with values of its own at copies of the indices of the mask."""
    parts = parts_of(mask)
    return make(parts._replace(indices=parts.indices.clone(), plain=None if parts.plain is None else parts.plain.clone(), values=values),
                size_of(mask))
