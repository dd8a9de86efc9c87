"""cross_entropy and nll_loss of torch_np.nn.functional: values and gradients for every number of
classes and lines, in every dtype.

`--device cuda` runs the same tests on the GPU's kernels instead of the CPU's loops.
"""
import numpy
import pytest

import torch_np
import torch_np.nn.functional as F

RNG = numpy.random.default_rng(11)
IGNORED = -100
# Rounding of the result in each dtype; losses are computed at least in float32.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
# Few classes, many, so many that a GPU cuts their lines, classes that are not contiguous, and many
# lines.
SHAPES = [(4,), (5, 3), (3, 1000), (2, 40000), (3, 5, 7), (2, 300, 3, 2), (9000, 2)]


def tensor(a, dtype="float64", grad=False):
    t = torch_np.tensor(a)
    if t.is_floating_point():
        t = t.to(getattr(torch_np, dtype))
    t.requires_grad = grad
    return t


def array(t):
    return numpy.asarray(t.detach().to(torch_np.float64))


def classes_last(shape):
    return [*(d for d in range(len(shape)) if d != (len(shape) > 1)), int(len(shape) > 1)]


def case(shape, dtype):
    x = tensor(RNG.normal(0, 2, shape), dtype, grad=True)
    n = shape[len(shape) > 1]
    target = RNG.integers(0, n, [shape[d] for d in classes_last(shape)[:-1]])
    if target.size > 2:
        target.flat[1] = IGNORED
    return x, target, tensor(RNG.uniform(0.5, 2, n), dtype)


def expected(logarithms, target, weight, smoothing, reduction):
    """Values for log probabilities or similar inputs; and the gradient, if that of each loss (or of
    the total loss) is 1."""
    order = classes_last(logarithms.shape)
    rows, flat = logarithms.transpose(order).reshape(-1, len(weight)), target.reshape(-1)
    counted = flat != IGNORED
    chosen = numpy.zeros_like(rows)
    chosen[counted, flat[counted]] = 1
    weights = (chosen * weight).sum(1)
    per_class = (1 - smoothing) * chosen * weight + smoothing / len(weight) * weight * counted[:, None]
    losses = -(per_class * rows).sum(1)
    divisor = weights.sum() if reduction == "mean" else 1
    loss = losses.reshape(target.shape) if reduction == "none" else losses.sum() / divisor
    return loss, (-per_class / divisor).reshape([logarithms.shape[d] for d in order]).transpose(numpy.argsort(order))


def log_softmax(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(axis, keepdims=True))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", SHAPES)
def test_cross_entropy(shape, dtype):
    axis = int(len(shape) > 1)
    for reduction in ("none", "mean", "sum"):
        for weighted, smoothing in ((False, 0.0), (True, 0.0), (False, 0.1), (True, 0.1)):
            x, target, weight = case(shape, dtype)
            w = array(weight) if weighted else numpy.ones(shape[axis])
            loss = F.cross_entropy(x, tensor(target), weight if weighted else None, reduction=reduction, label_smoothing=smoothing)
            assert loss.dtype == x.dtype
            logarithms = log_softmax(array(x), axis)
            want, slope = expected(logarithms, target, w, smoothing, reduction)
            tolerance = TOLERANCE[dtype]
            numpy.testing.assert_allclose(array(loss), want, rtol=tolerance, atol=tolerance)
            loss.backward(torch_np.ones_like(loss))
            gradient = slope - numpy.exp(logarithms) * slope.sum(axis, keepdims=True)
            numpy.testing.assert_allclose(array(x.grad), gradient, rtol=tolerance, atol=tolerance * numpy.abs(gradient).max())


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", SHAPES)
def test_nll_loss(shape, dtype):
    axis = int(len(shape) > 1)
    for reduction in ("none", "mean", "sum"):
        for weighted in (False, True):
            x, target, weight = case(shape, dtype)
            w = array(weight) if weighted else numpy.ones(shape[axis])
            loss = F.nll_loss(x, tensor(target), weight if weighted else None, reduction=reduction)
            assert loss.dtype == x.dtype
            want, slope = expected(array(x), target, w, 0, reduction)
            tolerance = TOLERANCE[dtype]
            numpy.testing.assert_allclose(array(loss), want, rtol=tolerance, atol=tolerance * max(1, numpy.abs(array(x)).max()))
            loss.backward(torch_np.ones_like(loss))
            numpy.testing.assert_allclose(array(x.grad), slope, rtol=tolerance, atol=0 if dtype != "float16" else 2.0**-24)


def test_each_loss_has_its_gradient():
    for f in (F.cross_entropy, F.nll_loss):
        x, target, weight = case((3, 5, 7), "float64")
        dy = RNG.normal(size=target.shape)
        f(x, tensor(target), weight, reduction="none").backward(tensor(dy))
        singly = tensor(array(x), grad=True)
        (f(singly, tensor(target), weight, reduction="none") * tensor(dy)).sum().backward()
        numpy.testing.assert_allclose(array(x.grad), array(singly.grad), rtol=1e-14)
        # ignored targets have no gradient
        assert (array(x.grad)[0, :, 1] == 0).all() and (array(x.grad)[0, :, 0] != 0).any()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("f", [F.cross_entropy, F.nll_loss])
def test_the_gradient_of_a_gradient(f, reduction):
    x, target, weight = case((4, 6), "float64")
    dy = tensor(RNG.normal(size=(4,) if reduction == "none" else ()), grad=True)
    first, = torch_np.autograd.grad(f(x, tensor(target), weight, reduction=reduction), [x], dy, create_graph=True)
    factors = tensor(RNG.normal(size=(4, 6)))
    second = torch_np.autograd.grad((first * factors).sum(), [dy, x], allow_unused=True)

    step, to_dy, to_x = 1e-6, numpy.zeros(dy.shape), numpy.zeros(x.shape)

    def pulled(a, g):
        t = tensor(a, grad=True)
        return (array(torch_np.autograd.grad(f(t, tensor(target), weight, reduction=reduction), [t], tensor(g))[0]) * array(factors)).sum()

    for values, result in ((array(dy), to_dy), (array(x), to_x)):
        for place in numpy.ndindex(values.shape):
            moved = [values.copy(), values.copy()]
            moved[0][place] += step
            moved[1][place] -= step
            ends = [pulled(array(x), v) if result is to_dy else pulled(v, array(dy)) for v in moved]
            result[place] = (ends[0] - ends[1]) / (2 * step)
    numpy.testing.assert_allclose(array(second[0]), to_dy, rtol=1e-7, atol=1e-8)
    numpy.testing.assert_allclose(0 if second[1] is None else array(second[1]), to_x, rtol=1e-6, atol=1e-8)


def test_nothing_to_lose():
    for f in (F.cross_entropy, F.nll_loss):
        x = tensor(numpy.ones((0, 3)), grad=True)
        # the mean of no elements, as in PyTorch
        assert numpy.isnan(f(x, torch_np.zeros(0, dtype=torch_np.int64)).item())
        loss = f(x, torch_np.zeros(0, dtype=torch_np.int64), reduction="sum")
        loss.backward()
        assert loss.item() == 0 and x.grad.shape == (0, 3)
        assert f(x, torch_np.zeros(0, dtype=torch_np.int64), reduction="none").shape == (0,)
        with pytest.raises(IndexError):
            f(tensor(numpy.ones((2, 0))), torch_np.zeros(2, dtype=torch_np.int64))
        ignored = f(tensor(numpy.ones((2, 3))), torch_np.full((2,), IGNORED), reduction="none")
        numpy.testing.assert_array_equal(array(ignored), [0, 0])


@pytest.mark.parametrize("target", [3, -1, 2**40, -2**62])
def test_classes_that_are_not_there(target):
    for f in (F.cross_entropy, F.nll_loss):
        with pytest.raises(IndexError, match="out of bounds"):
            f(tensor(numpy.ones((2, 3))), tensor(numpy.array([0, target]))).item()


def test_infinite_inputs_of_ignored_lines_do_no_harm():
    x = RNG.normal(size=(3, 40))
    x[1] = numpy.inf
    t = tensor(x, grad=True)
    loss = F.cross_entropy(t, tensor(numpy.array([3, IGNORED, 5])))
    loss.backward()
    assert numpy.isfinite(loss.item()) and (array(t.grad)[1] == 0).all() and (array(t.grad)[0] != 0).all()


def test_layouts_do_not_matter():
    x, target = RNG.normal(size=(7, 4, 6)), RNG.integers(0, 4, (6, 7))
    t = tensor(x)
    a = F.cross_entropy(t.permute(2, 1, 0), tensor(target.T.copy()).T, reduction="none")
    b = F.cross_entropy(tensor(x.transpose(2, 1, 0).copy()), tensor(target), reduction="none")
    numpy.testing.assert_allclose(array(a), array(b), rtol=1e-13)


@pytest.mark.parametrize("f", [F.cross_entropy, F.nll_loss])
def test_a_gradient_may_be_a_number_of_the_cpu(f):
    x, target, weight = case((3, 5), "float32")
    results = []
    for device in ("cpu", x.device):
        results.append(torch_np.autograd.grad(f(x, tensor(target), weight), [x], torch_np.tensor(2.0, device=device))[0])
    numpy.testing.assert_array_equal(array(results[0]), array(results[1]))
