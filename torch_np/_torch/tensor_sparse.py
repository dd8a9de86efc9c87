"""Methods of Tensor that make sparse tensors, and that tell the parts of one. They import
torch_np.sparse when they are called.
"""
from __future__ import annotations

from typing import Any

from torch_np import _C

Tensor = _C.Tensor


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = True) -> Tensor:
    """Returns a dense tensor that equals a sparse one, and a dense tensor itself.

    Args:
      dtype: Dtype of the result, for a dense tensor; None is that of the tensor.
      masked_grad: Must not be False for a sparse tensor that requires a gradient: its gradient is
        that of its elements.

    Shapes: unchanged.
    """
    if not _C._is_sparse(self):
        return self if dtype is None else self.to(dtype)
    from torch_np.sparse import _to_dense

    return _to_dense.to_dense(self, dtype, masked_grad)


def to_sparse(self: Tensor, *args: Any, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None) -> Tensor:
    """Returns a sparse tensor of the elements that are not zero, or a sparse tensor in another layout.

    Args:
      args: Number of sparse axes of a COO tensor; by default all axes. No other argument may then be
        given.
      layout: Layout of the result; None is COO.
      blocksize: Shape of the blocks for the layouts BSR and BSC.
      dense_dim: Number of dense axes of the result; None is 0.

    Shapes: unchanged.
    Errors: RuntimeError for arguments that do not fit the layout.
    """
    from torch_np.sparse import _convert

    return _convert.to_sparse(self, *args, layout=layout, blocksize=blocksize, dense_dim=dense_dim)


def to_sparse_coo(self: Tensor) -> Tensor:
    """Returns the tensor in the layout COO. Shapes: unchanged."""
    from torch_np.sparse import _convert

    return _convert.to_sparse(self)


def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """Returns the tensor in the layout CSR.

    Args:
      dense_dim: Number of dense axes at the end, for a dense tensor; None is 0.

    Shapes: (*batch, rows, columns, *dense); unchanged.
    Errors: RuntimeError unless each batch has as many elements.
    """
    from torch_np.sparse import _convert

    return _convert.to_sparse_csr(self, dense_dim)


def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """Returns the tensor in the layout CSC.

    Args:
      dense_dim: Number of dense axes at the end, for a dense tensor; None is 0.

    Shapes: (*batch, rows, columns, *dense); unchanged.
    Errors: RuntimeError unless each batch has as many elements.
    """
    from torch_np.sparse import _convert

    return _convert.to_sparse_csc(self, dense_dim)


def to_sparse_bsr(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """Returns the tensor in the layout BSR.

    Args:
      blocksize: Shape of the blocks.
      dense_dim: Number of dense axes at the end, for a dense tensor; None is 0.

    Shapes: (*batch, rows, columns, *dense); unchanged.
    Errors: RuntimeError if blocks do not divide the tensor, or batches have different numbers of them.
    """
    from torch_np.sparse import _convert

    return _convert.to_sparse_bsr(self, blocksize, dense_dim)


def to_sparse_bsc(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """Returns the tensor in the layout BSC.

    Args:
      blocksize: Shape of the blocks.
      dense_dim: Number of dense axes at the end, for a dense tensor; None is 0.

    Shapes: (*batch, rows, columns, *dense); unchanged.
    Errors: RuntimeError if blocks do not divide the tensor, or batches have different numbers of them.
    """
    from torch_np.sparse import _convert

    return _convert.to_sparse_bsc(self, blocksize, dense_dim)


def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """Returns the elements of the tensor at the indices of a sparse tensor.

    Args:
      mask: Sparse tensor, of which the values have no effect.

    Shapes: `mask` as the tensor; unchanged.
    Errors: RuntimeError if the shapes differ.
    """
    from torch_np.sparse import _masks

    return _masks.sparse_mask(self, mask)


def coalesce(self: Tensor) -> Tensor:
    """Returns a COO tensor of which the indices are sorted and distinct. A coalesced tensor is returned
    itself. Shapes: unchanged.
    """
    from torch_np.sparse import _coalesce

    return _coalesce.coalesce(self)


def is_coalesced(self: Tensor) -> bool:
    """Whether the indices of a COO tensor are sorted and distinct."""
    from torch_np.sparse import _elements

    return _elements.is_coalesced(self)


def indices(self: Tensor) -> Tensor:
    """Returns the indices of a coalesced COO tensor. Shapes: (sparse axes, elements)."""
    from torch_np.sparse import _elements

    return _elements.indices(self)


def values(self: Tensor) -> Tensor:
    """Returns the values of a sparse tensor. Shapes: (elements, dense axes...) for COO."""
    from torch_np.sparse import _elements

    return _elements.values(self)


def crow_indices(self: Tensor) -> Tensor:
    """Returns where each row of a CSR or BSR tensor starts. Shapes: (*batch, rows + 1)."""
    from torch_np.sparse import _elements

    return _elements.crow_indices(self)


def col_indices(self: Tensor) -> Tensor:
    """Returns the column of each element of a CSR or BSR tensor. Shapes: (*batch, elements)."""
    from torch_np.sparse import _elements

    return _elements.col_indices(self)


def ccol_indices(self: Tensor) -> Tensor:
    """Returns where each column of a CSC or BSC tensor starts. Shapes: (*batch, columns + 1)."""
    from torch_np.sparse import _elements

    return _elements.ccol_indices(self)


def row_indices(self: Tensor) -> Tensor:
    """Returns the row of each element of a CSC or BSC tensor. Shapes: (*batch, elements)."""
    from torch_np.sparse import _elements

    return _elements.row_indices(self)


def sparse_dim(self: Tensor) -> int:
    """Returns the number of sparse axes, which is 0 for a dense tensor."""
    if not _C._is_sparse(self):
        return 0
    from torch_np.sparse import _elements

    return _elements.sparse_dim(self)


def dense_dim(self: Tensor) -> int:
    """Returns the number of dense axes, which are all axes of a dense tensor."""
    if not _C._is_sparse(self):
        return self.dim()
    from torch_np.sparse import _elements

    return _elements.dense_dim(self)


def _nnz(self: Tensor) -> int:
    """Returns the number of elements that a sparse tensor specifies, or of its blocks."""
    from torch_np.sparse import _elements

    return _elements._nnz(self)


def _indices(self: Tensor) -> Tensor:
    """Returns the indices of a COO tensor, coalesced or not."""
    from torch_np.sparse import _elements

    return _elements._indices(self)


def _values(self: Tensor) -> Tensor:
    """Returns the values of a COO tensor, coalesced or not, without history."""
    from torch_np.sparse import _elements

    return _elements._values(self)


def _coalesced_(self: Tensor, coalesced: bool) -> Tensor:
    """Says whether the indices of a COO tensor are sorted and distinct.

    Args:
      coalesced: Whether they are.

    Shapes: unchanged.
    """
    from torch_np.sparse import _elements

    return _elements._coalesced_(self, coalesced)


def sparse_resize_(self: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Changes the size of a sparse tensor in place; elements keep their indices.

    Args:
      size: The new size.
      sparse_dim: The number of sparse axes.
      dense_dim: The number of dense axes.

    Shapes: any; the result has the size `size`.
    Errors: RuntimeError if elements would be lost.
    """
    from torch_np.sparse import _sizes

    return _sizes.sparse_resize_(self, size, sparse_dim, dense_dim)


def sparse_resize_and_clear_(self: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Changes the size of a sparse tensor in place and removes all elements.

    Args:
      size: The new size.
      sparse_dim: The number of sparse axes.
      dense_dim: The number of dense axes.

    Shapes: any; the result has the size `size`.
    """
    from torch_np.sparse import _sizes

    return _sizes.sparse_resize_and_clear_(self, size, sparse_dim, dense_dim)


def resize_as_sparse_(self: Tensor, the_template: Tensor) -> Tensor:
    """Changes the size of a sparse tensor in place to that of another one.

    Args:
      the_template: The other sparse tensor.

    Shapes: any; the result has the size of `the_template`.
    Errors: RuntimeError if elements would be lost.
    """
    from torch_np.sparse import _sizes

    return _sizes.resize_as_sparse_(self, the_template)


def smm(self: Tensor, mat: Tensor) -> Tensor:
    """Returns the product of a COO matrix and a dense one as a COO matrix.

    Args:
      mat: The dense matrix.

    Shapes: (n, k), `mat` (k, m); the result is (n, m).
    """
    from torch_np.sparse import _legacy

    return _legacy.smm(self, mat)


def sspaddmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Returns beta * self + alpha * mat1 @ mat2 as a COO matrix.

    Args:
      mat1: The left matrix, COO.
      mat2: The right matrix, dense.
      beta: Factor of the tensor.
      alpha: Factor of the product.

    Shapes: (n, m), `mat1` (n, k), `mat2` (k, m); the result is (n, m).
    """
    from torch_np.sparse import _legacy

    return _legacy.sspaddmm(self, mat1, mat2, beta=beta, alpha=alpha)


def _layout(self: Tensor) -> Any:
    """Layout of the elements, such as torch_np.strided and torch_np.sparse_coo."""
    from torch_np._torch import layouts

    if not _C._is_sparse(self):
        return layouts.strided
    from torch_np.sparse._parts import LAYOUTS, parts_of

    return LAYOUTS[parts_of(self).layout]


def _is_sparse(self: Tensor) -> bool:
    """Whether the layout is COO."""
    return _C._is_sparse(self) and _C._sparse_parts(self)[0] == 0


def _is_sparse_csr(self: Tensor) -> bool:
    """Whether the layout is CSR."""
    return _C._is_sparse(self) and _C._sparse_parts(self)[0] == 1


for _method in (to_dense, to_sparse, to_sparse_coo, to_sparse_csr, to_sparse_csc, to_sparse_bsr, to_sparse_bsc, sparse_mask, coalesce, is_coalesced,
                indices, values, crow_indices, col_indices, ccol_indices, row_indices, sparse_dim, dense_dim, _nnz, _indices, _values, _coalesced_,
                sparse_resize_, sparse_resize_and_clear_, resize_as_sparse_, smm, sspaddmm):
    _method.__qualname__ = f"Tensor.{_method.__name__}"
    setattr(_C.Tensor, _method.__name__, _method)
for _name, _method in (("_dimI", sparse_dim), ("_dimV", dense_dim)):
    setattr(_C.Tensor, _name, _method)
for _name, _getter in (("layout", _layout), ("is_sparse", _is_sparse), ("is_sparse_csr", _is_sparse_csr)):
    setattr(_C.Tensor, _name, property(_getter))
