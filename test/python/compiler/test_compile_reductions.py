"""Compiled reductions of block results without other readers: the reduction gets the values as they
are computed, and the bits do not change."""
from __future__ import annotations

import re
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np

REDUCTIONS = {name: getattr(np, name) for name in ("sum", "prod", "mean", "any", "all", "max", "min", "count_nonzero", "argmax", "argmin", "var", "std")}
DTYPES = ["f8", "f4", "f2", "i8", "i2", "?", "c16"]
SHAPES = [(9_000,), (200_001,), (300, 217), (5_000, 5), (90, 1_100), (70_001, 3), (40, 20, 30), (2, 3, 7000)]


def made(shape, dtype, seed):
    values = numpy.random.default_rng(seed).normal(size=shape) * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array((values + 1j * values[::-1] if dtype == "c16" else values).astype(dtype))


def bits(result):
    if isinstance(result, (tuple, list)):
        return [bits(r) for r in result]
    a = numpy.asarray(result)
    return a.dtype, a.shape, numpy.where(numpy.isnan(a), numpy.nan, a).tobytes() if a.dtype.kind in "fc" else a.tobytes()


def check(f, make, calls=3):
    """Checks that each call gives the bits of the plain function, and the text of the trace."""
    compiled = torch_np.compile(f, fullgraph=True)
    for seed in range(calls):
        with torch_np.fusion.off():
            expected = f(*make(seed))
        assert bits(compiled(*make(seed))) == bits(expected)
    return str(compiled.lower(*make(0)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_bits_are_those_of_arrays_in_memory(name, dtype):
    reduction = REDUCTIONS[name]
    for shape in SHAPES:
        for axis in (None, *range(len(shape))):
            check(lambda x, y: reduction(x * y, axis=axis), lambda seed: [made(shape, dtype, seed), made(shape, dtype, seed + 7)], 2)


@pytest.mark.parametrize("function, is_one", [
    (lambda x, y: (x * y).sum(), True),
    (lambda x, y: (x * y + 1).mean(axis=0), True),
    (lambda x, y: (x * y < 1).sum(axis=1), True),
    # a value that is also kept is written in the same pass
    (lambda x, y: (lambda p: (p, (p + 1).sum(axis=1)))(x * y), True),
    (lambda x, y: (lambda p: (p, p.sum()))(x * y), False),  # a result of the function
    (lambda x, y: (lambda p: p.sum() + p.max())(x * y), False),  # a value that two reductions read
    (lambda x, y: (x * y).var(), False),
    (lambda x, y: (x * y)[1:].sum(), False),
])
def test_what_is_one_step(function, is_one):
    text = check(function, lambda seed: [made((300, 400), "f8", seed), made((300, 400), "f8", seed + 1)])
    assert any("block(" in line and re.search(r"= (sum|mean)\(", line) for line in text.splitlines()) == is_one, text


@pytest.mark.parametrize("name", ["any", "all", "argmax", "count_nonzero"])
def test_what_is_held_besides_is_whole_though_the_answer_is_known_early(name):
    reduction = REDUCTIONS[name]
    check(lambda x, y: (lambda p: (p, reduction(p != 0)))(x + y), lambda seed: [made((40_000,), "f8", seed), made((40_000,), "f8", seed + 1)])


def test_arrays_that_are_changed_in_the_same_block():
    def f(x, y):
        x += y
        return (x * y).sum(), x
    check(f, lambda seed: [made((30_000,), "f8", seed), made((30_000,), "f8", seed + 1)])


def test_changed_arrays_that_share_memory():
    def f(x, y):
        x *= 2
        return (x + y).sum()

    def overlapping(seed):
        memory = made((30_001,), "f8", seed)
        return [memory[1:], memory[:-1]]
    compiled = torch_np.compile(f)
    for seed in range(3):
        with torch_np.fusion.off():
            expected = f(*overlapping(seed))
        assert compiled(*overlapping(seed)) == expected


def test_warnings_are_those_of_the_operators_one_by_one():
    def f(x, y):
        return (x / y).sum()

    def warned(function, *arrays):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(*arrays)
        return [str(w.message) for w in caught]
    compiled = torch_np.compile(f)
    x = np.ones(50_000)
    compiled(x, x + 1), compiled(x, x + 1)
    zeros, infinities = x * 1, x * 1
    zeros[40_000] = 0
    infinities[:2] = [0, -0.0]
    for y in (x + 1, zeros, infinities):
        with torch_np.fusion.off():
            expected = warned(f, x, y)
        assert warned(compiled, x, y) == expected
    assert warned(compiled, x, infinities) == ["divide by zero encountered in divide", "invalid value encountered in reduce"]


def test_gradients():
    def f(x, w):
        return ((x * w - 1) ** 2).mean()
    compiled = torch_np.compile(f)
    results = []
    for function in (f, compiled, compiled, compiled):
        x, w = (made((60_000,), "f4", seed)._torch().requires_grad_() for seed in (1, 2))
        loss = function(x, w)
        loss.backward()
        results.append([numpy.array(t.detach()).tobytes() for t in (loss, x.grad, w.grad)])
    assert results[1:] == results[:1] * 3


def test_threads():
    x, y = made((400_001,), "f8", 1), made((400_001,), "f8", 2)
    compiled = torch_np.compile(lambda x, y: (x * y < 0.5).sum() + (x * y).sum())
    before = torch_np.get_num_threads()
    try:
        found = set()
        for threads in (1, 2, 3, 5):
            torch_np.set_num_threads(threads)
            found.update(float(compiled(x, y)) for _ in range(4))
    finally:
        torch_np.set_num_threads(before)
    assert len(found) == 1


# ------------------------------------------------------------------------------------- values recomputed for each reader

def forces(p, m):
    d = p.reshape(1, -1, 3) - p.reshape(-1, 1, 3)
    r2 = np.sum(d * d, axis=2) + 0.01
    return np.sum(d * (m / (r2 * np.sqrt(r2))).reshape(len(m), len(m), 1), axis=1)


def with_a_changed_operand(p, m):
    p = p + 0
    d = p.reshape(1, -1, 3) - p.reshape(-1, 1, 3)
    r2 = np.sum(d * d, axis=2)
    p += 1
    return np.sum(d * r2.reshape(len(m), len(m), 1), axis=1), p


def that_is_a_result(p, m):
    d = p.reshape(1, -1, 3) - p.reshape(-1, 1, 3)
    r2 = np.sum(d * d, axis=2)
    return np.sum(d * r2.reshape(len(m), len(m), 1), axis=1), d


def that_is_changed(p, m):
    d = p.reshape(1, -1, 3) - p.reshape(-1, 1, 3)
    r2 = np.sum(d * d, axis=2)
    d -= 1
    return np.sum(d * r2.reshape(len(m), len(m), 1), axis=1)


def that_a_view_reads(p, m):
    d = p.reshape(1, -1, 3) - p.reshape(-1, 1, 3)
    r2 = np.sum(d * d, axis=2)
    return np.sum(d * r2.reshape(len(m), len(m), 1), axis=1) + d[0]


@pytest.mark.parametrize("function, times", [(forces, 2), (with_a_changed_operand, 1), (that_is_a_result, 1), (that_is_changed, 1), (that_a_view_reads, 1)])
def test_what_is_quickly_made_of_little_is_made_by_each_reader(function, times):
    r = numpy.random.default_rng(0)
    p, m = np.array(r.standard_normal((260, 3))), np.array(r.uniform(1, 2, 260))
    compiled = torch_np.compile(function, fullgraph=True)
    expected = function(p, m)
    for _ in range(2):
        for got, exact in zip(*((x if isinstance(x, tuple) else (x,)) for x in (compiled(p, m), expected))):
            assert np.asarray(got).tobytes() == np.asarray(exact).tobytes()
    assert str(compiled.lower(p, m)).count("sub(%") - (function is that_is_changed) == times


def test_what_is_recorded_is_not_written_either():
    """The first call, too, fuses temporaries into the reduction without writing them; values that
    remain alive have their elements."""
    x = made((300, 700), "f8", 3)
    compiled = torch_np.compile(lambda x: np.sum((x * 2 + 1) ** 2), fullgraph=True)
    before = torch_np.fusion.statistics()["outputs"]
    first = compiled(x)
    assert torch_np.fusion.statistics()["outputs"] == before
    assert bits(first) == bits(compiled(x)) == bits(np.sum((x * 2 + 1) ** 2))

    def keeps(x):
        y = x * 2 + 1
        total = y.sum()
        return total, y.max(), y
    assert [bits(r) for r in torch_np.compile(keeps)(x)] == bits(keeps(x))
