"""Sorting and partitioning of patterns that are hard for quicksort, of every length up to some
blocks, with every instruction set."""

import os
import subprocess
import sys

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import ours, theirs
from sorted_order import assert_partitioned, assert_sorted, sorted_copy

pytestmark = pytest.mark.same_when_pending("sorts of arrays of NumPy")

DTYPES = ("int16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
LONG = (1000, 4095, 8193, 20_001, 150_000)


def patterns(n, dtype):
    rng = numpy.random.default_rng(n)
    i = numpy.arange(n)
    yield "random", rng.standard_normal(n) * 10_000 if dtype.kind == "f" else rng.integers(0, 2 ** (8 * dtype.itemsize - 1) - 1, n)
    yield "ascending", i % 30_000 if n > 30_000 else i
    yield "descending", i[::-1] % 30_000
    yield "equal", numpy.full(n, 7)
    yield "two values", rng.integers(0, 2, n)
    yield "few values", rng.integers(0, 10, n)
    yield "organ pipe", numpy.minimum(i, n - i) % 30_000
    yield "ascending but for some", numpy.where(rng.random(n) < 0.01, rng.integers(0, 100, n), i % 30_000)
    if dtype.kind == "f":
        a = rng.standard_normal(n)
        for value in (numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0):
            a[rng.random(n) < 0.1] = value
        yield "odd values", a


def check(lengths):
    for dtype in map(numpy.dtype, DTYPES):
        for n in lengths:
            for name, a in patterns(n, dtype):
                a = a.astype(dtype)
                what = f"{dtype} {name} {n}"
                assert_sorted(theirs(np.sort(ours(a))), a, what=what)
                if n == 0:
                    continue
                assert_sorted(theirs(np.sort(ours(a), stable=True)), a, what=what)
                descending = theirs(torch_np.sort(ours(a)._torch(), descending=True)[0]._np_compat())
                assert_sorted(descending[::-1], a, what=what)
                ordered = sorted_copy(a)
                for k in {0, n // 2, n - 1}:
                    assert_partitioned(theirs(np.partition(ours(a), k)), a, [k], what=what, ordered=ordered)
                    assert_partitioned(a[theirs(np.argpartition(ours(a), k))], a, [k], what=what, ordered=ordered)


@pytest.mark.parametrize("start", range(0, 300, 75))
def test_short_arrays(start):
    check(range(start, start + 75))


@pytest.mark.parametrize("n", LONG)
def test_long_arrays(n):
    check([n])


@pytest.mark.parametrize("capability", ["baseline", "avx2", "avx512"])
def test_instruction_sets(capability):
    code = "import test_sorting_patterns as t; t.check([*range(1, 300, 23), 1000, 20_001])"
    env = os.environ | {"TORCH_NP_CPU_CAPABILITY": capability, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)


@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "float64"])
def test_lines_of_matrices(dtype):
    rng = numpy.random.default_rng(0)
    a = (rng.standard_normal((60, 500)) * 1000).astype(dtype)
    for x in (a, a.T, a[::-1, ::-3], a[:, ::2]):
        for axis in (0, 1):
            assert_sorted(theirs(np.sort(ours(x), axis)), x, axis)
            k = x.shape[axis] // 2
            assert_partitioned(theirs(np.partition(ours(x), k, axis)), x, [k], axis)
