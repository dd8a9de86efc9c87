"""Gradients of arguments other than operands: initial= of reductions, values of margins, weights,
bounds, numbers that are 0-d arrays. Arguments that are read as numbers have no gradient, and raise."""

import pytest
from leaves import leaf

import torch_np
import torch_np.numpy as np
from torch_np.autograd import gradcheck, gradgradcheck



def check(function, *inputs):
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs, atol=1e-4)


# --- initial=

X = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
REDUCTIONS = {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "amax": np.amax, "amin": np.amin, "nansum": np.nansum,
    "nanprod": np.nanprod, "nanmax": np.nanmax, "nanmin": np.nanmin, "add.reduce": np.add.reduce,
    "multiply.reduce": np.multiply.reduce, "maximum.reduce": np.maximum.reduce, "minimum.reduce": np.minimum.reduce,
    "fmax.reduce": np.fmax.reduce, "fmin.reduce": np.fmin.reduce, "subtract.reduce": np.subtract.reduce,
    "divide.reduce": np.divide.reduce, "logaddexp.reduce": np.logaddexp.reduce, "hypot.reduce": np.hypot.reduce,
    "method sum": lambda x, **k: x.sum(**k), "method prod": lambda x, **k: x.prod(**k), "method max": lambda x, **k: x.max(**k),
    "method min": lambda x, **k: x.min(**k),
}
MASK = [[True, False, True], [False, False, True]]


@pytest.mark.parametrize("start", [0.25, 3.0, -3.0])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_initial_and_input_have_gradients(name, start):
    reduce = REDUCTIONS[name]
    check(lambda x, w: reduce(x, axis=1, initial=w), leaf(X), leaf(start))
    check(lambda x, w: reduce(x, axis=0, keepdims=True, initial=w[0] * w[1]), leaf(X), leaf([start, 1.0]))
    check(lambda x, w: reduce(x, axis=1, initial=w, where=np.array(MASK)), leaf(X), leaf(start))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "add.reduce", "maximum.reduce", "logaddexp.reduce"])
def test_initial_has_a_gradient_where_the_input_has_none(name):
    check(lambda w: REDUCTIONS[name](np.array(X), axis=1, initial=w), leaf(3.0))


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_initial_of_complex_reductions(name):
    check(lambda x, w: REDUCTIONS[name](x, axis=1, initial=w), leaf([[0.5 + 1j, 2 - 1j]], np.complex128), leaf(1 - 2j, np.complex128))


def test_initial_of_a_product_with_zeros():
    check(lambda x, w: np.prod(x, initial=w), leaf([0.0, 2.0]), leaf(3.0))


def test_initial_of_nothing():
    for reduce in (np.sum, np.max):
        x, w = leaf(np.zeros((0,)).tolist()), leaf(3.0)
        reduce(x, initial=w)._backward()
        assert w._grad.tolist() == 1.0


def test_initial_counts_as_one_of_equal_extrema():
    for reduce in (np.max, np.maximum.reduce, np.min):
        x, w = leaf([2.0, 2.0, 2.0]), leaf(2.0)
        reduce(x, initial=w)._backward()
        assert x._grad.tolist() == [0.25, 0.25, 0.25] and w._grad.tolist() == 0.25
        x = leaf([0.0, 0.0])
        reduce(x, initial=0)._backward()
        assert x._grad.tolist() == [1 / 3, 1 / 3]


def test_initial_of_another_dtype_is_compared_as_it_was_used():
    x, w = leaf([1.0], np.float32), leaf(5.1)
    np.max(x, initial=w)._backward()
    assert x._grad.tolist() == [0.0] and w._grad.tolist() == 1.0


# --- arguments of compositions

def test_values_of_margins_have_gradients():
    check(lambda x, w: np.pad(x, 1, constant_values=w[0] * 3), leaf([2.0, 1.5]), leaf([1.0]))
    check(lambda x, w: np.pad(x, ((1, 2), (0, 1)), constant_values=w), leaf(X), leaf([[1.0, 2.0], [0.5, -1.0]]))
    check(lambda x, w: np.pad(x, (2, 3), mode="linear_ramp", end_values=w), leaf([2.0, 1.5]), leaf([1.0, -0.5]))


def test_kaiser_has_a_gradient():
    check(lambda b: np.kaiser(5, b), leaf(2.0))
    check(lambda b: np.kaiser(4, b), leaf(20.0))


@pytest.mark.parametrize("ddof", [None, 0, 2])
def test_cov_differentiates_by_weights(ddof):
    m, w = [[1.0, 3.0, -1.0, 0.5], [2.0, 7.0, 0.0, 1.0]], [2.0, 1.5, 0.5, 1.0]
    check(lambda m, w: np.cov(m, aweights=w, ddof=ddof), leaf(m), leaf(w))
    check(lambda m, w: np.cov(m, aweights=w, fweights=[1, 2, 3, 1], ddof=ddof), leaf(m), leaf(w))
    check(lambda m, y: np.cov(m, y, ddof=ddof), leaf(m), leaf(m[0]))


def test_geomspace_differentiates_by_both_ends():
    check(lambda x: np.geomspace(x[0], x[1], 4), leaf([1.5, 7.0]))
    check(lambda x: np.geomspace(x[0], x[1], 4, endpoint=False), leaf([-1.5, -7.0]))
    check(lambda x, y: np.geomspace(x, y, 3, axis=-1), leaf([1.5, 7.0]), leaf(2.0))
    assert np.geomspace(leaf(2.0), 3.0, 1).tolist() == [2.0] and np.geomspace(leaf(2.0), 3.0, 0).shape == (0,)


def test_arange_differentiates_by_start_and_step():
    check(lambda x: np.arange(x[0], x[0] + 3), leaf([0.25]))
    check(lambda x: np.arange(x[0], 3.0, x[1]), leaf([0.25, 0.7]))
    x = leaf([0.1, 0.7])
    assert np.arange(x[0], 3.0, x[1]).tolist() == np.arange(0.1, 3.0, 0.7).tolist()


def test_histogram_edges_have_gradients():
    check(lambda x: np.histogram_bin_edges(x, 3), leaf([1.0, 2.0, 4.0]))
    check(lambda x: np.histogram(x, 3, density=True), leaf([1.0, 2.2, 4.0, 3.5]))
    check(lambda x, r: np.histogram(x, 3, range=(r[0], r[1])), leaf([1.0, 2.0, 4.0]), leaf([0.5, 6.0]))
    check(lambda x, w: np.histogram(x, 3, weights=w, density=True), leaf([1.0, 2.2, 4.0, 3.5]), leaf([1.0, 2.0, 3.0, 4.0]))


def test_python_functions_over_elements_keep_gradients():
    check(lambda x: np.vectorize(lambda v: v * v)(x), leaf(X))
    check(lambda x, y: np.vectorize(lambda a, b: (a * b, np.sin(a)))(x, y), leaf(X), leaf([1.0, 2.0, 3.0]))
    check(lambda x: np.fromiter((v * v for v in x), float), leaf([1.0, 2.0, 3.0]))
    check(lambda x: np.fromiter([1.0, x[0], 2.0, x[1]], float, count=4), leaf([1.0, 2.0]))
    assert np.fromiter((int(v) for v in leaf([1.0, 2.0])), int).tolist() == [1, 2]


# --- linear algebra

A, TALL = [[2.0, 1.0, 0.5], [0.3, -1.0, 2.0]], [[2.0, 0.3], [1.0, -1.0], [0.5, 2.0]]


def test_least_squares_differentiate_for_full_rank():
    check(lambda a, b: np.linalg.lstsq(a, b)[0], leaf(TALL), leaf([1.0, 2.0, 3.0]))
    check(lambda a, b: np.linalg.lstsq(a, b)[0], leaf(A), leaf([[1.0, 2.0], [0.5, 1.5]]))
    check(lambda a, b: (np.linalg.lstsq(a, b)[1], np.linalg.lstsq(a, b)[3]), leaf(TALL), leaf([1.0, 2.0, 3.0]))
    complex_tall = leaf([[2.0 + 1j, 0.3], [1.0, -1.0 - 1j], [0.5j, 2.0]], np.complex128)
    check(lambda a, b: np.linalg.lstsq(a, b)[0], complex_tall, leaf([1.0j, 2.0, 3.0], np.complex128))


def test_least_squares_of_lower_rank_have_no_derivative():
    with pytest.raises(NotImplementedError, match="rank 1"):
        np.linalg.lstsq(leaf([[1.0, 2.0], [2.0, 4.0]]), np.ones(2))


def test_recorded_least_squares_have_the_same_values():
    for a in (A, TALL, [[2.0, 1.0], [0.5, 1.0]]):
        plain = np.linalg.lstsq(np.array(a), np.ones(len(a)))
        for p, r in zip(plain, np.linalg.lstsq(leaf(a), np.ones(len(a)))):
            assert r.shape == p.shape and r.dtype == p.dtype and np.allclose(p, r)


def test_polyfit_differentiates():
    x, y = [0.0, 1.0, 2.5, 3.0], [1.0, 0.5, -1.0, 2.0]
    check(lambda x, y: np.polyfit(x, y, 2), leaf(x), leaf(y))
    check(lambda y, w: np.polyfit(np.array(x), y, 1, w=w), leaf(y), leaf([1.0, 2.0, 0.5, 1.5]))
    check(lambda y: np.polyfit(np.array(x), y, 1, cov=True), leaf(y))


def test_qr_of_wide_matrices_differentiates():
    for mode in ("reduced", "complete", "r"):
        check(lambda a, mode=mode: np.linalg.qr(a, mode), leaf(A))
    check(lambda a: np.linalg.qr(a), leaf([[2.0 + 1j, 1.0, 0.5j], [0.3, -1.0, 2.0 - 1j]], np.complex128))
    check(lambda a: np.linalg.qr(a), leaf([A, [[1.0, 0.0, 1.0], [1.0, 2.0, 3.0]]]))
    for plain, recorded in zip(np.linalg.qr(np.array(A)), np.linalg.qr(leaf(A))):
        assert np.allclose(plain, recorded)


def test_matrix_product_in_place():
    def times(x, m):
        y = x * 1
        y @= m
        return y

    def part(x, m):
        y = x * 1
        y[:, :2] @= m
        return y

    m = leaf([[1.0, 2.0], [0.5, -1.0]])
    check(times, leaf([[1.0, 2.0], [3.0, 4.0]]), m)
    check(part, leaf(X), m)
    def by_itself(x):
        y = x * 1
        y @= y
        return y

    check(by_itself, m)
    with pytest.raises(ValueError, match="shape"):
        y = leaf([[1.0, 2.0]]) * 1
        y @= leaf([[1.0], [2.0]])


# --- numbers that are arrays

def test_fill_and_clamp_of_torch_take_tensors():
    w = torch_np.tensor([2.0, 3.0], requires_grad=True)
    torch_np.ones(2).fill_(w[0]).sum().backward()
    assert w.grad.tolist() == [2.0, 0.0]
    w.grad = None
    torch_np.clamp(torch_np.tensor([1.0, 5.0, 7.0]), max=w[0]).sum().backward()
    assert w.grad.tolist() == [2.0, 0.0]
    with pytest.raises(RuntimeError, match="no dimensions"):
        torch_np.ones(2).fill_(w)
    assert torch_np.ones(2).fill_(4).tolist() == [4.0, 4.0] == torch_np.ones(2).fill_(torch_np.tensor(4)).tolist()


def test_clamp_in_place():
    def by_numbers(t):
        return (t * 1).clamp_(-0.5, 1.0)

    def by_tensors(t, low, high):
        y = t * 1
        y[1:].clamp_(low, high)
        return y.clamp_(max=high)

    t = torch_np.tensor([-1.0, 0.5, 2.0, 0.75], dtype=torch_np.float64, requires_grad=True)
    low, high = (torch_np.tensor(v, dtype=torch_np.float64, requires_grad=True) for v in (-0.25, 1.5))
    check(by_numbers, t)
    check(by_tensors, t, low, high)
    assert torch_np.tensor([1, 5]).clamp_(2, 3).tolist() == [2, 3]
    for change in (lambda: torch_np.tensor([7]).clamp_(max=1.5),):
        with pytest.raises(RuntimeError, match="result type .* can't be cast to the desired output type"):
            change()


@pytest.mark.parametrize(("call", "argument"), [
    (lambda w: np.var(np.ones(3), ddof=w[0]), "ddof"),
    (lambda w: np.std(np.ones(3), correction=w[0]), "correction"),
    (lambda w: torch_np.full((2,), w._torch()[0]), "fill_value"),
    (lambda w: torch_np.add(torch_np.ones(2), torch_np.ones(2), alpha=w._torch()[0]), "alpha"),
    (lambda w: torch_np.linspace(w._torch()[0], 1, 3), "start"),
    (lambda w: torch_np.linalg.vector_norm(torch_np.ones(2), w._torch()[0]), "ord"),
])
def test_what_takes_a_number_says_that_it_has_no_derivative(call, argument):
    w = leaf([0.5, 1.0])
    with pytest.raises(NotImplementedError, match=f"derivative with respect to {argument}"):
        call(w)
    with torch_np.no_grad():
        call(w)
    call(w._detach())


# --- Python numbers beside float64 Tensors

UNARY_OF_NUMBERS = ["pow", "div", "mul", "sub", "add", "atan2", "logaddexp", "logaddexp2", "remainder", "fmod",
                    "float_power", "maximum", "minimum", "fmax", "fmin", "copysign"]


@pytest.mark.parametrize("name", UNARY_OF_NUMBERS)
@pytest.mark.parametrize("number", [2.3, 0.1, 3])
def test_numbers_beside_double_tensors_stay_double(name, number):
    """The gradient with a Python number equals the one with a float64 tensor of that value, to the
    last bit."""
    function = getattr(torch_np, name)
    for swap in (False, True):
        found = []
        for other in (number, torch_np.tensor(number, dtype=torch_np.float64)):
            x = torch_np.tensor([0.5, 1.7, 3.1], dtype=torch_np.float64, requires_grad=True)
            try:
                y = function(other, x) if swap else function(x, other)
            except TypeError:
                continue  # not with a number in front
            g, = torch_np.autograd.grad(y.sum(), [x], create_graph=True)
            found.append(g.tolist())
            if g.requires_grad:
                found[-1] += torch_np.autograd.grad(g.sum(), [x])[0].tolist()
        assert len(found) < 2 or found[0] == found[1]


def test_powers_of_double_tensors_have_double_gradients():
    x = torch_np.tensor([0.5, 1.7], dtype=torch_np.float64, requires_grad=True)
    torch_np.pow(x, 2.3).sum().backward()
    assert x.grad.tolist() == pytest.approx([2.3 * 0.5 ** 1.3, 2.3 * 1.7 ** 1.3], rel=1e-15)


def test_variances_of_many_elements_have_double_gradients():
    x = torch_np.arange(5, dtype=torch_np.float64).requires_grad_()
    torch_np.var(x, correction=0.1).backward()
    assert x.grad.tolist() == pytest.approx([2 * (v - 2.0) / 4.9 for v in range(5)], rel=1e-15)
