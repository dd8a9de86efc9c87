"""Arrays over the same memory, each with its own storage; and memory that foreign code fills or
changes."""
import threading

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from same_as_numpy import agrees


def twice(a):
    """Two arrays of ours over one of NumPy's."""
    return np.asarray(a), np.asarray(a)


def test_an_index_array_over_the_memory_that_it_indexes():
    n = numpy.arange(10)[::-1].copy()
    a, b = twice(n)
    a[b] = np.full(10, -10**6)
    assert n.tolist() == [-10**6] * 10


@pytest.mark.parametrize("key", [[0, 1, 2, 3, 4, 5], [5, 0, 3, 1, 2, 4], [True] * 6])
def test_a_value_over_the_memory_that_is_assigned_to(key):
    x = np.arange(6)
    y = np.from_dlpack(numpy.from_dlpack(x))
    x[key] = y[::-1]
    expected = numpy.arange(6)
    expected[key] = numpy.arange(6)[::-1]
    assert x.tolist() == expected.tolist()


def test_rows_of_a_transpose_of_the_same_memory():
    m = numpy.arange(16.0).reshape(4, 4)
    expected = m.copy()
    expected[[0, 1, 2, 3]] = m.T[[2, 1, 0, 3]].copy()
    p, q = twice(m)
    p[[0, 1, 2, 3]] = q.T[np.array([2, 1, 0, 3])]
    assert m.tolist() == expected.tolist()


@pytest.mark.parametrize("shift", [1, 3])
@pytest.mark.parametrize("n", [5, 40, 100_000])
@pytest.mark.parametrize("operate", [lambda a, b: a.__iadd__(b), lambda a, b: a.__imul__(b), lambda a, b: np.subtract(b, 1, out=a),
                                     lambda a, b: np.add(b, b, out=a), lambda a, b: np.exp(b, out=a)])
def test_arithmetic_in_place_between_shifted_arrays(operate, n, shift):
    data = numpy.random.default_rng(2).uniform(0, 1, n + shift)
    a, b = data.copy(), data.copy()
    expected = np.array(b)[shift:]
    operate(expected, np.array(a)[:-shift])
    left, right = twice(data)
    operate(left[shift:], right[:-shift])
    numpy.testing.assert_array_equal(data[shift:], numpy.asarray(expected))


def test_functions_that_write_through_indices():
    for call in (lambda a, b: np.add.at(a, b[:2], b[1:3]), lambda a, b: np.put(a, b[::-1], b), lambda a, b: np.put_along_axis(a, b[::-1], b, 0)):
        n = numpy.arange(5)
        alone = np.arange(5)
        call(alone, np.arange(5))
        call(*twice(n))
        assert n.tolist() == alone.tolist()


def test_index_put_of_torch():
    t = torch_np.from_numpy(numpy.arange(6))
    u = torch_np.from_numpy(t.numpy())
    t[u] = 5 - u
    assert t.tolist() == [5, 4, 3, 2, 1, 0]


# --- other threads

@pytest.mark.parametrize("use", [lambda x, i: x[i], lambda x, i: x.__setitem__(i, 0.0), lambda x, i: np.add.at(x, i, 1.0), lambda x, i: np.take(x, i),
                                 lambda x, i: np.bincount(i)])
def test_an_index_array_that_another_thread_changes_is_never_followed_out_of_bounds(use):
    x, index, stop = np.arange(1000.0), numpy.zeros(400_000, numpy.int64), False

    def change():
        while not stop:
            index[...] = 2**45
            index[...] = 0

    other = threading.Thread(target=change)
    other.start()
    try:
        ours = np.asarray(index)
        for _ in range(60):
            try:
                use(x, ours)
            except (IndexError, MemoryError):
                pass
    finally:
        stop = True
        other.join()


def test_a_mask_that_another_thread_changes():
    x, mask, stop = np.arange(400_000), numpy.zeros(400_000, bool), False

    def change():
        while not stop:
            mask[...] = True
            mask[...] = False

    other = threading.Thread(target=change)
    other.start()
    try:
        ours = np.asarray(mask)
        for _ in range(60):
            assert len(x[ours]) <= 400_000
    finally:
        stop = True
        other.join()


# --- bools of any byte

BYTES = numpy.array([2, 0, 3, 255, 1, 0, 128, 4, 0, 6, 1, 1] * 3, "u1")
TRUTH = BYTES != 0
CALLS = {
    "get": lambda xp, m: xp.arange(36)[m], "get 2-d": lambda xp, m: xp.arange(36).reshape(6, 6)[m.reshape(6, 6)],
    "set": lambda xp, m: (lambda x: (x.__setitem__(m, -1), x)[1])(xp.arange(36)), "not": lambda xp, m: ~m, "logical_not": lambda xp, m: xp.logical_not(m),
    "and": lambda xp, m: m & m[::-1], "or": lambda xp, m: m | m[::-1], "xor": lambda xp, m: m ^ m[::-1], "add": lambda xp, m: m + m[::-1],
    "multiply": lambda xp, m: m * m[::-1], "equal": lambda xp, m: m == True, "not equal": lambda xp, m: m != m[::-1],  # noqa: E712
    "less": lambda xp, m: m < m[::-1], "logical_xor": lambda xp, m: xp.logical_xor(m, True), "maximum": lambda xp, m: xp.maximum(m, False),
    "with a number": lambda xp, m: m + 1, "float": lambda xp, m: m * 0.5, "strided": lambda xp, m: m[::3] == m[1::3],
    "sum": lambda xp, m: m.sum(), "prod": lambda xp, m: m[:1].prod(), "mean": lambda xp, m: m.mean(), "any": lambda xp, m: m.any(), "all": lambda xp, m: m[:1].all(),
    "max": lambda xp, m: m.max(), "min": lambda xp, m: m.min(), "argmax": lambda xp, m: m[1:].argmax(), "argmin": lambda xp, m: m.argmin(),
    "columns": lambda xp, m: m.reshape(6, 6).sum(0), "columns max": lambda xp, m: m.reshape(6, 6).max(0), "rows": lambda xp, m: m.reshape(6, 6).argmax(1),
    "cumsum": lambda xp, m: m.cumsum(), "count_nonzero": lambda xp, m: xp.count_nonzero(m), "nonzero": lambda xp, m: xp.nonzero(m)[0],
    "flatnonzero": lambda xp, m: xp.flatnonzero(m), "argwhere": lambda xp, m: xp.argwhere(m.reshape(6, 6)), "sort": lambda xp, m: xp.sort(m),
    "argsort": lambda xp, m: xp.argsort(m, kind="stable"), "unique": lambda xp, m: xp.unique(m), "searchsorted": lambda xp, m: xp.searchsorted(xp.array([False, True]), m),
    "where": lambda xp, m: xp.where(m, 1, 2), "select": lambda xp, m: xp.extract(m, xp.arange(36)), "compress": lambda xp, m: xp.compress(m, xp.arange(36)),
    "ufunc where": lambda xp, m: xp.add(1, 2, where=m, out=xp.zeros(36, int)), "sum where": lambda xp, m: xp.sum(xp.arange(36), where=m),
    "copyto": lambda xp, m: (lambda x: (xp.copyto(x, 1, where=m), x)[1])(xp.zeros(36)), "tolist": lambda xp, m: xp.array(m.tolist()),
    "item": lambda xp, m: m[0].item() is True, "matmul": lambda xp, m: m.reshape(6, 6) @ m.reshape(6, 6).T, "dot": lambda xp, m: xp.dot(m, m),
    "astype": lambda xp, m: m.astype("i8"), "astype complex": lambda xp, m: m.astype("c8"), "unary": lambda xp, m: xp.sqrt(m), "packbits": lambda xp, m: xp.packbits(m),
    "in place": lambda xp, m: (lambda x: (x.sort(), x)[1])(m.copy()), "einsum": lambda xp, m: xp.einsum("i,i->i", m, m), "diff": lambda xp, m: xp.diff(m),
    "long": lambda xp, m: xp.tile(m, 2000).argmax(), "long max": lambda xp, m: xp.tile(m, 2000).max(), "isin": lambda xp, m: xp.isin(m, [True]),
    "accumulate": lambda xp, m: xp.logical_xor.accumulate(m), "reduce": lambda xp, m: xp.logical_and.reduce(m[:1]), "partition": lambda xp, m: xp.partition(m, 5)[5],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("source", ["view", "array of NumPy's", "dlpack", "buffer"])
def test_every_byte_but_0_is_true(call, source):
    def mask(xp):
        if xp is numpy:
            return TRUTH  # NumPy itself is not consistent with other bytes
        foreign = BYTES.view(bool)
        return {"view": lambda: np.array(BYTES).view("?"), "array of NumPy's": lambda: np.asarray(foreign), "dlpack": lambda: np.from_dlpack(foreign),
                "buffer": lambda: np.asarray(memoryview(BYTES.tobytes()).cast("?"))}[source]()
    agrees(lambda xp: as_truth(call(xp, mask(xp))))


def as_truth(result):
    # Functions that only move bytes preserve them, so the comparison is of their truth values.
    result = numpy.asarray(result)
    return result.view("u1") != 0 if result.dtype == bool and result.ndim else result


@pytest.mark.parametrize("operate", [lambda xp, m: m & True, lambda xp, m: ~m, lambda xp, m: m == m, lambda xp, m: xp.sort(m),
                                     lambda xp, m: m.astype("i1"), lambda xp, m: xp.logical_or(m, m)])
def test_what_is_computed_of_bools_has_bytes_of_0_and_1(operate):
    result = numpy.asarray(operate(np, np.array(BYTES).view("?"))).view("u1")
    assert set(result.tolist()) <= {0, 1}


def test_a_view_as_bools_shares_memory():
    x = np.array(BYTES)
    x.view("?")[0] = False
    assert x[0].item() == 0
