"""torch_np.compiler.verify(): fused expressions are compared with their operators, each computed at its call.

Faults are made by changing an operand behind the library's back, between a call and the computation."""
from __future__ import annotations

import ctypes
import struct
import threading
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np import compiler

pytestmark = [pytest.mark.same_on_devices("results on devices are not pending"), pytest.mark.usefixtures("always", "verified")]


@pytest.fixture
def verified():
    with compiler.verify():
        yield


def counted():
    statistics = compiler.verification_statistics()
    return statistics["expressions"], statistics["reductions"]


def float64s(*values):
    return np.array(values, dtype="f8")


def address_of(x):
    """The address of an array's memory, which is not lent any more."""
    return numpy.asarray(x).ctypes.data


def poke(address, value):
    ctypes.memmove(address, struct.pack("d", value), 8)


def test_expressions_are_counted():
    x = np.arange(1000.0)
    before = counted()
    y = x * 2 + x / 3
    numpy.asarray(y)
    assert counted() == (before[0] + 1, before[1])
    (x * x + 1).sum()
    assert counted() == (before[0] + 2, before[1] + 1)
    (x * x < 7).sum()
    assert counted() == (before[0] + 3, before[1] + 2)


def test_a_difference_raises_with_the_expression():
    x = float64s(1, 2, 3)
    address = address_of(x)
    y = x * 2 + 1
    poke(address + 8, 7)
    with pytest.raises(RuntimeError) as caught:
        y.tolist()
    assert str(caught.value).splitlines() == [
        "verification of a pending result: of the result of add, element 1 is 15 (0x402e000000000000) instead of 5 (0x4014000000000000). "
        "The expression:", "r0:float64 = mul(m0:float64, 2)", "m1:float64 = add(r0:float64, 1)"]
    with pytest.raises(RuntimeError, match="element 1 is"):  # it stays pending
        y.tolist()
    poke(address + 8, 2)
    assert y.tolist() == [3, 5, 7]


def test_each_written_result_is_compared():
    x = float64s(1, 2, 3)
    address = address_of(x)
    a = np.minimum(x, 1.5)
    b = a * 0.0
    poke(address, 0.5)
    with pytest.raises(RuntimeError, match="of the result of minimum, element 0 is 0.5"):
        b.tolist()


@pytest.mark.parametrize("reduced, difference", [
    (lambda x, poked: (np.where(x > 0, x, 0) * poked(2)).sum(), "of mul, which is reduced, element 1 is 18 .* instead of 4 "),
    (lambda x, poked: (np.where(x > 0, x, 0) * poked(2)).max(axis=0), "of mul, which is reduced, element 1 is 18 .* instead of 4 "),
    (lambda x, poked: (np.where(x > 0, x, 0) < poked(5)).sum(), "of lt, .*(2999 elements are true instead of 3000|element 1 is False)"),
])
def test_a_difference_in_a_reduced_expression_raises(reduced, difference):
    x = np.array([1.0, 2, 3] * 1000)
    address = address_of(x)

    def poked(number):
        poke(address + 8, 9)
        return number

    with pytest.raises(RuntimeError, match=difference):
        reduced(x, poked)


def test_floating_point_errors_are_compared():
    x = float64s(float("inf"), 1)
    address = address_of(x)
    y = x * 10
    poke(address, 1e308)
    with pytest.raises(RuntimeError, match="the floating-point errors of multiply are over instead of none"):
        y.tolist()


def test_warnings_are_reported_once():
    for result in (lambda x: x / 0, lambda x: (x / 0).sum(), lambda x: (x / 0)[1:] + 1):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            numpy.asarray(result(float64s(1, 2)))
        assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]


def test_nans_are_equal_to_each_other():
    x, y = np.array([float("nan")] * 40), np.array([-float("nan")] * 40)
    before = counted()
    numpy.asarray((x + y) * (y + x))
    assert counted()[0] == before[0] + 1


def test_operands_that_are_overwritten():
    x, before = np.arange(5.0), counted()[0]
    y = x * 2
    z = y + 1
    x += 1  # computes y and z first
    np.multiply(y, 3, out=y)
    assert (x.tolist(), y.tolist(), z.tolist()) == ([1, 2, 3, 4, 5], [0, 6, 12, 18, 24], [1, 3, 5, 7, 9])
    assert counted()[0] > before


def test_operands_that_were_deferred_earlier():
    x = np.arange(5.0)
    with compiler.verify(False):
        y = x * 2
    before = counted()[0]
    assert (y + 1).tolist() == [1, 3, 5, 7, 9]
    assert counted()[0] == before + 1


def test_kept_results_are_not_counted_as_memory():
    x = torch_np.ones(100_000)
    before = torch_np.cpu.memory_stats()["allocated_bytes"]
    y = x * 2 + 1
    assert torch_np.cpu.memory_stats()["allocated_bytes"] == before
    assert y[0] == 3


def test_threads():
    x = np.arange(100_000.0)
    expected = [float(i * 4999950000 + 1e5) for i in range(4)]
    found = [None] * 4

    def run(i):
        for _ in range(20):
            found[i] = float((x * i + 1).sum())

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


@pytest.mark.usefixtures("verified")
def test_without_verification_nothing_is_compared():
    with compiler.verify(False):
        before = counted()
        x = float64s(1, 2)
        address = address_of(x)
        y = x * 2
        poke(address, 5)
        assert y.tolist() == [10, 4]
        (x * 2).sum()
    assert counted() == before
