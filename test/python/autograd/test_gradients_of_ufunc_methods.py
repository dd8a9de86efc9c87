"""Gradients of reduce, accumulate, reduceat and at of ufuncs, also where no operator exists for the
method."""

import pytest
from leaves import leaf

import torch_np.numpy as np
from torch_np.autograd import gradcheck, gradgradcheck

X = [[0.5, 1.25, 2.0, 0.75], [1.5, 0.35, 0.9, 1.1], [0.6, 2.2, 1.7, 0.4]]
NAMES = ["add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2", "hypot",
         "arctan2", "fmod", "remainder", "copysign", "float_power"]



def check(function, *inputs):
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_reduce(name):
    f = getattr(np, name)
    for axis in (0, 1):
        check(lambda x, axis=axis: f.reduce(x, axis=axis), leaf(X))
    check(lambda x: f.reduce(x[:, ::-1], axis=1, keepdims=True), leaf(X))
    check(lambda x: f.reduce(x[:1]), leaf(X))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logaddexp", "hypot", "fmax"])
def test_reduce_over_several_axes(name):
    f = getattr(np, name)
    check(lambda x: f.reduce(x, axis=(0, 1)), leaf(X))
    check(lambda x: f.reduce(x, axis=None), leaf(X))


@pytest.mark.parametrize("name", NAMES)
def test_accumulate(name):
    f = getattr(np, name)
    for axis in (0, 1):
        check(lambda x, axis=axis: f.accumulate(x, axis=axis), leaf(X))


@pytest.mark.parametrize("name", NAMES)
def test_reduceat(name):
    f = getattr(np, name)
    check(lambda x: f.reduceat(x, [0, 2, 1], axis=1), leaf(X))


@pytest.mark.parametrize("name", NAMES)
def test_at(name):
    f = getattr(np, name)

    def at(x, y, places):
        z = x * 1
        f.at(z, places, y)
        return z

    check(lambda x, y: at(x, y, [0, 2, 0, 0]), leaf(X[0]), leaf([1.7, 0.45, 2.5, 0.77]))
    check(lambda x, y: at(x, y, (slice(None), 1)), leaf(X), leaf(1.45))
    check(lambda y: at(np.array(X), y, np.array(X) > 1), leaf(1.45))


def test_at_of_unary_functions_counts_repeated_places():
    def at(x):
        y = x * 1
        np.sin.at(y, [1, 1, 3])
        return y

    check(at, leaf(X[0]))
    y = leaf([0.1, 1.0]) * 1
    np.sin.at(y, [1, 1])
    assert y.tolist() == pytest.approx([0.1, float(np.sin(np.sin(1.0)))])


def test_at_through_a_view():
    def at(x, y):
        z = x * 1
        np.add.at(z.T[::2], [0, 0, 1], y)
        return z

    check(at, leaf(X), leaf([1.0, 2.0, 3.0]))


def test_at_refuses_leaves_and_lossy_casts():
    with pytest.raises(RuntimeError, match="leaf"):
        np.add.at(leaf([1.0]), [0], 1.0)
    with pytest.raises(TypeError, match="same_kind"):
        np.add.at(np.zeros(2, int), [0], leaf([1.5]))


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_of_equal_running_extrema_the_last_has_the_gradient(name):
    x = leaf([2.0, 2.0, 2.0])
    getattr(np, name).accumulate(x).sum()._backward()
    assert x._grad.tolist() == [1.0, 1.0, 1.0]
    x = leaf([float("nan"), 1.0])
    getattr(np, name).accumulate(x)[1:].sum()._backward()
    assert x._grad.tolist() == ([0.0, 1.0] if name.startswith("f") else [1.0, 0.0])


def test_recorded_folds_have_the_values_of_others():
    for name in NAMES:
        f, x = getattr(np, name), np.array(X)
        for method, args in (("reduce", ()), ("accumulate", ()), ("reduceat", ([0, 2, 1],))):
            plain, recorded = getattr(f, method)(x, *args), getattr(f, method)(leaf(X), *args)
            assert recorded._requires_grad and np.allclose(recorded, plain, rtol=1e-14)


def test_comparisons_fold_without_a_gradient():
    assert np.logical_xor.reduce(leaf([1.0, 0.0])) is np.True_
