"""Softmax of sparse tensors: elements that are not specified are minus infinity."""
import pytest
import torch_np
from sparse_tensors import assert_equals, uncoalesced
from torch_np.autograd import gradcheck

CUBE = (torch_np.arange(24.0).reshape(2, 3, 4) - 7) * (torch_np.arange(24).reshape(2, 3, 4) % 3 != 1)


def expected(sparse, dim):
    """The dense softmax, zero where nothing is specified."""
    sparse = sparse.coalesce()
    filled = torch_np.full(sparse.shape, float("-inf"))
    filled[tuple(sparse.indices())] = sparse.values()
    return torch_np.softmax(filled, dim).nan_to_num(0.0)


@pytest.mark.parametrize("sparse", [1, 2, 3])
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_softmax(sparse, dim):
    x = CUBE.to_sparse(sparse)
    found = torch_np.sparse.softmax(x, dim)
    assert found.is_coalesced() and found._nnz() == x._nnz()
    assert_equals(found, expected(x, dim))
    logarithm = torch_np.sparse.log_softmax(x, dim)
    torch_np.testing.assert_close(logarithm.values().exp(), found.values())
    for function in (torch_np.sparse.softmax, torch_np.sparse.log_softmax):
        assert gradcheck(lambda t, f=function: f(t, dim).to_dense(), x.double().requires_grad_(), masked=True)


def test_repeated_indices_large_values_and_dtypes():
    x, _ = uncoalesced()
    found = torch_np.sparse.softmax(x, 1, dtype=torch_np.float64)
    assert found.dtype == torch_np.float64 and found.is_coalesced()
    weight = 1 / (1 + torch_np.exp(torch_np.tensor(-2.5, dtype=torch_np.float64)))
    torch_np.testing.assert_close(found.values(), torch_np.stack([torch_np.ones_like(weight), weight, 1 - weight]))
    large = torch_np.sparse_coo_tensor([[0, 0]], [1000.0, 1000.0], (2,)).coalesce()
    assert torch_np.sparse.softmax(large, 0).values().tolist() == [1]
    far = torch_np.sparse_coo_tensor([[0, 1]], [float("-inf"), float("-inf")], (2,))
    assert torch_np.sparse.softmax(far, 0).values().isnan().all()


def test_empty_tensors_and_errors():
    empty = torch_np.sparse_coo_tensor(torch_np.zeros(2, 0, dtype=torch_np.int64), [], (0, 3))
    assert torch_np.sparse.softmax(empty, 0)._nnz() == 0 and torch_np.sparse.log_softmax(empty, 1).shape == (0, 3)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch_np.sparse.softmax(CUBE.to_sparse(), 3)
    with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
        torch_np.sparse.softmax(CUBE.int().to_sparse(), 0)
    with pytest.raises(NotImplementedError, match="sparse_coo"):
        torch_np.sparse.softmax(CUBE[0].to_sparse_csr(), 0)
