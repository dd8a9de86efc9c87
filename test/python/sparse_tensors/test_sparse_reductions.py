"""Sums and norms of sparse tensors."""
import itertools

import pytest
import torch_np
from sparse_tensors import COO, CSR, DENSE, LAYOUTS, NAMES, assert_equals, hybrid, in_layout, parts, uncoalesced

CUBE = torch_np.arange(24.0).reshape(2, 3, 4) * (torch_np.arange(24).reshape(2, 3, 4) % 3 == 0)


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_sum_of_all(layout):
    x = in_layout(DENSE, layout)
    total = x.sum()
    assert total.layout is torch_np.strided and float(total) == float(DENSE.sum())
    assert x.int().sum().dtype == torch_np.int64 and x.sum(dtype=torch_np.float64).dtype == torch_np.float64


@pytest.mark.parametrize("sparse", [1, 2, 3])
@pytest.mark.parametrize("dim", [c for n in range(1, 4) for c in itertools.combinations(range(3), n)])
def test_sum_of_axes(sparse, dim):
    x = CUBE.to_sparse(sparse)
    result = torch_np.sum(x, dim)
    assert (result.layout is torch_np.strided) == (set(range(sparse)) <= set(dim))
    assert_equals(result, CUBE.sum(dim))
    assert_equals(torch_np.sparse.sum(x, dim), CUBE.sum(dim))
    assert_equals(x.sum(dim, keepdim=True), CUBE.sum(dim, keepdim=True))
    assert_equals(torch_np.sum(x, dim, dtype=torch_np.float64), CUBE.sum(dim, dtype=torch_np.float64))


def test_sum_of_repeated_indices():
    x, dense = uncoalesced()
    assert parts(torch_np.sum(x, 0)) == [[[0, 1, 2]], [0.5, 1, -2]] and torch_np.sum(x, 0).is_coalesced()
    assert parts(torch_np.sum(x, -1)) == [[[0, 1]], [1, -1.5]]
    assert torch_np.sum(hybrid(), 0).tolist() == [9, 12]
    assert torch_np.sum(x.int(), 0).dtype == torch_np.int64 and torch_np.sparse.sum(x.int(), 0).dtype == torch_np.int32
    assert parts(torch_np.sum(x, ())) == parts(x.coalesce())


def test_sum_of_rows_and_columns_of_csr():
    x = in_layout(DENSE, CSR)
    for dim in (0, 1, (0, 1), ()):
        result = x.sum(dim, keepdim=True)
        assert result.layout is CSR
        assert_equals(result, DENSE.sum(dim, keepdim=True))
    with pytest.raises(RuntimeError, match="reduction operations on CSR tensors with keepdim=False is unsupported"):
        x.sum(0)


def test_errors():
    x, _ = uncoalesced()
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch_np.sum(x, 5)
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times in the list of dims"):
        torch_np.sparse.sum(x, (0, 0))
    with pytest.raises(RuntimeError, match="coalesce expected sparse coordinate tensor layout but got SparseCsr"):
        torch_np.sparse.sum(x.to_sparse_csr())
    with pytest.raises(RuntimeError, match="currently only supports full reductions"):
        x.norm(dim=0)
    with pytest.raises(RuntimeError, match="does not support keepdim=True"):
        x.norm(keepdim=True)
    with pytest.raises(NotImplementedError, match="mean.*layout .*sparse_coo"):
        x.mean()


@pytest.mark.parametrize("p", [None, 0, 1, 2, 3, "fro", float("inf")])
def test_norms(p):
    x, dense = uncoalesced()
    expected = torch_np.linalg.vector_norm(dense, 2 if p in (None, "fro") else p)
    for result in (torch_np.norm(x, p), x.norm(p), x.norm(p, dim=(0, 1)), torch_np.native_norm(x, 2 if p in (None, "fro") else p)):
        torch_np.testing.assert_close(result, expected)
    torch_np.testing.assert_close(torch_np.linalg.norm(x), dense.norm())


def test_any():
    x, _ = uncoalesced()
    assert x.any().item() is True and torch_np.sparse_coo_tensor((2, 3)).any().item() is False
    assert torch_np.isnan(x).any().item() is False


def test_gradients():
    for function, expected in ((lambda x: x.sum(), [1, 1, 1, 1]), (lambda x: (x.sum(0).to_dense() * torch_np.arange(3.0)).sum(), [2, 1, 0, 2]),
                               (lambda x: x.norm(1), [-1, 1, 1, -1]), (lambda x: torch_np.sum(x, (0, 1)) * 3, [3, 3, 3, 3])):
        values = torch_np.tensor([-1.0, 1.0, 0.5, -1.0], requires_grad=True)
        function(torch_np.sparse_coo_tensor([[1, 0, 1, 1], [2, 1, 0, 2]], values, (2, 3))).backward()
        assert values.grad.tolist() == expected


def test_layout_of_results():
    assert torch_np.sum(CUBE.to_sparse(), (0, 1)).layout is COO


MASK = torch_np.tensor([[True, True, False, False], [False, True, True, True], [False] * 4, [True, False, True, False]])


@pytest.mark.parametrize("kind", ["dense", "coo", "csr"])
@pytest.mark.parametrize("dim", [0, 1, (0, 1), None])
@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin"])
def test_masked(name, dim, kind):
    """Elements that the mask excludes do not count; a row of which none counts is not in the result."""
    mask = {"dense": MASK, "coo": MASK.to_sparse(), "csr": MASK.to_sparse_csr()}[kind]
    function = getattr(torch_np.masked, name)
    expected = function(DENSE, dim, keepdim=True, mask=MASK)
    counts = MASK.sum((0, 1) if dim is None else dim, keepdim=True) > 0
    expected = torch_np.where(counts, expected, torch_np.zeros(()))
    for x in (in_layout(DENSE, COO), in_layout(DENSE, CSR)):
        result = function(x, dim, keepdim=True, mask=mask)
        assert result.layout is x.layout
        assert_equals(result, expected)
    assert_equals(function(in_layout(DENSE, COO), dim, mask=mask), expected.squeeze(dim) if dim is not None else expected.reshape(()))
    if name != "sum":
        with pytest.raises(ValueError, match=f"masked {name} expects explicit mask for sparse_coo tensor input"):
            function(in_layout(DENSE, COO), dim)


def test_masked_means():
    result = torch_np.masked.mean(in_layout(DENSE, CSR), 1, keepdim=True, mask=MASK)
    assert parts(result)[:2] == [[0, 1, 2, 2, 3], [0, 0, 0]]
    torch_np.testing.assert_close(result.values(), torch_np.tensor([0.75, 4 / 3, 1.25]))
    with pytest.raises(ValueError, match="masked mean expects strided or sparse_csr tensor"):
        torch_np.masked.mean(in_layout(DENSE, COO), 1, mask=MASK)
    with pytest.raises(RuntimeError, match="keepdim=False is unsupported"):
        torch_np.masked.sum(in_layout(DENSE, CSR), 1, mask=MASK)
    assert torch_np.masked.sum(DENSE, 0, mask=MASK.to_sparse()).tolist() == torch_np.masked.sum(DENSE, 0, mask=MASK).tolist()
