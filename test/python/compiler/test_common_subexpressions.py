"""Equal calls of a compiled function are one call: same operator, arguments by their bits, dialect."""
from __future__ import annotations

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def text_of(function, *arguments):
    compiled = torch_np.compile(function)
    expected = function(*arguments)
    for _ in range(2):
        got = compiled(*arguments)
        assert numpy.asarray(got).tobytes() == numpy.asarray(expected).tobytes()
    return str(compiled.lower(*arguments))


@pytest.mark.parametrize("function, call, count", [
    (lambda x: np.sin(x * 2) + np.cos(x * 2), "mul(", 1),
    (lambda x: np.sin(x * 2) + np.cos(x * 2.0), "mul(", 2),  # a Python int and a float: other promotion
    (lambda x: (x * 0.0) + (x * -0.0), "mul(", 2),
    (lambda x: x.sum() * x.sum(), "sum(", 1),
    (lambda x: x.sum() * x.sum(keepdims=True), "sum(", 2),
    (lambda x: np.matmul(x[None], x[:, None]) + np.matmul(x[None], x[:, None]), "matmul(", 1),
    (lambda x: np.roll(x, 1) + np.roll(x, 1) * np.roll(x, 2), "roll(", 2),
    (lambda x: (x[1:] * 3).sum() + (x[1:] * 3).max(), "mul(", 1),
    (lambda x: (x[1:] * 3).sum() + (x[:-1] * 3).max(), "mul(", 2),
])
def test_equal_calls_are_one(function, call, count):
    text = text_of(function, np.arange(1.0, 6.0))
    assert text.count(f"= {call}") == count, text


def test_calls_of_two_faces_are_two():
    """Integers divide to float64 in one face, and to float32 in the other."""
    function = torch_np.compile(lambda x, y: ((x / y).sum(), (x._torch() / y._torch()).sum()))
    x, y = np.arange(1, 9), np.full(8, 3)
    for _ in range(3):
        assert [float(v) for v in function(x, y)] == [12.0, 12.0]


def test_changes_in_between_are_seen():
    def function(x):
        a = x * 2
        x += 1
        return a + x * 2
    compiled = torch_np.compile(function)
    for _ in range(3):
        assert compiled(np.ones(3)).tolist() == [6.0, 6.0, 6.0]
