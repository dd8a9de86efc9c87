"""Sparse tensors for tests."""
import torch_np

COO, CSR, CSC, BSR, BSC = (getattr(torch_np, f"sparse_{name}") for name in ("coo", "csr", "csc", "bsr", "bsc"))
LAYOUTS = [COO, CSR, CSC, BSR, BSC]
NAMES = ["coo", "csr", "csc", "bsr", "bsc"]
DENSE = torch_np.tensor([[0, 1.5, 0, 0], [-2, 0, 0, 4], [0, 0, 0, 0], [3, 0, -0.5, 0]])


def in_layout(dense, layout):
    """The sparse tensor that equals a dense one."""
    return dense.to_sparse(layout=layout, blocksize=(2, 2) if layout in (BSR, BSC) else None)


def uncoalesced():
    """A COO tensor with a repeated index, and the dense tensor that equals it."""
    x = torch_np.sparse_coo_tensor([[1, 0, 1, 1], [2, 1, 0, 2]], [-1.0, 1.0, 0.5, -1.0], (2, 3))
    return x, torch_np.tensor([[0, 1.0, 0], [0.5, 0, -2.0]])


def hybrid():
    """A COO tensor with one sparse and one dense axis."""
    return torch_np.sparse_coo_tensor([[0, 2, 0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], (3, 2))


def parts(x):
    """The parts of a sparse tensor as lists."""
    if x.layout is COO:
        return [x._indices().tolist(), x._values().tolist()]
    if x.layout in (CSR, BSR):
        return [x.crow_indices().tolist(), x.col_indices().tolist(), x.values().tolist()]
    return [x.ccol_indices().tolist(), x.row_indices().tolist(), x.values().tolist()]


def assert_equals(x, dense):
    """Checks that a sparse tensor has the shape, the dtype and the elements of a dense one."""
    assert tuple(x.shape) == tuple(dense.shape)
    assert x.dtype == dense.dtype
    torch_np.testing.assert_close(x.to_dense(), dense)
