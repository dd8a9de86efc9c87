"""Views, parts and compositions of sparse tensors, against those of dense ones."""
import itertools
import re

import pytest
import torch_np
from sparse_tensors import BSC, BSR, COO, CSC, CSR, DENSE, LAYOUTS, NAMES, assert_equals, hybrid, in_layout, uncoalesced
from torch_np.autograd import gradcheck

CUBE = torch_np.arange(24.0).reshape(2, 3, 4) * (torch_np.arange(24).reshape(2, 3, 4) % 3 == 0)
FLIPPED = {COO: COO, CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}
STRIDED = torch_np.strided


def equals(x, dense):
    """As assert_equals, for results that may be dense."""
    if x.layout is STRIDED:
        torch_np.testing.assert_close(x, dense)
    else:
        assert_equals(x, dense)
        assert x.layout is not COO or not x.is_coalesced() or x._nnz() == x.coalesce()._nnz()


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_transposes(layout):
    x = in_layout(DENSE[:, :2].contiguous(), layout)
    for found in (x.t(), x.mT, x.T, x.transpose(0, 1), x.transpose(-1, -2), x.permute(1, 0), x.adjoint(), x.H, x.mH, torch_np.swapaxes(x, 0, 1),
                  x.movedim(0, 1)):
        assert found.layout is FLIPPED[layout]
        equals(found, DENSE[:, :2].T)
        equals(found.t(), DENSE[:, :2])
    equals(x.transpose(1, 1), DENSE[:, :2])
    values = (x.values() if layout is not COO else x._values()).data_ptr()
    turned = x.t()
    assert (turned.values() if layout is not COO else turned._values()).data_ptr() == values


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=NAMES[1:])
def test_transposes_of_batches(layout):
    dense = torch_np.stack([torch_np.stack([DENSE, DENSE.mT.contiguous() * 2])] * 3)  # as many elements in each, but not blocks
    x = in_layout(dense.abs() + 1 if layout in (BSR, BSC) else dense, layout)
    dense = x.to_dense()
    equals(x.transpose(0, 1), dense.transpose(0, 1))
    equals(x.mT, dense.mT)
    with pytest.raises(RuntimeError, match=re.escape("got 0(Batch) and 2(Sparse)")):
        x.transpose(0, 2)
    equals(x.select(1, 1), dense[:, 1])
    equals(x[2, -1], dense[2, -1])
    with pytest.raises(RuntimeError, match="selecting sparse dimensions is not supported for batched"):
        x.select(-1, 0)


def test_conjugate_transposes():
    z = (DENSE * (1 + 2j)).to_sparse_csr()
    equals(z.mH, DENSE.mT * (1 - 2j))
    equals(z.H.H, DENSE * (1 + 2j))


@pytest.mark.parametrize("sparse", [1, 2, 3])
def test_permutations_of_coo(sparse):
    x = CUBE.to_sparse(sparse)
    for order in itertools.permutations(range(3)):
        if sorted(order[:sparse]) == list(range(sparse)):
            equals(x.permute(order), CUBE.permute(order))
            equals(torch_np.permute(x, order), CUBE.permute(order))
        else:
            with pytest.raises(RuntimeError, match="transpositions between sparse and dense dimensions"):
                x.permute(order)
    with pytest.raises(RuntimeError, match="duplicate dims"):
        x.permute(0, 0, 1)
    with pytest.raises(RuntimeError, match="does not match the length"):
        x.permute(0, 1)


def test_transposes_in_place():
    x, dense = uncoalesced()
    assert x.t_() is x and x.shape == (3, 2)
    equals(x, dense.T)
    equals(x.transpose_(0, 1), dense)
    with pytest.raises(RuntimeError, match="in-place transposition is not supported for SparseCsr"):
        DENSE.to_sparse_csr().t_()


@pytest.mark.parametrize("sparse", [1, 2, 3])
def test_axes_of_coo(sparse):
    x = CUBE.to_sparse(sparse)
    for dim in range(-4, 4):
        equals(x.unsqueeze(dim), CUBE.unsqueeze(dim))
        equals(x.unsqueeze(dim).squeeze(dim), CUBE)
    for dim in range(3):
        equals(torch_np.cat([x, 2 * x, x], dim), torch_np.cat([CUBE, 2 * CUBE, CUBE], dim))
        equals(torch_np.stack([x, 2 * x], dim), torch_np.stack([CUBE, 2 * CUBE], dim))
        equals(x.narrow_copy(dim, 1, 1), CUBE.narrow(dim, 1, 1))
        for index in (0, -1):
            equals(x.select(dim, index), CUBE.select(dim, index))
        for index in ([1, 0, 1, -1], [], [0]):
            places = torch_np.tensor(index, dtype=torch_np.int64)
            equals(x.index_select(dim, places), CUBE.index_select(dim, places % CUBE.shape[dim]))
        for found, expected in zip(x.unbind(dim), CUBE.unbind(dim), strict=True):
            equals(found, expected)
    equals(torch_np.vstack([x, x]), torch_np.vstack([CUBE, CUBE]))
    equals(torch_np.hstack([x, x]), torch_np.hstack([CUBE, CUBE]))
    assert len(list(x)) == 2


def test_repeated_indices_stay():
    x, dense = uncoalesced()
    equals(torch_np.cat([x, x]), torch_np.cat([dense, dense]))
    equals(x.unsqueeze(1), dense.unsqueeze(1))
    equals(x.index_select(1, torch_np.tensor([2, 2, 0])), dense[:, [2, 2, 0]])
    equals(x[1], dense[1])
    assert float(x[1, 2]) == -2 and x.bool()[1, 2].dtype == torch_np.bool and x.int()[1, 2].dtype == torch_np.int32


@pytest.mark.parametrize("index", [
    0, -1, (0, 1), (slice(None), 1), (Ellipsis, 2), None, (0, None), slice(1, 3), (slice(None), slice(0, 2)), slice(None, None, 2), [1, 0],
    (slice(1, None), -1), torch_np.tensor(1), torch_np.tensor([2, 0]), torch_np.tensor([True, False, True, False]), (0, 1, 2), ()], ids=str)
def test_indices_of_coo(index):
    dense = torch_np.stack([DENSE, DENSE * 2, -DENSE]).permute(1, 0, 2).contiguous()
    for sparse in (2, 3):
        equals(dense.to_sparse(sparse)[index], dense[index])


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=NAMES[1:])
def test_selection_from_matrices(layout):
    x = in_layout(DENSE, layout)
    for k in range(4):
        for found, expected in ((x[k], DENSE[k]), (x[:, k], DENSE[:, k]), (torch_np.select_copy(x, -1, k), DENSE[:, k])):
            assert found.layout is COO and found.is_coalesced()
            equals(found, expected)
    assert float(x[1, 3]) == 4 and float(x[0, 0]) == 0
    assert len(list(x)) == 4
    with_dense = torch_np.stack([DENSE, DENSE + 1], -1).to_sparse(layout=layout, blocksize=(2, 2) if layout in (BSR, BSC) else None, dense_dim=1)
    equals(with_dense.select(2, 1), DENSE + 1)
    equals(with_dense[1], torch_np.stack([DENSE, DENSE + 1], -1)[1])


@pytest.mark.parametrize("call, error, message", [
    (lambda x: x.select(0, 9), IndexError, "select(): index 9 out of range for tensor of size [4, 4] at dimension 0"),
    (lambda x: x[9], IndexError, "index 9 is out of bounds for dimension 0 with size 4"),
    (lambda x: x[0, 0, 0], IndexError, "too many indices for tensor of dimension 2"),
    (lambda x: x.__setitem__(0, 1.0), TypeError, "Cannot assign to a sparse tensor"),
    (lambda x: x.unsqueeze(3), IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 3)"),
    (lambda x: torch_np.cat([x, DENSE]), RuntimeError, "a dense tensor was found at position 1"),
    (lambda x: torch_np.cat([x, x[:, :2]]), RuntimeError, "All tensors must have the same shape: [4, 4]"),
    (lambda x: torch_np.cat([x, DENSE.to_sparse(1)]), RuntimeError, "the same sparse_dim and dense_dim: 2, 0, but tensor at position 1 has 1, 1"),
    (lambda x: x.index_select(0, torch_np.tensor([4])), IndexError, "index contains 4 that is out of range"),
    (lambda x: x.narrow_copy(0, 2, 3), RuntimeError, "must be a subset of range(0, 4)"),
    (lambda x: x.expand(2, 4, 4), RuntimeError, "expand is unsupported for Sparse tensors"),
    (lambda x: x.reshape(-1), RuntimeError, "reshape is not implemented for sparse tensors"),
    (lambda x: DENSE.to_sparse(1).t(), RuntimeError, "got 1 sparse and 1 dense dimensions"),
    (lambda x: torch_np.cat([x.to_sparse_csr()] * 2), NotImplementedError, "layout torch_np.sparse_csr"),
])
def test_errors(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call(DENSE.to_sparse())


def test_broadcasts():
    x = torch_np.tensor([[1.0], [0], [2]])
    for sparse in (1, 2):
        equals(torch_np._sparse_broadcast_to(x.to_sparse(sparse), (2, 3, 4)), x.expand(2, 3, 4))
    with pytest.raises(RuntimeError, match="does not broadcast"):
        torch_np._sparse_broadcast_to(x.to_sparse(), (2, 1))


def test_diagonals():
    diagonals = torch_np.arange(1.0, 10.0).reshape(3, 3)
    offsets = torch_np.tensor([0, -1, 2])
    expected = torch_np.tensor([[1.0, 0, 9, 0], [4, 2, 0, 0], [0, 5, 3, 0], [0, 0, 6, 0]])
    for layout in (None, COO, CSR, CSC):
        found = torch_np.sparse.spdiags(diagonals, offsets, (4, 4), layout)
        assert found.layout is (layout or COO)
        equals(found, expected)
    equals(torch_np.sparse.spdiags(torch_np.ones(3), torch_np.tensor(3), (3, 3)), torch_np.zeros(3, 3))
    with pytest.raises(RuntimeError, match="Offset tensor contains duplicate values"):
        torch_np.sparse.spdiags(diagonals, torch_np.tensor([0, 0, 1]), (4, 4))


@pytest.mark.parametrize("function", [
    lambda x: x.t(), lambda x: x.unsqueeze(0), lambda x: torch_np.cat([x, x], 1), lambda x: x[1:3], lambda x: x.index_select(1, torch_np.tensor([3, 0, 3])),
    lambda x: torch_np._sparse_broadcast_to(x, (2, 4, 4))])
@pytest.mark.parametrize("masked", [True, False])
def test_gradients_of_coo(function, masked):
    x = DENSE.double().to_sparse().requires_grad_()
    assert gradcheck(lambda t: function(t).to_dense(), x, masked=masked)


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=NAMES[1:])
def test_gradients_of_compressed_matrices(layout):
    x = in_layout(DENSE.double(), layout).requires_grad_()
    for function in (lambda t: t.t(), lambda t: t[1], lambda t: t[:, 0]):
        assert gradcheck(lambda t, function=function: function(t).to_dense(), x, masked=True)


def test_slices_are_dense_without_sparse_axes():
    x = hybrid()
    assert x[0].layout is STRIDED and x[0].tolist() == [6, 8] and x[1].tolist() == [0, 0]
    assert x[:, 1].layout is COO
