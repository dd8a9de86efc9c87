"""The gradient of an embedding: rows that are indexed once, often and never, in every dtype, the
same on every run."""
import numpy
import pytest

import torch_np
import torch_np.nn.functional as F

RNG = numpy.random.default_rng(23)
# Tolerances of sums of up to some thousand normal numbers.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1e-2}


def array(t):
    return numpy.array(t.detach().to(torch_np.float64))


# (rows, elements of a row, indices): none, fewer than one thread sums, exactly as many, and rows
# that span many pieces.
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("padding, by_frequency", [(None, False), (1, False), (None, True), (1, True)])
@pytest.mark.parametrize("rows, n, count", [(3, 4, 0), (5, 1, 7), (4, 3, 32), (4, 3, 33), (2, 5, 2000), (40, 33, 300), (3000, 2, 1000)])
def test_rows_are_summed(rows, n, count, padding, by_frequency, dtype):
    weight = torch_np.tensor(RNG.normal(size=(rows, n))).to(getattr(torch_np, dtype))
    weight.requires_grad = True
    indices = RNG.integers(0, rows, count)
    dy = torch_np.tensor(RNG.normal(size=(count, n))).to(weight.dtype)
    F.embedding(torch_np.tensor(indices), weight, padding_idx=padding, scale_grad_by_freq=by_frequency).backward(dy)
    want = numpy.zeros((rows, n))
    numpy.add.at(want, indices, array(dy))
    if by_frequency:
        want /= numpy.maximum(numpy.bincount(indices, minlength=rows), 1)[:, None]
    if padding is not None:
        want[padding] = 0
    assert weight.grad.dtype == weight.dtype
    scale = max(1.0, numpy.abs(want).max(), 1 if by_frequency else numpy.sqrt(count / rows))
    numpy.testing.assert_allclose(array(weight.grad), want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale)


def test_one_row_alone():
    weight = torch_np.zeros(6, 3, dtype=torch_np.float64, requires_grad=True)
    dy = RNG.normal(size=(50, 21, 3))
    F.embedding(torch_np.full((50, 21), 5), weight).backward(torch_np.tensor(dy))
    want = numpy.zeros((6, 3))
    want[5] = dy.sum((0, 1))
    numpy.testing.assert_allclose(array(weight.grad), want, rtol=1e-12)


def test_every_run_gives_the_same_bits():
    indices, dy = torch_np.tensor(RNG.integers(0, 7, 5000)), torch_np.tensor(RNG.normal(size=(5000, 9)).astype("f4"))
    grads = []
    for _ in range(2):
        weight = torch_np.zeros(7, 9, requires_grad=True)
        F.embedding(indices, weight).backward(dy)
        grads.append(array(weight.grad))
    numpy.testing.assert_array_equal(*grads)


def test_layouts_and_integers_do_not_matter():
    weight = torch_np.tensor(RNG.normal(size=(5, 4)), requires_grad=True)
    indices = RNG.integers(0, 5, (3, 8))
    dy = RNG.normal(size=(4, 3, 8))
    F.embedding(torch_np.tensor(indices.T.astype("i4").copy()).T, weight).backward(torch_np.tensor(dy).permute(1, 2, 0))
    want = numpy.zeros((5, 4))
    numpy.add.at(want, indices, dy.transpose(1, 2, 0))
    numpy.testing.assert_allclose(array(weight.grad), want, rtol=1e-12, atol=1e-13)


def test_tables_of_no_elements():
    for shape in ((0, 3), (4, 0)):
        weight = torch_np.zeros(*shape, requires_grad=True)
        y = F.embedding(torch_np.zeros(2 if shape[0] else 0, dtype=torch_np.int64), weight)
        y.backward(torch_np.ones_like(y))
        assert weight.grad.shape == shape


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_gradient_of_a_gradient(dtype):
    weight = torch_np.tensor(RNG.normal(size=(4, 3)).astype(dtype), requires_grad=True)
    indices, dy = torch_np.tensor([1, 3, 3]), torch_np.tensor(RNG.normal(size=(3, 3)).astype(dtype), requires_grad=True)
    first, = torch_np.autograd.grad(F.embedding(indices, weight), [weight], dy, create_graph=True)
    factors = RNG.normal(size=(4, 3)).astype(dtype)
    second, = torch_np.autograd.grad(first, [dy], torch_np.tensor(factors))
    numpy.testing.assert_allclose(numpy.array(second.detach()), factors[[1, 3, 3]], rtol=1e-14)


def test_a_gradient_may_be_a_number_of_the_cpu():
    weight = torch_np.zeros(4, requires_grad=True)
    y = torch_np.embedding(weight, torch_np.tensor(2))
    grad, = torch_np.autograd.grad(y, [weight], torch_np.tensor(3.0, device="cpu"))
    numpy.testing.assert_array_equal(array(grad), [0, 0, 3, 0])
