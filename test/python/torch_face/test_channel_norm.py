"""batch_norm and group_norm of torch_np.nn.functional: values and gradients for every shape of channels, in every dtype and layout.

`--device cuda` runs the same tests on the GPU's kernels instead of the CPU's loops.
"""
import numpy
import pytest

import torch_np
import torch_np.nn.functional as F

RNG = numpy.random.default_rng(17)
# Tolerances: products and sums of normal numbers, with up to 40,000 summands.
TOLERANCE = {"float64": 1e-11, "float32": 1e-4, "float16": 5e-3, "bfloat16": 4e-2}
# Channels that are not contiguous (length 1), short and long ones, and few long ones, which a GPU
# cuts.
SHAPES = [(300, 6), (5, 6, 1), (4, 6, 7), (3, 4, 5, 6), (2, 40, 300), (2, 2, 20000), (20000, 2, 1)]


def tensor(a, dtype="float64", grad=False):
    t = torch_np.tensor(a).to(getattr(torch_np, dtype)).detach()
    t.requires_grad = grad
    return t


def array(t):
    return numpy.array(t.detach().to(torch_np.float64))


def expected(x, dy, w, b, axes, mean=None, var=None, eps=1e-5):
    """Values, and gradients of input, weight and bias. w and b have the shape of a broadcast
    operand."""
    given = mean is not None
    mean, var = (mean, var) if given else (x.mean(axes, keepdims=True), x.var(axes, keepdims=True))
    r = 1 / numpy.sqrt(var + eps)
    h, g = (x - mean) * r, dy * w
    gradient = r * g if given else r * (g - g.mean(axes, keepdims=True) - h * (g * h).mean(axes, keepdims=True))
    return h * w + b, gradient, dy * h, dy


def close(t, want, dtype, count=1):
    """`count`: the number of products of normal numbers in each sum."""
    scale = max(1.0, numpy.abs(want).max(initial=0), numpy.sqrt(count))
    numpy.testing.assert_allclose(array(t), want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale)


def per_channel(a, ndim):
    return a.reshape([1, -1] + [1] * (ndim - 2))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", SHAPES)
def test_batch_norm(shape, dtype, training):
    c, axes, count = shape[1], (0, *range(2, len(shape))), numpy.prod(shape) // shape[1]
    x, w, b, dy = (tensor(RNG.normal(0.5, 2, s), dtype, grad=True) for s in (shape, c, c, shape))
    mean, var = tensor(RNG.normal(size=c), dtype), tensor(RNG.uniform(0.5, 2, c), dtype)
    start = array(mean), array(var)
    y = F.batch_norm(x, mean, var, w, b, training, momentum=0.25)
    assert y.dtype == x.dtype
    y.backward(dy.detach())
    given = [None, None] if training else [per_channel(a, len(shape)) for a in start]
    values, of_x, of_w, of_b = expected(array(x), array(dy), *(per_channel(array(t), len(shape)) for t in (w, b)), axes, *given)
    close(y, values, dtype)
    close(x.grad, of_x, dtype)
    close(w.grad, of_w.sum(axes), dtype, count)
    close(b.grad, of_b.sum(axes), dtype, count)
    moved = (start[0] * 0.75 + array(x).mean(axes) * 0.25, start[1] * 0.75 + array(x).var(axes, ddof=1) * 0.25) if training else start
    close(mean, moved[0], dtype)
    close(var, moved[1], dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [s for s in SHAPES if s != (20000, 2, 1)])
def test_group_norm(shape, dtype):
    c, groups = shape[1], 2
    n, length = shape[0], int(numpy.prod(shape[2:]))
    x, w, b, dy = (tensor(RNG.normal(0.5, 2, s), dtype, grad=True) for s in (shape, c, c, shape))
    y = F.group_norm(x, groups, w, b) if c * length > groups else pytest.skip("a group of one value")
    y.backward(dy.detach())
    sizes = (n, groups, c // groups, length)
    values, of_x, of_w, of_b = expected(array(x).reshape(sizes), array(dy).reshape(sizes),
                                        *(array(t).reshape(1, groups, c // groups, 1) for t in (w, b)), (2, 3))
    assert y.dtype == x.dtype
    close(y, values.reshape(shape), dtype)
    close(x.grad, of_x.reshape(shape), dtype)
    close(w.grad, of_w.sum((0, 3)).reshape(-1), dtype, n * length)
    close(b.grad, of_b.sum((0, 3)).reshape(-1), dtype, n * length)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_channels_last_stay_so(dtype, training):
    shape = (3, 5, 4, 6)
    x, dy, w = tensor(RNG.normal(size=shape), dtype), tensor(RNG.normal(size=shape), dtype), tensor(RNG.normal(size=5), dtype)

    def run(t):
        t = t.detach()
        t.requires_grad = True
        y = F.batch_norm(t, tensor(numpy.zeros(5), dtype), tensor(numpy.ones(5), dtype), w, None, training)
        y.backward(dy)
        return y, t.grad

    rows, last = run(x), run(x.to(memory_format=torch_np.channels_last))
    assert last[0].is_contiguous(memory_format=torch_np.channels_last)
    for a, b in zip(rows, last):
        numpy.testing.assert_allclose(array(a), array(b), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("wanted", [(True, False, False), (False, True, False), (False, False, True), (False, True, True)])
@pytest.mark.parametrize("training", [True, False])
def test_only_the_gradients_that_are_wanted_come(training, wanted):
    shape = (4, 6, 5)
    arrays = [RNG.normal(size=s) for s in (shape, 6, 6)]
    dy, mean, var = tensor(RNG.normal(size=shape)), tensor(RNG.normal(size=6)), tensor(RNG.uniform(0.5, 2, 6))
    for norm in (lambda x, w, b: F.batch_norm(x, mean.clone(), var.clone(), w, b, training), lambda x, w, b: F.group_norm(x, 3, w, b)):
        every, some = ([tensor(a, grad=g) for a, g in zip(arrays, mask)] for mask in ((True,) * 3, wanted))
        for leaves in (every, some):
            norm(*leaves).backward(dy)
        for a, b, want in zip(every, some, wanted):
            assert (b.grad is not None) == want
            if want:
                numpy.testing.assert_allclose(array(b.grad), array(a.grad), rtol=1e-13, atol=1e-13)


def test_parameters_may_be_wider_than_the_input_or_not_there():
    x = RNG.normal(size=(4, 6, 5)).astype("f2")
    w, b = RNG.normal(size=6).astype("f4"), RNG.normal(size=6).astype("f4")
    for norm, axes, sizes in ((lambda *a: F.batch_norm(a[0], None, None, *a[1:], True), (0, 3), (4, 6, 1, 5)), (lambda *a: F.group_norm(a[0], 2, *a[1:]), (2, 3), (4, 2, 3, 5))):
        for weighted in (True, False):
            y = norm(torch_np.tensor(x), *((torch_np.tensor(w), torch_np.tensor(b)) if weighted else (None, None)))
            parts = (a.reshape(1, *sizes[1:3], 1) if weighted else d for a, d in ((w, 1), (b, 0)))
            want = expected(x.astype("f8").reshape(sizes), numpy.zeros(sizes), *parts, axes)[0].reshape(x.shape)
            assert y.dtype == torch_np.float16
            numpy.testing.assert_allclose(array(y), want, rtol=3e-3, atol=3e-3)


def test_a_large_mean_costs_no_digits_of_the_variance():
    x = RNG.normal(1e4, 1, (4, 3, 1000)).astype("f4")
    want = expected(x.astype("f8"), x * 0.0, 1, 0, (0, 2))[0]
    numpy.testing.assert_allclose(array(F.batch_norm(torch_np.tensor(x), None, None, training=True)), want, atol=3e-3)


def test_batches_of_nothing():
    w = tensor(numpy.ones(3), grad=True)
    for norm in (lambda x: F.batch_norm(x, tensor(numpy.zeros(3)), tensor(numpy.ones(3)), w, None, False), lambda x: F.group_norm(x, 3, w)):
        x = tensor(numpy.ones((0, 3, 4)), grad=True)
        w.grad = None
        y = norm(x)
        y.sum().backward()
        assert y.shape == (0, 3, 4) and x.grad.shape == (0, 3, 4)
        numpy.testing.assert_array_equal(array(w.grad), numpy.zeros(3))


def test_running_numbers_are_no_part_of_the_graph():
    x, w = (tensor(RNG.normal(size=s), grad=True) for s in ((5, 3), 3))
    mean, var = tensor(numpy.zeros(3)), tensor(numpy.ones(3))
    for _ in range(2):
        F.batch_norm(x, mean, var, w, None, True)
    for t in (mean, var):
        assert not t.requires_grad and t.grad_fn is None  # otherwise each step would keep all steps before it
