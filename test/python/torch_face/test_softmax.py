"""torch_np.softmax and log_softmax: values and gradients of lines of every length and layout, in
every dtype, by each kernel.

`--device cuda` runs the same tests on the GPU's kernels: for lines that fit into registers, for
longer ones, and for few very long ones, which are cut into segments.
"""
import numpy
import pytest

import torch_np

RNG = numpy.random.default_rng(5)
# Rounding of the result in each dtype; the sums are of positive numbers, and accumulated at least
# in float32.
TOLERANCE = {"float64": 1e-13, "float32": 4e-6, "float16": 2e-3, "bfloat16": 1e-2}
SMALLEST_STEP = {"float16": 2.0**-24}  # for numbers below 2^-14
# (shape, dim): one line in registers, longer ones, columns, few lines that are cut, neighbours on
# both sides.
LINES = [((5, 1), 1), ((3, 7), 1), ((70, 33), 1), ((4, 1000), 1), ((3, 5000), 1), ((2, 70000), 1),
         ((7, 3), 0), ((300, 40), 0), ((40000, 2), 0), ((3, 90, 40), 1), ((2, 3, 4, 5), 2)]


def tensor(a, dtype, grad=False):
    t = torch_np.tensor(a).to(getattr(torch_np, dtype))
    t.requires_grad = grad
    return t


def array(t):
    return numpy.asarray(t.detach().to(torch_np.float64))


def softmax(x, dim):
    e = numpy.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def log_softmax(x, dim):
    shifted = x - x.max(dim, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(dim, keepdims=True))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape, dim", LINES)
def test_values(shape, dim, dtype):
    x = tensor(RNG.normal(0, 3, shape), dtype)
    for ours, theirs in ((torch_np.softmax, softmax), (torch_np.log_softmax, log_softmax)):
        y = ours(x, dim)
        assert y.dtype == x.dtype and y.shape == shape
        smallest = TOLERANCE[dtype] if theirs is log_softmax else 0  # a difference of numbers of the size of x may be near 0
        numpy.testing.assert_allclose(array(y), theirs(array(x), dim), rtol=4 * TOLERANCE[dtype], atol=max(SMALLEST_STEP.get(dtype, 0), smallest))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape, dim", LINES)
def test_gradients(shape, dim, dtype):
    tolerance = TOLERANCE[dtype] * 8
    x, dy = tensor(RNG.normal(0, 3, shape), dtype, grad=True), tensor(RNG.normal(size=shape), dtype)
    torch_np.softmax(x, dim).backward(dy)
    y, g = softmax(array(x), dim), array(dy)
    numpy.testing.assert_allclose(array(x.grad), y * (g - (g * y).sum(dim, keepdims=True)), rtol=tolerance, atol=tolerance * y.max())
    x.grad = None
    torch_np.log_softmax(x, dim).backward(dy)
    total = g.sum(dim, keepdims=True)
    numpy.testing.assert_allclose(array(x.grad), g - y * total, rtol=tolerance, atol=tolerance * numpy.abs(y * total).max())


@pytest.mark.parametrize("length", [3, 40, 3000])
def test_infinities_and_nans(length):
    x = RNG.normal(size=(5, length))
    x[0] = -numpy.inf
    x[1, 1:] = -numpy.inf
    x[2, length // 2] = numpy.inf
    x[3, length - 1] = numpy.nan
    y = array(torch_np.softmax(tensor(x, "float64"), 1))
    assert numpy.isnan(y[[0, 2, 3]]).all()  # as in PyTorch
    numpy.testing.assert_array_equal(y[1], [1] + [0] * (length - 1))
    numpy.testing.assert_allclose(y[4], softmax(x[4:], 1)[0], rtol=1e-13)
    masked = numpy.where(numpy.arange(length) % 3 == 0, x[4], -numpy.inf)
    numpy.testing.assert_allclose(array(torch_np.softmax(tensor(masked, "float64"), 0)), softmax(masked, 0), rtol=1e-13)


def test_large_numbers_do_not_overflow():
    x = RNG.normal(0, 1e5, (4, 600))
    numpy.testing.assert_allclose(array(torch_np.log_softmax(tensor(x, "float32"), 1)), log_softmax(x.astype("f4").astype("f8"), 1), rtol=1e-6)


def test_layouts_do_not_matter():
    x = RNG.normal(size=(6, 5, 7))
    t = tensor(x, "float64", grad=True)
    y = torch_np.softmax(t.permute(2, 0, 1)[1:, ::2], 0)
    numpy.testing.assert_allclose(array(y), softmax(x.transpose(2, 0, 1)[1:, ::2], 0), rtol=1e-13)
    y.sum().backward()  # a gradient whose strides are 0
    numpy.testing.assert_allclose(array(t.grad), 0, atol=1e-14)


def test_a_dtype_is_cast_to_first():
    x = RNG.normal(size=(3, 4))
    assert torch_np.softmax(tensor(x, "float16"), 1, dtype=torch_np.float32).dtype == torch_np.float32
    y = torch_np.log_softmax(torch_np.tensor([[1, 2], [3, 5]]), 1, dtype=torch_np.float64)
    numpy.testing.assert_allclose(array(y), log_softmax(numpy.array([[1.0, 2], [3, 5]]), 1), rtol=1e-14)


def test_lines_of_nothing_and_of_one_number():
    for shape in ((0, 3), (3, 0)):
        t = tensor(numpy.ones(shape), "float32", grad=True)
        y = torch_np.softmax(t, 1)
        y.backward(y.detach())
        assert y.shape == shape and t.grad.shape == shape
    assert torch_np.softmax(tensor(7.0, "float32"), 0).item() == 1 and torch_np.log_softmax(tensor(7.0, "float32"), -1).item() == 0


def test_the_gradient_of_a_gradient():
    x, dy = RNG.normal(size=(3, 40)), RNG.normal(size=(3, 40))

    def second(f):
        t = tensor(x, "float64", grad=True)
        first, = torch_np.autograd.grad((f(t) * tensor(dy, "float64")).sum(), [t], create_graph=True)
        return torch_np.autograd.grad((first * first).sum(), [t])[0]

    def composed(t):
        e = torch_np.exp(t)
        return e / e.sum(1, keepdim=True)

    numpy.testing.assert_allclose(array(second(lambda t: torch_np.softmax(t, 1))), array(second(composed)), rtol=1e-9, atol=1e-12)
    numpy.testing.assert_allclose(array(second(lambda t: torch_np.log_softmax(t, 1))), array(second(lambda t: torch_np.log(composed(t)))), rtol=1e-9, atol=1e-12)


def test_shapes_on_meta():
    y = torch_np.softmax(torch_np.empty((2, 3), device="meta", dtype=torch_np.float16), 1, dtype=torch_np.float32)
    assert y.shape == (2, 3) and y.dtype == torch_np.float32 and y.device.type == "meta"
