"""Kernels that sort, merge and multiply patterns of sparse matrices, against NumPy."""
import itertools

import numpy
import pytest
import torch_np
from torch_np.sparse import _kernels


def keys_of(n, high, seed):
    rng = numpy.random.default_rng(seed)
    keys = rng.integers(0, high, n)
    yield keys
    yield numpy.sort(keys)
    yield keys[::-1].copy()
    yield numpy.where(rng.random(n) < 0.9, keys // 2 + high // 2, keys)  # most keys in one bucket


@pytest.mark.parametrize("n, high", list(itertools.product((0, 1, 2, 33, 1000, 70_000), (1, 2, 1000, 10**9, 2**62))))
def test_the_order_of_keys(n, high):
    for keys in keys_of(n, high, 0):
        order, starts = _kernels.coalesced_order(torch_np.tensor(keys))
        expected = numpy.argsort(keys, kind="stable")
        assert numpy.array_equal(numpy.asarray(order), expected)
        first = numpy.unique(keys[expected], return_index=True)[1]
        assert numpy.array_equal(numpy.asarray(starts), first)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
def test_sums_of_values_with_one_key(dtype):
    for n, high in ((0, 3), (7, 3), (5000, 900), (60_000, 10**12)):
        for keys in keys_of(n, high, 1):
            numbers = numpy.random.default_rng(2).integers(-3, 4, n)
            values = torch_np.tensor(numbers).to(getattr(torch_np, dtype))
            distinct, sums = _kernels.coalesced_sums(torch_np.tensor(keys), values)
            expected, place = numpy.unique(keys, return_inverse=True)
            assert numpy.array_equal(numpy.asarray(distinct), expected) and sums.dtype == values.dtype
            totals = numpy.zeros(len(expected))
            numpy.add.at(totals, place, numbers)
            assert torch_np.equal(sums.to(torch_np.complex128), torch_np.tensor(totals).to(torch_np.complex128))


@pytest.mark.parametrize("keys, values", [
    (torch_np.tensor([1, -1]), torch_np.ones(2)), (torch_np.tensor([1.0, 2.0]), torch_np.ones(2)), (torch_np.tensor([[1]]), torch_np.ones(1, 1)),
    (torch_np.tensor([1, 2], dtype=torch_np.int32), torch_np.ones(2)), (torch_np.tensor([1, 2]), torch_np.ones(3))])
def test_keys_that_are_wrong(keys, values):
    with pytest.raises(RuntimeError):
        _kernels.coalesced_sums(keys, values)


def pattern(dense, index_dtype):
    """The CSR parts of a dense matrix."""
    row, col = dense.nonzero()
    crow = numpy.searchsorted(row, numpy.arange(dense.shape[0] + 1))
    index = getattr(torch_np, index_dtype)
    return torch_np.tensor(crow, dtype=index), torch_np.tensor(col, dtype=index), torch_np.tensor(dense[row, col])


def dense_of(crow, col, values, shape):
    row = numpy.repeat(numpy.arange(shape[0]), numpy.diff(numpy.asarray(crow)))
    result = numpy.zeros(shape)
    numpy.add.at(result, (row, numpy.asarray(col)), numpy.asarray(values))
    return result


def random_matrix(rows, columns, seed, density=0.3):
    rng = numpy.random.default_rng(seed)
    return rng.integers(-3, 4, (rows, columns)) * (rng.random((rows, columns)) < density) * 1.0


def rises(crow, col):
    crow, col = numpy.asarray(crow), numpy.asarray(col)
    return all((numpy.diff(col[a:b]) > 0).all() for a, b in itertools.pairwise(crow))


SHAPES = [(0, 0), (1, 1), (3, 0), (0, 4), (5, 7), (40, 3), (3, 200), (300, 150)]


@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_unions(shape, index_dtype):
    a, b = random_matrix(*shape, 0), random_matrix(*shape, 1, 0.1)
    (crow_a, col_a, values_a), (crow_b, col_b, values_b) = pattern(a, index_dtype), pattern(b, index_dtype)
    crow, col, places_a, places_b = _kernels.csr_union(crow_a, col_a, crow_b, col_b)
    assert crow.dtype == crow_a.dtype == col.dtype and rises(crow, col)
    values = torch_np.zeros(col.shape[0], dtype=torch_np.float64).index_add(0, places_a, values_a).index_add(0, places_b, values_b)
    assert numpy.array_equal(dense_of(crow, col, values, shape), a + b)
    assert col.shape[0] == numpy.count_nonzero((a != 0) | (b != 0))


@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_products(shape, index_dtype):
    a, b = random_matrix(*shape, 0), random_matrix(shape[1], 60, 1)
    crow, col, values = _kernels.csr_product(*pattern(a, index_dtype), *pattern(b, index_dtype), 60)
    assert crow.dtype == col.dtype == getattr(torch_np, index_dtype) and rises(crow, col)
    assert numpy.array_equal(dense_of(crow, col, values, (shape[0], 60)), a @ b)


@pytest.mark.parametrize("dtype", ["int8", "float16", "bfloat16", "complex64"])
def test_products_of_other_dtypes(dtype):
    a, b = random_matrix(6, 5, 0), random_matrix(5, 4, 1)
    (crow_a, col_a, values_a), (crow_b, col_b, values_b) = pattern(a, "int64"), pattern(b, "int64")
    kind = getattr(torch_np, dtype)
    crow, col, values = _kernels.csr_product(crow_a, col_a, values_a.to(kind), crow_b, col_b, values_b.to(kind), 4)
    assert values.dtype == kind
    assert numpy.array_equal(dense_of(crow, col, values.to(torch_np.complex128).real, (6, 4)), a @ b)


@pytest.mark.parametrize("crow, col, error", [
    ([0, 2, 2], [0, 3], IndexError), ([0, 2, 2], [0, -1], IndexError), ([0, 1, 1], [0, 1], RuntimeError), ([1, 1, 2], [0, 1], RuntimeError),
    ([0, 3, 2], [0, 1], RuntimeError), ([], [0, 1], RuntimeError), ([0.0, 2.0, 2.0], [0, 1], RuntimeError), ([0, 2, 2], [[0, 1]], RuntimeError)])
def test_patterns_that_are_wrong(crow, col, error):
    crow = torch_np.tensor(crow, dtype=None if crow else torch_np.int64)
    good = torch_np.tensor([0, 1, 2, 2]), torch_np.tensor([0, 1]), torch_np.ones(2)
    bad = crow, torch_np.tensor(col), torch_np.ones(torch_np.tensor(col).numel())
    with pytest.raises(error):
        _kernels.csr_product(*bad, *good, 2)
    if error is RuntimeError:
        with pytest.raises(error):
            _kernels.csr_union(*bad[:2], *bad[:2])
    with pytest.raises((error, IndexError)):
        _kernels.csr_product(*good, *bad, 2)
