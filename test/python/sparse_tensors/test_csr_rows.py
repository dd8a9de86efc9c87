"""Sums, rows and extremes of CSR matrices, against dense matrices."""
import numpy
import pytest
import torch_np
from torch_np.sparse import _kernels

DTYPES = ["int8", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


def csr(rows, columns, dtype, index_dtype="int64", seed=0, long_row=False):
    """A random CSR matrix of distinct, sorted columns, and its dense form."""
    rng = numpy.random.default_rng(seed)
    dense = rng.integers(-4, 5, (rows, columns)) * (rng.random((rows, columns)) < 0.2)
    if long_row and rows:
        dense[rows // 2] = rng.integers(1, 5, columns)
    row, col = dense.nonzero()
    index = getattr(torch_np, index_dtype)
    crow = torch_np.tensor(numpy.searchsorted(row, numpy.arange(rows + 1)), dtype=index)
    values = torch_np.tensor(dense[row, col]).to(getattr(torch_np, dtype))
    return (crow, torch_np.tensor(col, dtype=index), values), torch_np.tensor(dense).to(values.dtype)


@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (5, 7), (300, 250)])
def test_sums_rows_and_dense_matrices(shape, dtype, index_dtype):
    a, full = csr(*shape, dtype, index_dtype)
    b, other = csr(*shape, dtype, index_dtype, 1, long_row=True)
    crow, col, values = _kernels.csr_sum(*a, *b)
    assert crow.dtype == col.dtype == a[0].dtype and values.dtype == a[2].dtype
    assert torch_np.equal(_kernels.csr_to_dense(crow, col, values, shape[1]), full + other)
    assert col.shape[0] == numpy.count_nonzero(((full != 0) | (other != 0)).cpu().numpy())
    assert torch_np.equal(_kernels.csr_to_dense(*a, shape[1]), full)
    sums = _kernels.csr_row_sums(b[0], b[2])
    assert sums.dtype == b[2].dtype and torch_np.equal(sums, other.to(torch_np.complex128).sum(1).to(sums.dtype))


def test_repeated_elements_are_added():
    parts = torch_np.tensor([0, 3, 3]), torch_np.tensor([1, 0, 1]), torch_np.tensor([1.0, 2.0, 3.0])
    assert _kernels.csr_to_dense(*parts, 3).tolist() == [[2, 4, 0], [0, 0, 0]]
    x = torch_np.sparse_csr_tensor(*parts, (2, 3))
    assert x.to_dense().tolist() == [[2, 4, 0], [0, 0, 0]] and x.sum(dim=1, keepdim=True).to_dense().tolist() == [[6], [0]]


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["int64", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("k", [0, 1, 3, 32, 70])
def test_extremes(k, dtype, largest):
    (crow, col, values), _ = csr(40, 30, dtype)
    dense = torch_np.tensor(numpy.random.default_rng(3).integers(-4, 5, (30, k))).to(values.dtype)
    found = _kernels.csr_extremes(crow, col, values, dense, largest)
    assert found.shape == (40, k) and found.dtype == values.dtype
    for row in range(40):
        part = slice(int(crow[row]), int(crow[row + 1]))
        products = values[part, None] * dense[col[part]]
        expected = torch_np.zeros(k, dtype=values.dtype) if part.start == part.stop else products.amax(0) if largest else products.amin(0)
        assert torch_np.equal(found[row], expected)


def test_a_nan_is_the_extreme():
    parts = torch_np.tensor([0, 3]), torch_np.tensor([0, 1, 2]), torch_np.ones(3)
    for place in range(3):
        dense = torch_np.ones(3, 40)
        dense[place, 7] = float("nan")
        for largest in (True, False):
            assert _kernels.csr_extremes(*parts, dense, largest).isnan().nonzero().tolist() == [[0, 7]]


@pytest.mark.parametrize("reduce", ["amax", "amin", "mean"])
def test_gradients_of_reductions(reduce):
    (crow, col, values), _ = csr(6, 5, "float64")
    values = (values + torch_np.arange(values.shape[0]) * 0.13).requires_grad_()  # no products are equal
    dense = torch_np.rand(5, 3, dtype=torch_np.float64).add(0.1).requires_grad_()
    assert torch_np.autograd.gradcheck(lambda v, d: torch_np.sparse.mm(torch_np.sparse_csr_tensor(crow, col, v, (6, 5)), d, reduce), (values, dense))


@pytest.mark.parametrize("crow, col", [([0, 2], [0, 5]), ([0, 2], [0, -1])])
def test_columns_out_of_range(crow, col):
    for index in (torch_np.int32, torch_np.int64):
        parts = torch_np.tensor(crow, dtype=index), torch_np.tensor(col, dtype=index), torch_np.ones(2)
        x = torch_np.ones(5, 1)
        for call in (lambda: _kernels.csr_to_dense(*parts, 5), lambda: _kernels.csr_extremes(*parts, x, True),  # noqa: B023
                     lambda: _kernels.csr_matmul(*parts, x), lambda: _kernels.csr_sampled_matmul(*parts[:2], torch_np.ones(1, 1), x)):  # noqa: B023
            with pytest.raises(IndexError):
                call()
        with pytest.raises(IndexError):
            _kernels.csr_matmul(*parts, torch_np.ones(0, 1))
        assert _kernels.csr_matmul(parts[0] * 0, parts[1][:0], parts[2][:0], torch_np.ones(0, 1)).tolist() == [[0]]


def test_wrong_operands():
    (crow, col, values), _ = csr(30, 20, "float32")
    for call in (lambda: _kernels.csr_sum(crow, col, values, crow[:-1], col, values), lambda: _kernels.csr_row_sums(crow[1:], values),
                 lambda: _kernels.csr_sum(crow, col, values, crow, col, values.double()), lambda: _kernels.csr_to_dense(crow, col[1:], values, 20),
                 lambda: _kernels.csr_sum(crow, col, values, crow.int(), col.int(), values), lambda: _kernels.csr_row_sums(crow, values[None])):
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(NotImplementedError):
        _kernels.csr_extremes(crow, col, values.to(torch_np.complex64), torch_np.ones(20, 1, dtype=torch_np.complex64), True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_sums_of_rows_of_all_lengths(dtype):
    lengths = numpy.array([*range(40), 100, 0, 1000, 0, 3])
    crow = torch_np.tensor(numpy.concatenate([[0], lengths.cumsum()]))
    numbers = numpy.random.default_rng(0).integers(-9, 10, lengths.sum())
    sums = _kernels.csr_row_sums(crow, torch_np.tensor(numbers).to(getattr(torch_np, dtype)))
    assert sums.tolist() == [numbers[a:b].sum() for a, b in zip(crow.tolist()[:-1], crow.tolist()[1:], strict=True)]


def test_a_nan_stays_in_its_row():
    values = torch_np.ones(40)
    values[3] = float("nan")
    values[20] = float("inf")
    sums = _kernels.csr_row_sums(torch_np.tensor([0, 3, 4, 20, 21, 40]), values)
    assert sums.isnan().tolist() == [False, True, False, False, False] and sums.nan_to_num(0).tolist()[2:] == [16, torch_np.finfo(sums.dtype).max, 19]
