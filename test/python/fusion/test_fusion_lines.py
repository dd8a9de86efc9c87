"""Operands that are broadcast, strided or reversed, in expressions computed block by block: lines
of any length, repeated lines, and single numbers that stand for several elements."""
from __future__ import annotations

import numpy
import pytest

import torch_np
import torch_np.numpy as np

# Operands for results of (40, 90, 3), (500, 7, 16) and (3, 5, 11, 2): a shape and a memory layout.
RESULTS = [(40, 90, 3), (500, 7, 16), (3, 5, 11, 2), (60_001, 3), (2, 40_000)]
LAYOUTS = {
    "dense": lambda a: a,
    "reversed": lambda a: a[..., ::-1],
    "every other element": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "a part of each line": lambda a: np.pad(a, [(0, 0)] * (a.ndim - 1) + [(2, 3)])[..., 2:-3],
    "turned round": lambda a: a[::-1],
}
DTYPES = ["f8", "f4", "i2", "?", "c16", "i1"]


def shapes_of(result: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All shapes that broadcast to it."""
    shapes: list[tuple[int, ...]] = [()]
    for n in result:
        shapes = [(*s, m) for s in shapes for m in (n, 1)]
    return [s for s in shapes if s != (1,) * len(result)] + [result[1:]]


def made(shape, dtype, seed):
    a = numpy.random.default_rng(seed).integers(-3, 4, shape) + (1j if dtype == "c16" else 0)
    return np.array(a.astype(dtype))


def compiled(f):
    g = torch_np.compile(f)
    return lambda *a: (g(*a), g(*a))[1]


@pytest.mark.parametrize("how", ["pending", "compiled"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("result", RESULTS, ids=str)
def test_every_way_to_broadcast(result, dtype, how):
    whole = made(result, "f8", 0)

    def f(x, whole):
        return np.where(x > 1, x * x, x) + whole * 0.5
    g = compiled(f) if how == "compiled" else f
    for shape in shapes_of(result):
        for layout in LAYOUTS.values():
            x = layout(made(shape, dtype, 1))
            before = torch_np.fusion.get_mode()
            try:
                torch_np.fusion.set_mode("always" if how == "pending" else "auto")
                got = numpy.array(g(x, whole))
            finally:
                torch_np.fusion.set_mode(before)
            with torch_np.fusion.off():
                expected = numpy.array(f(x, whole))
            assert got.tobytes() == expected.tobytes(), (shape, layout)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 17])
def test_what_is_read_across_results_is_written_line_by_line(n):
    @torch_np.compile
    def f(target, row, column):
        target[:, 1:-1] += row * column - 1
        return target
    for rows in (1, 40, 3000):
        row, column = made((n,), "f8", 1), made((rows, 1), "f8", 2)
        expected = numpy.ones((rows, n + 2))
        expected[:, 1:-1] += numpy.array(row) * numpy.array(column) - 1
        for _ in range(2):
            assert np.array_equal(f(np.ones((rows, n + 2)), row, column), expected)


def test_short_lines_are_fused():
    x, c = made((300, 16), "f8", 1).reshape(300, 1, 16), made((20, 16), "f8", 2)
    pairs = made((400, 3), "f8", 3)
    before = torch_np.fusion.get_mode()
    torch_np.fusion.set_mode("always")
    try:
        for fused in ((x - c) ** 2, pairs.reshape(1, -1, 3) - pairs.reshape(-1, 1, 3), made((300, 3), "f8", 4) * made((300, 1), "f8", 5)):
            assert torch_np.fusion.program(fused) is not None
    finally:
        torch_np.fusion.set_mode(before)
