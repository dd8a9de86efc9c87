"""torch_np.ops.aten._sparse_compressed_tensor_with_dims."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np.sparse._common import BLOCKED, BY_ROWS, as_list, dtype_name, name_of_layout
from torch_np.sparse._parts import COO, LAYOUTS, Parts, make


def compressed_with_dims(nnz: int, dense_dim: int, size: Sequence[int], blocksize: Sequence[int], index_dtype: Any, *, dtype: Any = None,
                         layout: Any = None, device: Any = None, pin_memory: bool | None = False) -> Tensor:
    """A compressed tensor of given numbers of elements and axes. Its parts are zeros, which describe no tensor
    unless `nnz` is 0: programs assign others.

    Args:
      nnz: the number of elements, or of blocks, in each batch
      dense_dim: the number of dense axes
      size: the size of the tensor
      blocksize: the shape of a block; () for layouts without blocks
      index_dtype: dtype of the indices
      dtype: dtype of the values
      layout: the layout
      device: the device
      pin_memory: only False

    Shapes: `size`.
    Dtypes: indices int32 or int64.
    Errors: RuntimeError for numbers, sizes, dtypes and layouts that do not fit.
    """
    def require(is_right: bool, message: str) -> None:
        if not is_right:
            raise RuntimeError("sparse_compressed_tensor_with_dims" + message)

    require(layout is not None, ": expected sparse compressed tensor layout but got none")
    kind = LAYOUTS.index(layout) if layout in LAYOUTS else COO
    require(kind != COO, f" expected sparse compressed tensor layout but got {name_of_layout(layout)}")
    if pin_memory:
        raise NotImplementedError("sparse_compressed_tensor_with_dims: pin_memory is not implemented")
    if index_dtype not in (torch_np.int32, torch_np.int64):
        raise RuntimeError(f"indices dtype must be Int or Long, but got {dtype_name(index_dtype)}")
    require(nnz >= 0, f": nnz must be non-negative, got {nnz}")
    require(dense_dim >= 0, f": dense_dim must be non-negative, got {dense_dim}")
    size, block = tuple(size), tuple(blocksize)
    batch = len(size) - 2 - dense_dim
    require(batch >= 0, f": dimensionality must be at least dense_dim(={dense_dim}) + sparse_dim(=2), but got {len(size)}")
    if kind in BLOCKED:
        require(len(block) == 2, f": blocksize needs to be a tuple of size 2, but got {len(block)}")
        require(min(block) > 0, f": blocksize needs to be positive, but got {as_list(block)}")
        for axis in (0, 1):
            require(size[batch + axis] % block[axis] == 0,
                    f": dimension {axis} must be multiple of blocksize[{axis}](={block[axis]}) but got {size[batch + axis]}")
    else:
        require(not block, f": blocksize cannot be specified for non-block layout {name_of_layout(layout)}")
    axis = 0 if kind in BY_ROWS else 1
    lines = size[batch + axis] // (block[axis] if block else 1)
    pointers = torch_np.zeros((*size[:batch], lines + 1), dtype=index_dtype, device=device)
    plain = torch_np.zeros((*size[:batch], nnz), dtype=index_dtype, device=device)
    values = torch_np.zeros((*size[:batch], nnz, *block, *size[batch + 2:]), dtype=dtype, device=device)
    return make(Parts(kind, pointers, plain, values, False), size)
