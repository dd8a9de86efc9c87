"""Text of sparse tensors: PyTorch's, character by character."""
import pytest
import torch_np
from sparse_tensors import BSR, CSC, CSR, DENSE, hybrid, in_layout, uncoalesced

TEXTS = [
    (lambda: uncoalesced()[0], """tensor(indices=tensor([[1, 0, 1, 1],
                       [2, 1, 0, 2]]),
       values=tensor([-1.0000,  1.0000,  0.5000, -1.0000]),
       size=(2, 3), nnz=4, layout=torch_np.sparse_coo)"""),
    (hybrid, """tensor(indices=tensor([[0, 2, 0]]),
       values=tensor([[1., 2.],
                      [3., 4.],
                      [5., 6.]]),
       size=(3, 2), nnz=3, layout=torch_np.sparse_coo)"""),
    (lambda: torch_np.sparse_coo_tensor((2, 3), dtype=torch_np.float64, requires_grad=True), """tensor(indices=tensor([], size=(2, 0)),
       values=tensor([], size=(0,)),
       size=(2, 3), nnz=0, dtype=torch_np.float64, layout=torch_np.sparse_coo,
       requires_grad=True)"""),
    (lambda: torch_np.sparse_coo_tensor(torch_np.zeros(0, 1), [1.0], ()), """tensor(indices=tensor([], size=(0, 1)),
       values=tensor([1.]),
       size=(), nnz=1, layout=torch_np.sparse_coo)"""),
    (lambda: in_layout(DENSE, CSR), """tensor(crow_indices=tensor([0, 1, 3, 3, 5]),
       col_indices=tensor([1, 0, 3, 0, 2]),
       values=tensor([ 1.5000, -2.0000,  4.0000,  3.0000, -0.5000]),
       size=(4, 4), nnz=5, layout=torch_np.sparse_csr)"""),
    (lambda: in_layout(DENSE.bool(), CSC), """tensor(ccol_indices=tensor([0, 2, 3, 4, 5]),
       row_indices=tensor([1, 3, 0, 3, 1]),
       values=tensor([True, True, True, True, True]), size=(4, 4), nnz=5,
       layout=torch_np.sparse_csc)"""),
    (lambda: in_layout(torch_np.eye(4, dtype=torch_np.int32), BSR), """tensor(crow_indices=tensor([0, 1, 2]),
       col_indices=tensor([0, 1]),
       values=tensor([[[1, 0],
                       [0, 1]],

                      [[1, 0],
                       [0, 1]]]), size=(4, 4), nnz=2, dtype=torch_np.int32,
       layout=torch_np.sparse_bsr)"""),
]


@pytest.mark.parametrize("make, text", TEXTS)
def test_text(make, text):
    assert repr(make()) == str(make()) == f"{make()}" == text


def test_history():
    values = torch_np.tensor([1.0], requires_grad=True)
    assert "grad_fn=<" in repr(torch_np.sparse_coo_tensor([[0]], values))
