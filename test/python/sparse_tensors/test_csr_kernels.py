"""Products of CSR matrices, against products of dense matrices."""
import numpy
import pytest
import torch_np
from torch_np.sparse import _kernels

DTYPES = ["int8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


def matrix(rows, columns, per_row, dtype, index_dtype="int64", seed=0):
    """A random CSR matrix of `per_row` elements in each row but every third, and its dense form."""
    rng = numpy.random.default_rng(seed)
    counts = numpy.where(numpy.arange(rows) % 3 == 2, 0, per_row)
    crow = numpy.concatenate([[0], counts.cumsum()])
    col = rng.integers(0, columns, crow[-1]) if columns else numpy.zeros(0, int)
    values = values_of(rng, (crow[-1],), dtype)
    index = getattr(torch_np, index_dtype)
    dense = torch_np.zeros(rows, columns, dtype=torch_np.float64 if not values.is_complex() else torch_np.complex128)
    at = torch_np.tensor(numpy.repeat(numpy.arange(rows), counts)), torch_np.tensor(col)
    dense = dense.index_put(at, values.to(dense.dtype), accumulate=True)
    return torch_np.tensor(crow, dtype=index), torch_np.tensor(col, dtype=index), values, dense


def values_of(rng, shape, dtype):
    numbers = rng.integers(-4, 5, shape)
    if "complex" in dtype:
        numbers = numbers + 1j * rng.integers(-4, 5, shape)
    return torch_np.tensor(numbers).to(getattr(torch_np, dtype))


def assert_equal(result, expected):
    assert tuple(result.shape) == tuple(expected.shape)
    assert torch_np.equal(result.to(expected.dtype), expected)  # small integers: exact in all dtypes


@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype, index_dtype):
    crow, col, values, dense = matrix(7, 5, 4, dtype, index_dtype)
    rng = numpy.random.default_rng(1)
    x, y = values_of(rng, (5, 3), dtype), values_of(rng, (7, 3), dtype)
    product = _kernels.csr_matmul(crow, col, values, x)
    assert product.dtype == values.dtype
    assert_equal(product, dense @ x.to(dense.dtype))
    assert_equal(_kernels.csr_matmul_transposed(crow, col, values, y, 5), dense.T @ y.to(dense.dtype))
    all_products = y.to(dense.dtype) @ x.to(dense.dtype).T
    rows = torch_np.repeat_interleave(torch_np.arange(7), torch_np.diff(crow.long()))
    assert_equal(_kernels.csr_sampled_matmul(crow, col, y, x), all_products[rows, col.long()])


@pytest.mark.parametrize("k", [0, 1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 65, 130, 257])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_widths(dtype, k):
    crow, col, values, dense = matrix(40, 30, 25, dtype)
    rng = numpy.random.default_rng(2)
    x, y = values_of(rng, (30, k), dtype), values_of(rng, (40, k), dtype)
    assert_equal(_kernels.csr_matmul(crow, col, values, x), dense @ x.to(dense.dtype))
    assert_equal(_kernels.csr_matmul_transposed(crow, col, values, y, 30), dense.T @ y.to(dense.dtype))
    rows = torch_np.repeat_interleave(torch_np.arange(40), torch_np.diff(crow))
    assert_equal(_kernels.csr_sampled_matmul(crow, col, y, x), (y.to(dense.dtype) @ x.to(dense.dtype).T)[rows, col])


@pytest.mark.parametrize("rows, columns, per_row", [(0, 4, 0), (4, 0, 0), (0, 0, 0), (5, 3, 0), (1, 1, 1), (3000, 50, 40), (2, 9, 20000)])
def test_sizes(rows, columns, per_row):
    crow, col, values, dense = matrix(rows, columns, per_row, "float64")
    rng = numpy.random.default_rng(3)
    x, y = values_of(rng, (columns, 17), "float64"), values_of(rng, (rows, 17), "float64")
    assert_equal(_kernels.csr_matmul(crow, col, values, x), dense @ x)
    assert_equal(_kernels.csr_matmul(crow, col, values, x[:, :1]), dense @ x[:, :1])
    assert_equal(_kernels.csr_matmul_transposed(crow, col, values, y, columns), dense.T @ y)


def test_operands_of_any_layout():
    crow, col, values, dense = matrix(6, 4, 3, "float32")
    x = torch_np.arange(24.0).reshape(3, 8).T[::2].flip(0)
    spread = torch_np.stack([values, values], 1)[:, 0]
    assert_equal(_kernels.csr_matmul(crow, col, spread, x), dense @ x.to(dense.dtype))


def test_rows_that_are_nan_stay_apart():
    crow, col = torch_np.tensor([0, 1, 2]), torch_np.tensor([0, 1])
    x = torch_np.tensor([[float("nan")] * 20, [1.0] * 20])
    result = _kernels.csr_matmul(crow, col, torch_np.ones(2), x)
    assert result[0].isnan().all() and torch_np.equal(result[1], x[1])


def test_meta():
    crow, col, values, _ = matrix(6, 4, 3, "float32")
    x = torch_np.ones(4, 5, device="meta")
    result = _kernels.csr_matmul(crow.to("meta"), col.to("meta"), values.to("meta"), x)
    assert result.is_meta and tuple(result.shape) == (6, 5)


@pytest.mark.parametrize("crow, col, error", [
    ([0, 2, 2], [0, 3], IndexError), ([0, 2, 2], [0, -1], IndexError), ([0, 1, 1], [0, 1], RuntimeError), ([1, 1, 2], [0, 1], RuntimeError),
    ([0, 3, 2], [0, 1], RuntimeError), ([0, -1, 2], [0, 1], RuntimeError), ([], [0, 1], RuntimeError), ([0, 2, 2], [[0, 1]], RuntimeError),
    ([0, 2, 2], [0, 2 ** 40], IndexError)])
def test_patterns_that_are_wrong(crow, col, error):
    crow, col = torch_np.tensor(crow, dtype=torch_np.int64), torch_np.tensor(col)
    with pytest.raises(error):
        _kernels.csr_matmul(crow, col, torch_np.ones(2), torch_np.ones(3, 4))
    with pytest.raises(error):
        _kernels.csr_matmul_transposed(crow, col, torch_np.ones(2), torch_np.ones(2, 4), 3)
    with pytest.raises(error):
        _kernels.csr_sampled_matmul(crow, col, torch_np.ones(2, 4), torch_np.ones(3, 4))


@pytest.mark.parametrize("change", [
    {"values": torch_np.ones(3)}, {"values": torch_np.ones(2, dtype=torch_np.float64)}, {"dense": torch_np.ones(3)},
    {"col": torch_np.tensor([0, 1], dtype=torch_np.int32)}, {"crow": torch_np.tensor([0.0, 2.0, 2.0])}])
def test_arguments_that_do_not_fit(change):
    arguments = {"crow": torch_np.tensor([0, 2, 2]), "col": torch_np.tensor([0, 1]), "values": torch_np.ones(2), "dense": torch_np.ones(3, 4)}
    _kernels.csr_matmul(**arguments)
    with pytest.raises(RuntimeError):
        _kernels.csr_matmul(**{**arguments, **change})
