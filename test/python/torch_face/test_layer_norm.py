"""torch_np.nn.functional.layer_norm: values, the gradients of its fused backward kernel, and its
errors.

test_gradients.py compares its derivatives with finite differences, as those of every operator.
"""
import numpy
import pytest

import torch_np
from torch_np.nn.functional import layer_norm, rms_norm

RNG = numpy.random.default_rng(3)


def expected(x, weight=None, bias=None, axes=(-1,), eps=1e-5):
    x = x.astype("f8")
    y = (x - x.mean(axes, keepdims=True)) / numpy.sqrt(x.var(axes, keepdims=True) + eps)
    return y * (1 if weight is None else weight) + (0 if bias is None else bias)


def expected_gradients(dy, x, weight, eps=1e-5):
    """Expected gradients for rows along the last axis, in float64."""
    dy, x, weight = (a.astype("f8") for a in (dy, x, weight))
    r = 1 / numpy.sqrt(x.var(-1, keepdims=True) + eps)
    h = (x - x.mean(-1, keepdims=True)) * r
    g = dy * weight
    rows = tuple(range(x.ndim - 1))
    return r * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True)), (dy * h).sum(rows), dy.sum(rows)


def tensor(a, grad=False):
    t = torch_np.tensor(a)
    t.requires_grad = grad
    return t


def array(t):
    return numpy.asarray(t.detach())


# Sums are accumulated in float64, so the tolerance is the rounding of the result, or of a 16-bit
# input.
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-13), ("float32", 1e-6), ("float16", 2e-3)])
@pytest.mark.parametrize("shape", [(4, 7), (2, 3, 1000), (5,), (300, 130)])
def test_values(dtype, tolerance, shape):
    x, w, b = (RNG.normal(2, 3, s).astype(dtype) for s in (shape, shape[-1:], shape[-1:]))
    result = layer_norm(tensor(x), shape[-1:], tensor(w), tensor(b))
    assert str(result.dtype) == f"torch_np.{dtype}"
    numpy.testing.assert_allclose(array(result), expected(x, w.astype("f8"), b.astype("f8")), rtol=tolerance, atol=4 * tolerance)


def test_several_axes_are_normalised_together():
    x = RNG.normal(size=(2, 3, 4))
    numpy.testing.assert_allclose(array(layer_norm(tensor(x), (3, 4))), expected(x, axes=(1, 2)), atol=1e-13)


def test_layouts_do_not_matter():
    x = RNG.normal(size=(6, 8))
    numpy.testing.assert_allclose(array(layer_norm(tensor(x).T, [6])), expected(x.T), atol=1e-13)


@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-12), ("float32", 2e-5)])
def test_the_backward_kernel_gives_all_three_gradients(dtype, tolerance):
    x, w, b, dy = (RNG.normal(1, 2, s).astype(dtype) for s in ((20, 3, 150), (150,), (150,), (20, 3, 150)))
    leaves = [tensor(a, grad=True) for a in (x, w, b)]
    layer_norm(leaves[0], (150,), *leaves[1:]).backward(tensor(dy))
    for leaf, gradient in zip(leaves, expected_gradients(dy, x, w)):
        numpy.testing.assert_allclose(array(leaf.grad), gradient, rtol=tolerance, atol=tolerance * 20)


@pytest.mark.parametrize("wanted", [(True, False, False), (False, True, False), (False, False, True), (True, False, True)])
def test_only_the_gradients_that_are_wanted_come(wanted):
    x, w, b, dy = (RNG.normal(size=s) for s in ((6, 5), (5,), (5,), (6, 5)))
    leaves = [tensor(a, grad=g) for a, g in zip((x, w, b), wanted)]
    layer_norm(leaves[0], (5,), *leaves[1:]).backward(tensor(dy))
    for leaf, gradient, want in zip(leaves, expected_gradients(dy, x, w), wanted):
        assert (leaf.grad is not None) == want
        if want:
            numpy.testing.assert_allclose(array(leaf.grad), gradient, atol=1e-12)


def test_the_gradient_of_a_gradient_is_that_of_the_composition():
    x, w, dy = (RNG.normal(size=s) for s in ((3, 4), (4,), (3, 4)))

    def second(normalise):
        a, b = tensor(x, grad=True), tensor(w, grad=True)
        first, = torch_np.autograd.grad((normalise(a, b) * tensor(dy)).sum(), [a], create_graph=True)
        return torch_np.autograd.grad((first * first).sum(), [a, b])

    def composed(a, b):
        centred = a - a.mean(-1, keepdim=True)
        return centred / torch_np.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * b

    for ours, theirs in zip(second(lambda a, b: layer_norm(a, (4,), b)), second(composed)):
        numpy.testing.assert_allclose(array(ours), array(theirs), rtol=1e-9, atol=1e-10)


def test_results_do_not_depend_on_the_number_of_threads():
    x, w, dy = (RNG.normal(size=s).astype("f4") for s in ((3000, 300), (300,), (3000, 300)))

    def run():
        leaves = [tensor(x, grad=True), tensor(w, grad=True)]
        y = layer_norm(leaves[0], (300,), leaves[1])
        y.backward(tensor(dy))
        return [array(y), *(array(leaf.grad) for leaf in leaves)]

    several = run()
    before = torch_np.get_num_threads()
    torch_np.set_num_threads(1)
    try:
        for a, b in zip(several, run()):
            numpy.testing.assert_array_equal(a, b)
    finally:
        torch_np.set_num_threads(before)


@pytest.mark.parametrize("call, message", [
    (lambda x: layer_norm(x, (4,)), r"normalized_shape \(4,\) is not the end of input's shape \(2, 3\)"),
    (lambda x: layer_norm(x, (5, 2, 3)), r"is not the end of input's shape"),
    (lambda x: layer_norm(x, ()), "normalized_shape is empty"),
    (lambda x: layer_norm(x, (3,), x), r"weight of shape \(2, 3\) is not of normalized_shape \(3,\)"),
    (lambda x: layer_norm(x, (3,), None, x), r"bias of shape \(2, 3\)"),
    (lambda x: layer_norm(x.to(torch_np.int64), (3,)), "not implemented for"),
])
def test_errors_name_the_argument(call, message):
    with pytest.raises((RuntimeError, ValueError), match=message):
        call(tensor(numpy.ones((2, 3))))


def test_rows_of_nothing():
    assert layer_norm(tensor(numpy.ones((0, 3))), (3,)).shape == (0, 3)
    assert layer_norm(tensor(numpy.ones((3, 0))), (0,)).shape == (3, 0)


# Rows of one element, rows in registers, longer ones, and few rows that a GPU cuts into segments;
# and many rows with few columns.
EVERY_LENGTH = [(3, 1), (70, 33), (3, 5000), (2, 70000), (40000, 3)]
# Tolerances: products and sums of normal numbers in each dtype, with up to 40,000 summands.
TOLERANCES = {"float64": 1e-11, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}


def rounded(a, dtype):
    return tensor(a).to(getattr(torch_np, dtype)).detach()


def exact(t):
    return numpy.asarray(t.detach().to(torch_np.float64))


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("shape", EVERY_LENGTH)
def test_rows_of_every_length(shape, dtype):
    tolerance = TOLERANCES[dtype]
    x, w, b, dy = (rounded(RNG.normal(1, 2, s), dtype) for s in (shape, shape[1:], shape[1:], shape))
    for t in (x, w, b):
        t.requires_grad = True
    y = layer_norm(x, shape[1:], w, b)
    assert y.dtype == x.dtype
    numpy.testing.assert_allclose(exact(y), expected(exact(x), exact(w), exact(b)), rtol=tolerance, atol=tolerance)
    y.backward(dy)
    for leaf, gradient in zip((x, w, b), expected_gradients(exact(dy), exact(x), exact(w))):
        assert leaf.grad.dtype == x.dtype
        scale = max(numpy.abs(gradient).max(), numpy.sqrt(shape[0]))
        numpy.testing.assert_allclose(exact(leaf.grad), gradient, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("shape", EVERY_LENGTH)
def test_the_root_of_the_mean_square(shape, dtype):
    tolerance = TOLERANCES[dtype]
    x, w, dy = (rounded(RNG.normal(1, 2, s), dtype) for s in (shape, shape[1:], shape))
    x.requires_grad = w.requires_grad = True
    y = rms_norm(x, shape[1:], w, 1e-5)
    a, g = exact(x), exact(dy) * exact(w)
    r = 1 / numpy.sqrt((a * a).mean(-1, keepdims=True) + 1e-5)
    numpy.testing.assert_allclose(exact(y), a * r * exact(w), rtol=tolerance, atol=tolerance)
    y.backward(dy)
    numpy.testing.assert_allclose(exact(x.grad), r * (g - a * r * (g * a * r).mean(-1, keepdims=True)), rtol=tolerance, atol=tolerance * 5)
    of_weight = (exact(dy) * a * r).sum(0)
    numpy.testing.assert_allclose(exact(w.grad), of_weight, rtol=tolerance, atol=tolerance * max(numpy.abs(of_weight).max(), numpy.sqrt(shape[0])))


def test_parameters_may_be_wider_than_the_input():
    x, w, b = RNG.normal(size=(4, 40)).astype("f2"), RNG.normal(size=40).astype("f4"), RNG.normal(size=40).astype("f4")
    y = layer_norm(tensor(x), (40,), tensor(w), tensor(b))
    assert y.dtype == torch_np.float16
    numpy.testing.assert_allclose(exact(y), expected(x, w, b), rtol=2e-3, atol=2e-3)


def test_a_large_mean_costs_no_digits_of_the_variance():
    x = RNG.normal(1e4, 1, (3, 3000)).astype("f4")
    numpy.testing.assert_allclose(array(layer_norm(tensor(x), (3000,))), expected(x), atol=3e-3)


def test_rows_of_nothing_have_gradients_of_nothing():
    for shape in ((0, 3), (3, 0)):
        x, w = tensor(numpy.ones(shape), grad=True), tensor(numpy.ones(shape[1:]), grad=True)
        y = layer_norm(x, shape[1:], w)
        y.backward(y.detach())
        assert x.grad.shape == shape
        numpy.testing.assert_array_equal(array(w.grad), numpy.zeros(shape[1:]))
