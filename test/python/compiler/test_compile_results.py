"""torch_np.compile: which objects a call returns. A replay returns new objects where the function makes new ones, the same object where the
function returns it twice, and the caller's object where the function returns that."""
from __future__ import annotations

import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def called(function, *args, times=3):
    compiled = torch_np.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [compiled(*args) for _ in range(times)], compiled.statistics()


def test_an_object_that_is_returned_twice_is_one_object():
    def f(x):
        a, b = x * 2, [x * 3]
        d = {"a": a}
        return a, [a, b], b, d, {"d": d}
    results, s = called(f, np.ones(2))
    for a, (again, b), same_b, d, outer in results:
        assert a is again and b is same_b and d["a"] is a and outer["d"] is d
    assert s["replayed"] == 2


def test_the_result_of_one_call_is_no_part_of_the_next():
    results, _ = called(lambda x: (x * 2, [x * 3]), np.ones(2))
    assert len({id(r[0]) for r in results} | {id(r[1]) for r in results}) == 6


@pytest.mark.parametrize("through", ["other face", "same face"])
def test_an_argument_that_is_returned(through):
    x = np.ones(2)
    argument = x._torch() if through == "other face" else x
    results, s = called(lambda v: (v._np_compat() if through == "other face" else v, v * 2), argument)
    assert all(r[0] is x for r in results) and s["replayed"] == 2


@pytest.mark.parametrize("through", ["other face", "same face"])
def test_an_array_from_outside_that_is_returned(through):
    w = np.ones(2)
    results, s = called(lambda v: (w._torch() if through == "other face" else w, v * 2), np.ones(2))
    assert all(r[0] is (w._torch() if through == "other face" else w) for r in results) and s["replayed"] == 2


@pytest.mark.parametrize("view", ["detach", "view"])
def test_each_call_makes_its_own_view_of_an_array_from_outside(view):
    t = torch_np.ones(2)
    results, s = called(lambda x: t.detach() if view == "detach" else t[:1], np.ones(2))
    assert s["replayed"] == 2
    results[1].requires_grad_() if view == "detach" else results[1].resize_(0)
    assert not results[2].requires_grad and results[2].numel() == results[0].numel() and len(set(map(id, results))) == 3
    results[2].add_(1)
    assert t[0] == 2


@pytest.mark.parametrize("container", [[2.0], {"a": 2.0}])
@pytest.mark.parametrize("place", ["outside", "argument", "nested"])
def test_a_container_of_the_caller_that_is_returned(container, place):
    held = [container]
    function = {"outside": lambda x, c: (x * 2, container), "argument": lambda x, c: (x * 2, c), "nested": lambda x, c: (x * 2, held[0])}[place]
    results, s = called(function, np.ones(2), container)
    assert all(r[1] is container for r in results)
    assert len(s["reasons"]) == 1 and "from outside the function, which a caller may change" in s["reasons"][0]


def test_containers_that_the_caller_passes_or_has_keep_their_numbers():
    held = []

    def f(x):
        held[:] = [x.sum()]
        return held
    with pytest.warns(RuntimeWarning, match="runs uncompiled"):
        assert torch_np.compile(f)(np.ones(2)) is held
    assert type(held[0]) is numpy.float64


def test_a_result_that_contains_itself():
    def f(x):
        a = [x * 2]
        a.append(a)
        return a
    results, s = called(f, np.ones(2))
    assert all(r[1] is r for r in results) and s["reasons"] == ["a result that contains itself"]


@pytest.mark.parametrize("make", [lambda: np.array([2.0, 3.0]), lambda: torch_np.tensor([2.0, 3.0]), lambda: np.array([[2.0], [3.0]]).T[:, ::-1], lambda: np.array(2.0, ndmin=1)])
def test_an_array_of_python_numbers_is_new_in_each_call(make):
    compiled = torch_np.compile(lambda x: (make(), x * make()))
    expected = numpy.array(make())
    for _ in range(3):
        constant, product = compiled(np.ones(expected.shape))
        assert numpy.array_equal(numpy.array(constant), expected) and numpy.array_equal(numpy.array(product), expected)
        constant[...] = 7
    assert compiled.statistics()["replayed"] == 2


def test_views_of_an_array_of_python_numbers():
    def f(x):
        a = np.array([1.0, 2.0, 3.0])
        return a, a[::-1], a[1:], x
    results, s = called(f, np.ones(2))
    for a, reverse, part, _ in results:
        assert reverse.strides == (-8,) and part.tolist() == [2.0, 3.0]
        a[1] = 7
        assert reverse.tolist() == [3.0, 7.0, 1.0] and part[0] == 7
    assert s["replayed"] == 2


def test_a_view_follows_its_base_as_the_functions_view_does():
    t = torch_np.ones(2)
    views, s = called(lambda x: t.T, np.ones(2))
    with torch_np.no_grad():
        others, _ = called(lambda x: t.T, np.ones(2))
    t.requires_grad_(True)
    assert [v.requires_grad for v in views] == [True] * 3 and [v.requires_grad for v in others] == [False] * 3 and s["replayed"] == 2


@pytest.mark.parametrize("from_outside", [False, True])
def test_a_view_of_a_detached_array_requires_no_gradient(from_outside):
    t = torch_np.ones(2, requires_grad=True)
    results, s = called(lambda x: ((t if from_outside else x).detach()[:1], x.detach()), t)
    assert s["replayed"] == 2 and not any(r.requires_grad for pair in results for r in pair)


def test_gradients_of_a_result_that_is_returned_twice():
    compiled = torch_np.compile(lambda x: (lambda y: [y, y])(x * x))
    for _ in range(4):
        x = torch_np.tensor([2.0, 3.0], requires_grad=True)
        a, b = compiled(x)
        assert a is b
        (a + b * 2).sum().backward()
        assert x.grad.tolist() == [12.0, 18.0]
    assert compiled.statistics()["replayed"] == 3 and compiled.statistics()["backwards"] >= 2


@pytest.mark.parametrize("make", [lambda a: (a, a), lambda a: (a, a[::-1]), lambda a: (a[1:], a[:-1])])
def test_the_same_numpy_array_twice(make):
    def f(x, y):
        a = np.array(y)
        b = np.empty(x.shape)
        b[...] = y * 2
        x[...] = a + b
        y += x
    compiled = torch_np.compile(f)
    for _ in range(4):
        first, second = numpy.arange(6.0), numpy.arange(6.0)
        f(*map(np.asarray, make(first)))
        compiled(*make(second))
        assert first.tolist() == second.tolist()
    assert compiled.statistics()["replayed"] >= 2


def test_a_path_that_is_not_taken_does_not_warn():
    def f(x):
        return x * numpy.inf if x.any() else x
    compiled = torch_np.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (np.ones(2), np.zeros(2), np.ones(2), np.zeros(2)):
            assert compiled(x).tolist() == f(x).tolist()


@pytest.mark.parametrize("change", [lambda o, v: setattr(o, "v", v), lambda o, v: setattr(o, "".join(["v"]), v), lambda o, v: object.__setattr__(o, "v", v), lambda o, v: o.__dict__.update(v=v)])
def test_an_attribute_that_the_function_sets(change):
    class C:
        v = 1.0
    o = C()

    def f(x):
        change(o, 5.0)
        return x * 2
    compiled = torch_np.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            o.v = 2.0
            compiled(np.ones(2))
            assert o.v == 5.0


def test_a_class_attribute_that_the_function_sets():
    class C:
        v = 1.0

    def f(x):
        setattr(C, "v", 5.0)  # noqa: B010
        return x * 2
    compiled = torch_np.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            C.v = 2.0
            compiled(np.ones(2))
            assert C.v == 5.0


def test_results_that_were_views_when_recorded():
    f = torch_np.compile(lambda x: (np.flatnonzero(x), np.argwhere(x)))
    for _ in range(4):
        for result in f(np.array([[1.0, 0.0], [2.0, 3.0]])):
            result[...] = 7
            assert (result == 7).all()
