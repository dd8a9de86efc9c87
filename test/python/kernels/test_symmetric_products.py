"""x @ x.T and x.T @ x, whose upper triangle mirrors the lower one: symmetric to the last bit, and
close to NumPy's."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import ours, theirs

SHAPES = [(15, 200), (16, 64), (17, 1), (33, 70), (100, 100), (130, 513), (257, 31), (600, 400)]


def matrix(shape, dtype):
    rng = numpy.random.default_rng(0)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if numpy.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_with_the_own_transpose(shape, dtype):
    x = matrix(shape, dtype)
    wide = matrix((shape[0] * 2, shape[1] + 5), dtype)
    tolerance = (1e-4 if dtype in ("float32", "complex64") else 1e-12) * max(shape)
    for a in (x, wide[:shape[0], 3:], wide[::2, 2:-2], numpy.asfortranarray(x)):
        for product in (lambda a: a @ a.T, lambda a: a.T @ a):
            got, expected = theirs(product(ours(a))), product(a)
            numpy.testing.assert_allclose(got, expected, atol=tolerance, rtol=0)
            numpy.testing.assert_array_equal(got, got.T)


def test_out_and_batches():
    x = np.asarray(matrix((3, 40, 50), "float64"))
    batched = x @ x.transpose(0, 2, 1)
    for i in range(3):
        numpy.testing.assert_allclose(theirs(batched[i]), theirs(x[i]) @ theirs(x[i]).T, rtol=1e-10, atol=1e-12)
    out = np.full((40, 40), np.nan)
    np.matmul(x[0], x[0].T, out=out)
    numpy.testing.assert_array_equal(theirs(out), theirs(batched[0]))


def test_another_matrix_at_the_same_place_is_no_transpose():
    x = matrix((40, 40), "float64")
    numpy.testing.assert_allclose(theirs(ours(x) @ ours(x)), x @ x, rtol=1e-10, atol=1e-12)
    numpy.testing.assert_allclose(theirs(ours(x)[:, :20] @ ours(x).T[:20]), x[:, :20] @ x.T[:20], rtol=1e-10, atol=1e-12)
    numpy.testing.assert_allclose(theirs(ours(x)[:30] @ ours(x).T), x[:30] @ x.T, rtol=1e-10, atol=1e-12)


def test_errors_are_reported():
    x = np.full((64, 64), 1e300)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        x @ x.T
    y = np.ones((64, 64))
    y[3, 4] = np.inf
    with np.errstate(all="raise"):
        assert (y @ y.T)[3, 3] == np.inf


def test_gradient():
    x = torch_np.tensor(matrix((20, 30), "float64").tolist(), dtype=torch_np.float64, requires_grad=True)
    assert torch_np.autograd.gradcheck(lambda x: x @ x.T, (x,))
