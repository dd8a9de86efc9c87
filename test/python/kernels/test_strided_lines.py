"""Operators on columns and other strided lines, which short calls pass to their loops in place; and
`x[key] op= y`."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import ours, theirs

LINES = {"column": lambda m: m[:, 1], "reversed": lambda m: m[3, ::-1], "every third": lambda m: m[:, ::3].reshape(-1)[:12:3],
         "negative column": lambda m: m[::-2, 2], "one element": lambda m: m[2:3, 1], "nothing": lambda m: m[:0, 1],
         "repeated": lambda m: numpy.lib.stride_tricks.as_strided(m[0], (12,), (0,)), "dense": lambda m: m[0]}
OPERATORS = [lambda x, y: x + y, lambda x, y: x * 2, lambda x, y: y - x, lambda x, y: x < y, lambda x, y: -x, lambda x, y: x ** 2, lambda x, y: y / x]


def matrix(dtype):
    return numpy.random.default_rng(0).integers(1, 9, (12, 12)).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "i8", "u1", "c16", "?"])
def test_lines_as_operands(dtype):
    for name, line in LINES.items():
        m = matrix(dtype)
        x = line(m)
        for other in (line(matrix(dtype).T.copy()), numpy.ones(x.shape, dtype)):
            for operate in OPERATORS:
                try:
                    expected = operate(x, other)
                except TypeError:
                    continue
                for _ in range(2):  # the second call takes the short path
                    got = theirs(operate(ours(x), ours(other)))
                    assert got.dtype == expected.dtype and got.flags.c_contiguous, name
                    numpy.testing.assert_allclose(got, expected, rtol=1e-3 if dtype == "f2" else 1e-6, err_msg=name)
        assert (m == matrix(dtype)).all()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "c16"])
def test_lines_are_written_into(dtype):
    """Also where operands and results share memory: operands are read before the write."""
    def add(x, y):
        x += y

    def scale(x, y):
        x *= y

    calls = [lambda m, f: f(m[:, 1], m[:, 2]), lambda m, f: f(m[1], m[:, 2]), lambda m, f: f(m[1:, 0], m[:-1, 0]), lambda m, f: f(m[:-1, 0], m[1:, 0]),
             lambda m, f: f(m[:, 3], m[::-1, 3]), lambda m, f: f(m[::-1, 3], m[:, 3]), lambda m, f: f(m[:, 3], m[3]), lambda m, f: f(m[3, ::-2], m[::2, 3]),
             lambda m, f: f(m[:, 5], 3), lambda m, f: f(m[0, :11], m[0, 1:]), lambda m, f: f(m[0, 1::2], m[0, ::2]), lambda m, f: f(m[:, 1], m[:, 1])]
    for f in (add, scale):
        for i, call in enumerate(calls):
            for _ in range(2):
                a, b = matrix(dtype), np.array(matrix(dtype))
                call(a, f)
                call(b, f)
                numpy.testing.assert_array_equal(theirs(b), a, err_msg=f"{f.__name__} {i}")


def test_lines_that_cannot_be_written_into_stay():
    x = np.broadcast_to(np.ones(1), 5)
    with pytest.raises(ValueError):
        x += 1
    assert x.tolist() == [1.0] * 5
    x = np.lib.stride_tricks.as_strided(np.ones(1), (5,), (0,))
    y = x + np.arange(5.0)
    assert y.tolist() == [1, 2, 3, 4, 5]


def test_parts_that_are_computed_in_place_are_assigned_to_their_own_place():
    for dtype in ("f8", "i4", "?"):
        a, b = matrix(dtype), np.array(matrix(dtype))
        for m in (a, b):
            m[2:5] += m[3:6]
            m[:, ::3] *= m[:, 1::3]
            m[1, 2:9] *= m[1, 2:9]
            m[::-1] = m[::-1]
        numpy.testing.assert_array_equal(theirs(b), a)
    x = np.zeros(4)
    view = x[1:3]
    version = x._torch()._version
    x[1:3] = view
    assert x._torch()._version > version
    x.flags.writeable = False
    with pytest.raises(ValueError):
        x[1:3] = view
    w = np.ones(4, _requires_grad=True)
    y = w * 1
    y[1:3] *= 2
    y.sum()._backward()
    assert w._grad.tolist() == [1, 2, 2, 1]
    t = torch_np.arange(4)
    t[::2] += 10
    assert t.tolist() == [10, 1, 12, 3]
