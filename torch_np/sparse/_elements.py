"""Methods that give the parts of sparse tensors."""
from __future__ import annotations

from typing import NoReturn

from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import BY_COLUMNS, BY_ROWS, alias, axes_of, layout_name, nnz_of
from torch_np.sparse._parts import COO, Parts, parts_of, replace, size_of

_KINDS = {(COO,): "coordinate", BY_ROWS: "row compressed", BY_COLUMNS: "column compressed"}


def parts_in(name: str, x: Tensor, layouts: tuple[int, ...]) -> Parts:
    """The parts of a tensor that must have one of these layouts. Errors: RuntimeError."""
    if not _is_sparse(x) or parts_of(x).layout not in layouts:
        raise RuntimeError(f"{name} expected sparse {_KINDS[layouts]} tensor layout but got {layout_name(x)}")
    return parts_of(x)


def _refuse(name: str, x: Tensor) -> NoReturn:
    raise NotImplementedError(f"{name}(): not implemented for tensors of the layout {layout_name(x)}")


def _coo_parts(name: str, x: Tensor) -> Parts:
    """The parts of a COO tensor. Errors: NotImplementedError for other layouts."""
    if not _is_sparse(x) or parts_of(x).layout != COO:
        _refuse(name, x)
    return parts_of(x)


def is_coalesced(x: Tensor) -> bool:
    """Whether the indices of a COO tensor are sorted and distinct."""
    return parts_in("is_coalesced", x, (COO,)).is_coalesced


def _coalesced_(x: Tensor, coalesced: bool) -> Tensor:
    """Says in place whether indices are sorted and distinct."""
    return replace(x, _coo_parts("_coalesced_", x)._replace(is_coalesced=bool(coalesced)), size_of(x))


def indices(x: Tensor) -> Tensor:
    """The indices of a coalesced COO tensor."""
    parts = parts_in("indices", x, (COO,))
    if not parts.is_coalesced:
        raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
    return parts.indices.detach()


def values(x: Tensor) -> Tensor:
    """The values of a sparse tensor, which must be coalesced if it is a COO tensor."""
    if not _is_sparse(x):
        raise RuntimeError("values expected sparse tensor layout but got Strided")
    parts = parts_of(x)
    if parts.layout == COO and not parts.is_coalesced:
        raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
    return alias(parts.values)


def _indices(x: Tensor) -> Tensor:
    """The indices of a COO tensor."""
    return _coo_parts("_indices", x).indices


def _values(x: Tensor) -> Tensor:
    """The values of a COO tensor, without history."""
    return _coo_parts("_values", x).values.detach()


def crow_indices(x: Tensor) -> Tensor:
    """Where each row of a CSR or BSR tensor starts."""
    return parts_in("crow_indices", x, BY_ROWS).indices.detach()


def col_indices(x: Tensor) -> Tensor:
    """The column of each element of a CSR or BSR tensor."""
    plain = parts_in("col_indices", x, BY_ROWS).plain
    assert plain is not None
    return plain.detach()


def ccol_indices(x: Tensor) -> Tensor:
    """Where each column of a CSC or BSC tensor starts."""
    return parts_in("ccol_indices", x, BY_COLUMNS).indices.detach()


def row_indices(x: Tensor) -> Tensor:
    """The row of each element of a CSC or BSC tensor."""
    plain = parts_in("row_indices", x, BY_COLUMNS).plain
    assert plain is not None
    return plain.detach()


def _nnz(x: Tensor) -> int:
    """The number of specified elements or blocks, of each batch."""
    if not _is_sparse(x):
        _refuse("_nnz", x)
    return nnz_of(parts_of(x))


def sparse_dim(x: Tensor) -> int:
    """The number of sparse axes."""
    return axes_of(parts_of(x)).sparse


def dense_dim(x: Tensor) -> int:
    """The number of dense axes."""
    return axes_of(parts_of(x)).dense
