"""Functions of sparse tensors at the top of PyTorch's face. torch_np/_torch/late_names.py finds them here."""
from __future__ import annotations

from torch_np import Tensor
from torch_np.sparse import _elements
from torch_np.sparse._coalesce import _coalesce as _coalesce
from torch_np.sparse._construct import (
    sparse_bsc_tensor as sparse_bsc_tensor, sparse_bsr_tensor as sparse_bsr_tensor, sparse_compressed_tensor as sparse_compressed_tensor,
    sparse_coo_tensor as sparse_coo_tensor, sparse_csc_tensor as sparse_csc_tensor, sparse_csr_tensor as sparse_csr_tensor,
)
from torch_np.sparse._index_conversions import (
    _convert_indices_from_coo_to_csr as _convert_indices_from_coo_to_csr, _convert_indices_from_csr_to_coo as _convert_indices_from_csr_to_coo,
)
from torch_np.sparse._invariants import (
    _validate_compressed_sparse_indices as _validate_compressed_sparse_indices,
    _validate_sparse_bsc_tensor_args as _validate_sparse_bsc_tensor_args, _validate_sparse_bsr_tensor_args as _validate_sparse_bsr_tensor_args,
    _validate_sparse_compressed_tensor_args as _validate_sparse_compressed_tensor_args,
    _validate_sparse_coo_tensor_args as _validate_sparse_coo_tensor_args, _validate_sparse_csc_tensor_args as _validate_sparse_csc_tensor_args,
    _validate_sparse_csr_tensor_args as _validate_sparse_csr_tensor_args,
)
from torch_np.sparse._legacy import (
    dsmm as dsmm, hsmm as hsmm, hspmm as hspmm, saddmm as saddmm, smm as smm, spmm as spmm, sspaddmm as sspaddmm,
)
from torch_np.sparse._norms import native_norm as native_norm
from torch_np.sparse._shape import _sparse_broadcast_to as _sparse_broadcast_to
from torch_np.sparse._sizes import resize_as_sparse_ as resize_as_sparse_


def indices_copy(input: Tensor) -> Tensor:  # noqa: A002
    """A copy of the indices of a coalesced COO tensor.

    Args:
      input: the tensor

    Shapes: (sparse axes, elements).
    """
    return _elements.indices(input).clone()


def values_copy(input: Tensor) -> Tensor:  # noqa: A002
    """A copy of the values of a sparse tensor.

    Args:
      input: the tensor

    Shapes: (elements, dense axes...) for COO.
    """
    return _elements.values(input).clone()


def crow_indices_copy(input: Tensor) -> Tensor:  # noqa: A002
    """A copy of where each row of a CSR or BSR tensor starts.

    Args:
      input: the tensor

    Shapes: (*batch, rows + 1).
    """
    return _elements.crow_indices(input).clone()


def col_indices_copy(input: Tensor) -> Tensor:  # noqa: A002
    """A copy of the columns of the elements of a CSR or BSR tensor.

    Args:
      input: the tensor

    Shapes: (*batch, elements).
    """
    return _elements.col_indices(input).clone()


def ccol_indices_copy(input: Tensor) -> Tensor:  # noqa: A002
    """A copy of where each column of a CSC or BSC tensor starts.

    Args:
      input: the tensor

    Shapes: (*batch, columns + 1).
    """
    return _elements.ccol_indices(input).clone()


def row_indices_copy(input: Tensor) -> Tensor:  # noqa: A002
    """A copy of the rows of the elements of a CSC or BSC tensor.

    Args:
      input: the tensor

    Shapes: (*batch, elements).
    """
    return _elements.row_indices(input).clone()
