"""Operators compute in place in large temporaries of an expression, and in nothing else: Note
[Temporaries]."""
import ctypes
import functools
import itertools
import operator

import numpy
import pytest

import torch_np
import torch_np.numpy as np

N = 100_000  # 800 kB of float64: large enough


@pytest.fixture(autouse=True)
def operators_run_at_once():
    """Turns fusion off: pending results need no temporaries."""
    with torch_np.fusion.off():
        yield


def fresh(value=1.0, n=N, dtype="f8"):
    return np.full(n, value, dtype)


def allocations(work):
    before = torch_np.cpu.memory_stats()["allocations"]
    result = work()
    return torch_np.cpu.memory_stats()["allocations"] - before, result


def test_an_expression_allocates_once():
    a, b, c = fresh(2.0), fresh(3.0), fresh(5.0)
    a * b + c - a  # the dispatcher chooses loops here
    count, result = allocations(lambda: a * b + c - a)
    assert count == 1
    numpy.testing.assert_array_equal(numpy.asarray(result), numpy.full(N, 9.0))
    assert float(a[0]) == 2 and float(b[0]) == 3 and float(c[0]) == 5


def test_the_right_operand_may_be_the_temporary():
    a, b = fresh(2.0), fresh(3.0)
    a - a * b
    count, result = allocations(lambda: a - a * b)
    assert count == 1
    numpy.testing.assert_array_equal(numpy.asarray(result), numpy.full(N, -4.0))


def test_numbers_and_smaller_operands_broadcast_into_it():
    a, row = fresh(2.0, N).reshape(-1, 100), np.arange(100.0)
    expected = (numpy.full((N // 100, 100), 2.0) * 3 + numpy.arange(100.0)) / 2
    for _ in range(2):
        numpy.testing.assert_array_equal(numpy.asarray((a * 3 + row) / 2), expected)


def test_a_larger_operand_makes_a_new_array():
    a = np.ones((1, N))
    for _ in range(2):
        assert ((a * 2) + np.ones((3, N))).shape == (3, N)


@pytest.mark.parametrize("left, right", [("f4", "f8"), ("i4", "f8"), ("i4", "i8"), ("f4", "c8"), ("?", "i8"), ("i8", "f4")])
def test_the_result_has_the_promoted_dtype(left, right):
    a, b = fresh(1, dtype=left), fresh(1, dtype=right)
    x, y = numpy.ones(N, left), numpy.ones(N, right)
    for _ in range(2):
        for ours, theirs in (((a + a) + b, (x + x) + y), (b + (a + a), y + (x + x)), ((a * 1) / (b * 1), (x * 1) / (y * 1)),
                             ((a + a) == (b + b), (x + x) == (y + y))):
            assert ours.dtype == theirs.dtype
            numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_names_views_and_containers_keep_their_arrays():
    a = fresh(1.0)
    a + a
    kept = [a + a]
    view = (a + a)[10:]
    total = kept[0] + 1
    assert float(kept[0][0]) == 2 and float(total[0]) == 3
    shifted = view + 1
    assert float(view[0]) == 2 and float(shifted[0]) == 3
    t = (a + a)._torch()
    u = t + 1
    assert float(t[0]) == 2 and float(u[0]) == 3
    x = numpy.asarray(a + a)
    y = np.asarray(x) + 1
    assert x[0] == 2 and float(y[0]) == 3


def test_a_temporary_that_a_gradient_needs_is_kept():
    a = np.full(N, 3.0, _requires_grad=True)
    ((a * a) * a).sum()._backward()
    numpy.testing.assert_array_equal(numpy.asarray(a._grad), numpy.full(N, 27.0))


def test_divmod_of_temporaries_reads_both_twice():
    a = fresh(7.0)
    a + a, a - 4
    for _ in range(2):
        q, r = divmod(a + a, a - 4)
        assert float(q[0]) == 4 and float(r[0]) == 2


def test_a_foreign_caller_keeps_its_operand():
    """An extension holds the only reference, adds to the array, and reads it afterwards."""
    a = fresh(2.0)
    a + a
    add = ctypes.pythonapi.PyNumber_Add
    add.restype, add.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    ctypes.pythonapi.Py_IncRef.argtypes = ctypes.pythonapi.Py_DecRef.argtypes = [ctypes.c_void_p]
    operand = a + a
    address = id(operand)
    ctypes.pythonapi.Py_IncRef(address)
    storage = operand.__array_interface__["data"][0]
    del operand  # the address holds the only reference
    result = add(address, a)
    first = ctypes.c_double.from_address(storage).value
    ctypes.pythonapi.Py_DecRef(address)
    assert first == 4 and float(result[0]) == 6


@pytest.mark.parametrize("add_pair", [
    lambda pair: operator.add(*pair), lambda pair: type(pair[0]).__add__(*pair), lambda pair: functools.partial(operator.add, *pair)(),
    lambda pair: next(itertools.starmap(operator.add, [pair]))], ids=["call", "slot", "partial", "starmap"])
def test_what_only_a_tuple_holds_is_kept(add_pair):
    """Functions of the interpreter pass on arguments without taking references of their own."""
    pair = (fresh(2.0), 1)
    for _ in range(4):
        assert float(add_pair(pair)[0]) == 3 and float(pair[0][0]) == 2


def test_local_variables_with_one_reference_keep_their_arrays():
    """CPython 3.14 puts borrowed references of local variables on its stack, so their count is one,
    too."""
    def compute(make):
        x = make()
        y = x + 1
        z = x * y
        return x, y, z

    for _ in range(4):  # the engine caches loops, and the interpreter specialises
        x, y, z = compute(lambda: fresh(2.0))
        assert (float(x[0]), float(y[0]), float(z[0])) == (2, 3, 6)


def test_other_ways_to_name_an_array_keep_it():
    class Holder:
        __slots__ = ("x",)

    holder = Holder()
    for _ in range(4):
        holder.x = fresh(2.0)
        total = holder.x + 1
        assert float(holder.x[0]) == 2 and float(total[0]) == 3

        def closure(x=fresh(2.0)):
            return x + 1, x
        total, x = closure()
        assert float(x[0]) == 2 and float(total[0]) == 3

        def generator():
            x = fresh(2.0)
            yield x + 1
            yield x
        total, x = generator()
        assert float(x[0]) == 2 and float(total[0]) == 3

        totals = [v + 1 for v in [fresh(2.0), fresh(2.0)]]
        assert float(totals[1][0]) == 3
        (x := fresh(2.0)) + 1
        assert float(x[0]) == 2


def test_many_places_that_call_operators_are_told_apart():
    """More call sites than the cache holds."""
    a, b = fresh(2.0), fresh(3.0)
    for i in range(400):
        namespace = {"a": a, "b": b}
        exec(f"def f{i}(a, b):\n    return a * b + {i}", namespace)
        result = namespace[f"f{i}"](a, b)
        assert float(result[0]) == 6 + i
    assert float(a[0]) == 2 and float(b[0]) == 3
