"""Gradients in limit cases of formulas: equal eigenvalues, unused results, arrays that change after
they were saved."""

import copy
import math
import pickle

import pytest
from leaves import leaf

import torch_np
import torch_np.numpy as np



def gradient(function, x):
    function(x)._backward()
    return x._grad.tolist()


# --- equal eigenvalues and singular values

IDENTITY = [[1.0, 0.0], [0.0, 1.0]]
OF_EQUAL_VALUES = {
    "eigvalsh": (lambda a: np.linalg.eigvalsh(a).sum(), IDENTITY),
    "eigh": (lambda a: np.linalg.eigh(a)[0].sum(), IDENTITY),
    "eigh of upper": (lambda a: np.linalg.eigh(a, UPLO="U")[0].sum(), IDENTITY),
    "eigvals": (lambda a: np.linalg.eigvals(a).sum(), IDENTITY),
    "eig": (lambda a: np.linalg.eig(a)[0].sum(), IDENTITY),
    "svdvals": (lambda a: np.linalg.svdvals(a).sum(), IDENTITY),
    "svd": (lambda a: np.linalg.svd(a)[1].sum(), IDENTITY),
    "nuclear norm": (lambda a: np.linalg.norm(a, "nuc"), IDENTITY),
    "spectral norm": (lambda a: np.linalg.norm(2 * a, 2), IDENTITY),  # a tie: both singular values share the gradient
    "sum of squares": (lambda a: (np.linalg.eigvalsh(a) ** 2).sum() / 2, IDENTITY),
}


@pytest.mark.parametrize("name", OF_EQUAL_VALUES)
def test_values_have_a_gradient_where_they_coincide(name):
    function, expected = OF_EQUAL_VALUES[name]
    for row, wanted in zip(gradient(function, leaf(IDENTITY)), expected):
        assert row == pytest.approx(wanted)


@pytest.mark.parametrize("name", ["svd", "svdvals"])
@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_singular_values_of_a_rectangle_need_no_gradient_of_the_vectors(name, shape):
    x = leaf(np.eye(*shape).tolist())
    values = np.linalg.svd(x)[1] if name == "svd" else np.linalg.svdvals(x)
    values.sum()._backward()
    assert x._grad.ravel().tolist() == pytest.approx(np.eye(*shape).ravel().tolist())


def test_unused_results_of_a_factorisation_count_as_zero():
    a = leaf([[2.0, 1.0], [1.0, 3.0]])
    assert gradient(lambda a: np.linalg.slogdet(a)[0], a) == [[0.0, 0.0], [0.0, 0.0]]
    a = leaf([[2.0, 0.0], [0.0, 3.0]])
    assert gradient(lambda a: np.linalg.slogdet(a)[1], a) == [[pytest.approx(1 / 2), 0.0], [0.0, pytest.approx(1 / 3)]]
    for part in (0, 1):
        a = leaf([[2.0, 1.0], [1.0, 3.0], [0.5, 1.0]])
        assert all(math.isfinite(g) for row in gradient(lambda a, part=part: (np.linalg.qr(a)[part] ** 3).sum(), a) for g in row)


def test_unused_results_of_a_pointwise_operator_count_as_zero():
    for function in (np.divmod, lambda x, y: np.modf(x)):
        for part in (0, 1):
            x, y = leaf([5.5]), leaf([2.0])
            function(x, y)[part].sum()._backward()
            assert math.isfinite(x._grad.tolist()[0])


# --- arrays that change after they were saved

def set_shape(x):
    x.shape = (1, 3)


def set_dtype(x):
    x.dtype = np.int64


def resize(x):
    x.resize((5,), refcheck=False)


def set_state(x):
    x.__setstate__(np.zeros(3).__reduce__()[2])


def set_strides(x):
    with pytest.warns(DeprecationWarning):
        x.strides = (0,)


CHANGES = [set_shape, set_dtype, set_strides, resize, set_state]


@pytest.mark.parametrize("change", CHANGES)
def test_an_array_in_a_graph_keeps_shape_dtype_and_memory(change):
    x = leaf([1.0, 2.0, 3.0])
    y = (x * x).sum()
    with pytest.raises(RuntimeError, match="gradients are computed for"):
        change(x)
    y._backward()
    assert x.shape == (3,) and x._grad.tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("change", CHANGES)
def test_so_does_one_that_no_longer_requires_grad_while_the_graph_lives(change):
    x = leaf([1.0, 2.0, 3.0])
    y = (x * x).sum()
    x._requires_grad = False
    with pytest.raises(RuntimeError, match="gradients are computed for"):
        change(x)
    del y
    change(x)


@pytest.mark.parametrize("change", [set_shape, set_dtype])
def test_so_do_results_and_views(change):
    x = leaf([1.0, 2.0, 3.0])
    for y in (x * 2, (x * 2)[...], x[:]):
        with pytest.raises(RuntimeError, match="gradients are computed for"), torch_np.no_grad():
            change(y)


@pytest.mark.parametrize("change", CHANGES)
def test_an_operand_without_gradient_may_change(change):
    x, w = np.array([1.0, 2.0, 3.0]), leaf([1.0, 1.0, 1.0])
    y = (x * w).sum()
    change(x)
    y._backward()
    assert w._grad.tolist() == [1.0, 2.0, 3.0]


def test_the_state_of_a_torch_tensor_in_a_graph_stays():
    x = torch_np.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="gradients are computed for"):
        x.__setstate__(torch_np.zeros(2).__reduce__()[2])


def test_leaves_are_still_pickled_and_copied():
    x = leaf([1.0, 2.0])
    for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert twin._requires_grad and twin.tolist() == x.tolist()


# --- several values for one position

def test_of_several_values_for_one_place_the_last_has_the_gradient():
    x, w = np.zeros(2), leaf([5.0, 7.0])
    x[[0, 0]] = w
    x.sum()._backward()
    assert x.tolist() == [7.0, 0.0] and w._grad.tolist() == [0.0, 1.0]


def test_the_same_through_every_function_that_writes_by_index():
    def put(x, w):
        np.put(x, [1, -1, 1], w)

    def put_along_axis(x, w):
        np.put_along_axis(x, np.array([1, 1, 1]), w, 0)

    def torch_index_put(x, w):
        x._torch().index_put_((torch_np.tensor([1, 1, 1]),), w._torch())

    for write in (put, put_along_axis, torch_index_put):
        x, w = np.zeros(2), leaf([5.0, 7.0, 9.0])
        write(x, w)
        x.sum()._backward()
        assert w._grad.tolist() == [0.0, 0.0, 1.0], write


def test_accumulated_values_all_have_the_gradient():
    x, w = torch_np.zeros(2), torch_np.tensor([5.0, 7.0], requires_grad=True)
    x.index_put_((torch_np.tensor([0, 0]),), w, accumulate=True)
    x.sum().backward()
    assert x.tolist() == [12.0, 0.0] and w.grad.tolist() == [1.0, 1.0]


# --- in place on views, twice differentiated

IN_PLACE = {
    "div_": lambda v, x: v.div_(x), "exp_": lambda v, x: v.exp_(), "tanh_": lambda v, x: v.tanh_(), "sqrt_": lambda v, x: v.sqrt_(),
    "sigmoid_": lambda v, x: v.sigmoid_(), "reciprocal_": lambda v, x: v.reciprocal_(), "expm1_": lambda v, x: v.expm1_(),
    "copysign_": lambda v, x: v.copysign_(x), "mul_": lambda v, x: v.mul_(x), "log_": lambda v, x: v.log_(),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("retain", [True, False])
def test_second_derivatives_through_in_place_operations_on_views(name, retain):
    """The graph of the first gradient refers to the operation's saved tensors, also after the
    base's node ran again."""
    found = []
    for part in (lambda y: y[:], lambda y: y):  # a view, and the whole
        x = torch_np.tensor([0.5, 1.5], dtype=torch_np.float64, requires_grad=True)
        y = x * 1
        v = part(y)
        IN_PLACE[name](v, x)
        first, = torch_np.autograd.grad((v * v).sum(), [x], create_graph=True)
        second, = torch_np.autograd.grad((first * first).sum(), [x], retain_graph=retain)
        found.append(first.tolist() + second.tolist())
    assert found[0] == pytest.approx(found[1])


def test_a_view_changed_in_place_frees_its_graph_after_backward():
    x = leaf([0.5, 1.5])
    y = x * 1
    v = y[:]
    v /= x
    loss = (v * v).sum()
    loss._backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss._backward()


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_second_derivatives_where_operands_are_equal(name):
    from torch_np.autograd import gradgradcheck
    assert gradgradcheck(getattr(np, name), [leaf([1.5, 0.25]), leaf([1.5, 0.25])], atol=1e-4)


def test_gradients_that_show_one_element_often_are_not_added_in_place():
    class Spread(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad.sum().expand(3).detach()

    x = torch_np.zeros(3, requires_grad=True)
    y = x * 1.0
    ((Spread.apply(y) * torch_np.tensor([1.0, 0.0, 2.0])).sum() + (y * torch_np.tensor([1.0, 2.0, 3.0])).sum()).backward()
    assert x.grad.tolist() == [4.0, 5.0, 6.0]


@pytest.mark.parametrize("refused", [
    lambda b: np.add(np.ones(2), np.ones(3), out=b), lambda b: np.add(np.ones(3), 1j, out=b), lambda b: np.sum(np.ones((2, 2)), axis=0, out=b),
    lambda b: np.max(np.ones((0, 3)), axis=0, out=b)])
def test_a_refused_out_keeps_its_version(refused):
    a = np.ones(3)
    a._requires_grad = True
    b = np.full(3, 2.0)
    y = (a * b).sum()
    with pytest.raises((ValueError, TypeError)):
        refused(b)
    y._backward()
    assert a._grad.tolist() == [2, 2, 2]


@pytest.mark.parametrize("shifts, dims", [(-2 ** 63, None), (-2 ** 63, 0), ((-2 ** 63, 2 ** 63 - 1), (0, 1)), ((1, -2 ** 63), (1, 0))])
def test_the_gradient_of_a_roll_by_the_least_integer_rolls_back(shifts, dims):
    x = torch_np.arange(15.0).reshape(3, 5).requires_grad_()
    torch_np.roll(x, shifts, dims).backward(torch_np.roll(x.detach(), shifts, dims))
    assert torch_np.equal(x.grad, x.detach())
