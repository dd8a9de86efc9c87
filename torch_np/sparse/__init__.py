"""torch_np.sparse: sparse tensors in the layouts COO, CSR, CSC, BSR and BSC."""
from __future__ import annotations

from torch_np._absent import absent_names
from torch_np.sparse import _tensor as _tensor  # the class of sparse tensors comes first
from torch_np.sparse import (
    _add as _add, _attributes as _attributes, _copies as _copies, _factories as _factories, _multiply as _multiply, _norms as _norms,
    _print as _print, _unary as _unary,
)
from torch_np.sparse import (  # products, shapes and gradients
    _autograd as _autograd, _matmul as _matmul, _products as _products, _selection as _selection, _shape as _shape, _solve as _solve,
    _transposes as _transposes,
)
from torch_np.sparse._functions import addmm as addmm, mm as mm, sampled_addmm as sampled_addmm
from torch_np.sparse._gradcheck import as_sparse_gradcheck as as_sparse_gradcheck
from torch_np.sparse._invariants import check_sparse_tensor_invariants as check_sparse_tensor_invariants
from torch_np.sparse._reductions import sum as sum  # noqa: A004
from torch_np.sparse._shape import spdiags as spdiags
from torch_np.sparse._solve import spsolve as spsolve
from torch_np.sparse._softmax import log_softmax as log_softmax, softmax as softmax

_SOLVERS = "PyTorch names it only; use spsolve, or torch_np.linalg.solve"
_SEMI_STRUCTURED = "matrices with two of four elements are not implemented; they need a GPU with such products"

__all__ = ["addmm", "as_sparse_gradcheck", "check_sparse_tensor_invariants", "log_softmax", "mm", "softmax", "spsolve", "sum", *absent_names(
    globals(), _SOLVERS, functions="solve"), *absent_names(
    globals(), _SEMI_STRUCTURED, functions="to_sparse_semi_structured",
    classes="SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS")]
