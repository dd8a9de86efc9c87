"""Sorting, partitioning and searching: every dtype and layout, ties, NaN, and both orders.

Sorts are checked by order and by content (sorted_order.py); shapes, dtypes, errors and searches are
compared with NumPy.
"""

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import DTYPES, LAYOUTS, agrees, layouts, ours, theirs
from ids import stable_text
from sorted_order import assert_partitioned, assert_sorted, assert_stable_argsort, sorted_copy

FLOATING = [t for t in DTYPES if t.kind in "fc"]


def check_sorts(x, axis=-1):
    for kind in (None, "stable", "heapsort", "mergesort", "quicksort"):
        assert_sorted(theirs(np.sort(ours(x), axis, kind)), x, axis, f"{kind} along {axis}")
    assert_sorted(theirs(np.sort(ours(x), axis, stable=True)), x, axis)
    assert_stable_argsort(theirs(np.argsort(ours(x), axis, "stable")), x, axis)
    assert_stable_argsort(theirs(ours(x).argsort(axis, "stable")), x, axis)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_sort_and_argsort(layout, dtype):
    x = layouts(dtype)[layout]
    for axis in (None, *range(-x.ndim, x.ndim)):
        check_sorts(x, axis)
    for axis in (x.ndim, -x.ndim - 1):
        agrees("sort", x, axis)
        agrees("argsort", x, axis, "stable")
        agrees(None, x, axis, "stable", method="argsort")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_sort_in_place(layout, dtype):
    for axis in (-1, 0):
        a = layouts(dtype)[layout]
        if not a.flags.writeable or a.ndim == 0:
            continue
        x, before = ours(a), a.copy()
        assert x.sort(axis) is None
        assert_sorted(numpy.asarray(x), before, axis)


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_the_checks_of_order_see_what_is_wrong(dtype):
    x = numpy.array([3, 1, 0, 1, 3], dtype)
    ordered = sorted_copy(x)
    for wrong in (x, ordered[::-1], numpy.zeros(5, dtype), ordered[1:]):
        with pytest.raises(AssertionError):
            assert_sorted(wrong, x)
    with pytest.raises(AssertionError):
        assert_stable_argsort(numpy.argsort(x, kind="stable")[[0, 2, 1, 3, 4]], x)  # in order, but not stable
    with pytest.raises(AssertionError):
        assert_partitioned(x, x, [1])


def odd_values(dtype, n):
    rng = numpy.random.default_rng(n)
    a = rng.standard_normal(n)
    for value, share in ((numpy.nan, 0.2), (numpy.inf, 0.1), (-0.0, 0.1), (1.0, 0.2)):
        a[rng.random(n) < share] = value
    a = a.astype(dtype)
    if dtype.kind == "c":
        b = rng.integers(0, 3, n).astype(float)
        b[b == 0] = numpy.nan
        a = a + (b * 1j).astype(dtype)
    return a


@pytest.mark.parametrize("n", [1, 2, 17, 100, 1000])
@pytest.mark.parametrize("dtype", FLOATING, ids=stable_text)
def test_nan_comes_last(dtype, n):
    a = odd_values(dtype, n)
    for x in (a, a[::-1], numpy.stack([a, a[::-1]]).T):
        for axis in (0, -1):
            check_sorts(x, axis)
            check_partition(x, [0, -1], axis)


def check_partition(x, kth, axis):
    assert_partitioned(theirs(np.partition(ours(x), kth, axis)), x, kth, axis)
    indices = theirs(np.argpartition(ours(x), kth, axis))
    assert indices.dtype == numpy.intp
    assert_partitioned(numpy.take_along_axis(x, indices, axis), x, kth, axis)


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_partition(dtype):
    x = layouts(dtype)["strided"]
    for axis in (-1, 0, 1):
        for kth in ([0], [1, 2], [-1], [2, 0, 1]):
            check_partition(x, kth, axis)


def test_long_arrays():
    rng = numpy.random.default_rng(0)
    for dtype in DTYPES[1:9]:
        a = rng.integers(-100, 100, 5000).astype(dtype)
        check_sorts(a)
        check_partition(a, [10, 2500, 4999], 0)


def test_zero_dimensional_arrays():
    for axis in (-1, 0, 1, None):
        agrees("sort", numpy.array(3.0), axis)
        agrees("argsort", numpy.array(3.0), axis)
        agrees("partition", numpy.array(3.0), 0, axis)
        agrees("argpartition", numpy.array(3.0), 0, axis)


def test_what_sorting_refuses():
    x = numpy.arange(5)
    for kind in ("x", "", "quatsch", "S"):
        agrees("sort", x, kind=kind)
        agrees("argsort", x, kind=kind)
    agrees("sort", x, order="field")
    agrees("sort", x, kind="q", stable=False)
    for kth in (5, -6, [0, 9], 0.5):
        agrees("partition", x, kth)
        agrees("argpartition", x, kth)
    agrees("partition", x, 0, kind="x")
    agrees("partition", numpy.array([]), 0)
    with pytest.raises(ValueError):
        np.broadcast_to(np.ones(1), 3).sort()


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_searchsorted(dtype):
    x = layouts(dtype)["strided"]
    table = sorted_copy(x.ravel())
    for side in ("left", "right"):
        for wanted in (x, 2, 2.5, numpy.array([1, 9], "u1"), []):
            agrees("searchsorted", table, wanted, side)
    agrees("searchsorted", x.ravel(), x, sorter=numpy.argsort(x.ravel(), kind="stable"))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64"])
def test_searchsorted_of_many(dtype):
    """Several searches run side by side: every number of them, every length up to some powers of
    two, NaN among values and needles."""
    rng = numpy.random.default_rng(0)
    for n in range(0, 70):
        table, wanted = ((rng.integers(0, 40, k) * 3 % 100).astype(dtype) for k in (n, 2 * n))
        if table.dtype.kind in "fc":
            table[rng.random(n) < 0.1] = numpy.nan
            wanted[rng.random(2 * n) < 0.1] = numpy.nan
        shuffled, table = table, sorted_copy(table)
        for side in ("left", "right"):
            agrees("searchsorted", table, wanted, side)
            agrees("searchsorted", table, wanted[: n // 3], side)
            agrees("searchsorted", shuffled, wanted, side, sorter=numpy.argsort(shuffled, kind="stable"))


def test_what_searchsorted_refuses():
    for table, options in (([1, 2], {"side": "x"}), ([[1, 2]], {}), (3, {}), ([1, 2], {"sorter": [0]}), ([1, 2], {"sorter": [0, 5]}),
                           ([1, 2], {"sorter": [0, -1]}), ([1, 2], {"sorter": [0.0, 1.0]}), ([1, 2], {"sorter": [[0, 1]]})):
        agrees("searchsorted", table, 1, **options)
    agrees("searchsorted", [1.0, numpy.nan], [numpy.nan, 2])
    agrees("searchsorted", numpy.int8([1, 2]), 300)


def test_lexsort():
    x = layouts("int64")["contiguous"]
    for axis in (-1, 0, 3):
        agrees("lexsort", [x, x[::-1]], axis)
        agrees("lexsort", x, axis)
    for keys in ((), ([1, 2], [1]), (1, 2), 5):
        agrees("lexsort", keys)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_nonzero(layout, dtype):
    x = layouts(dtype)[layout]
    agrees("nonzero", x)
    agrees(None, x, method="nonzero")
    agrees("argwhere", x)
    agrees("flatnonzero", x)
    agrees("where", x)


def test_torch_sorts_values_and_indices_together():
    t = torch_np.tensor([[3, 1, 2, 1], [0, 5, 5, 4]])
    values, indices = torch_np.sort(t, 1, descending=True)
    assert values.tolist() == [[3, 2, 1, 1], [5, 5, 4, 0]]
    assert indices.tolist() == [[0, 2, 1, 3], [1, 2, 3, 0]]
    assert t.argsort(0).tolist() == [[1, 0, 0, 0], [0, 1, 1, 1]]
    values, indices = torch_np.sort(torch_np.tensor(3.0))
    assert float(values) == 3 and int(indices) == 0
    with pytest.raises(IndexError):
        torch_np.sort(t, 2)


def keys_that_share_bits(dtype, n):
    """Values that differ in a few bits or in the last bits only, for radix sort."""
    rng = numpy.random.default_rng(n)
    x = rng.standard_normal(n)
    yield x.astype(dtype)
    yield numpy.where(rng.random(n) < 0.9, 1 + x * 1e-9, x).astype(dtype)
    yield numpy.where(rng.random(n) < 0.5, x, 0.0).astype(dtype)
    yield numpy.round(x).astype(dtype)
    yield numpy.full(n, 3).astype(dtype)


@pytest.mark.parametrize("n", [383, 384, 8192, 50_000])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "i4", "i8"])
def test_long_lines(dtype, n):
    for x in keys_that_share_bits(dtype, n):
        check_sorts(x)
        for kth in ([0], [n // 2], [3, n - 1], [n // 3, n // 3 + 1, 100]):
            check_partition(x, kth, -1)


@pytest.mark.parametrize("n", [384, 1000, 8191, 8192])
def test_integers_of_every_width(n):
    for width in range(30, 45):  # around the width at which sorting by leading digits starts
        x = numpy.random.default_rng(width).integers(0, 2**width, n)
        for keys in (x, x << 3, -x):
            numpy.testing.assert_array_equal(np.argsort(np.array(keys)), numpy.argsort(keys, kind="stable"))
            numpy.testing.assert_array_equal(np.sort(np.array(keys)), numpy.sort(keys))


@pytest.mark.parametrize("n, largest", [(0, 0), (1, 0), (1000, 5), (300_000, 1000), (300_000, 2000), (1000, 100_000)])
@pytest.mark.parametrize("dtype", ["i8", "i4", "u2", "?"])
def test_bincount(n, largest, dtype):
    rng = numpy.random.default_rng(n)
    x = rng.integers(0, largest + 1, n).astype(dtype)
    agrees("bincount", x)
    agrees("bincount", x, None, 20)
    agrees("bincount", numpy.repeat(x, 2)[::2])
    weights = rng.integers(-9, 9, n).astype(float)
    agrees("bincount", x, weights)
    agrees("bincount", x, weights.astype("f4"), minlength=3)


def test_bincount_errors():
    for wrong, error in (([-1], ValueError), ([[1]], ValueError), (5, ValueError), ([1.5], TypeError), ([1j], TypeError)):
        with pytest.raises(error):
            np.bincount(wrong)
    for kwargs, error in ({"minlength": -1}, ValueError), ({"minlength": None}, TypeError), ({"weights": [1, 2]}, ValueError), ({"weights": [1j]}, TypeError):
        with pytest.raises(error):
            np.bincount([1], **kwargs)
    counted = torch_np.bincount(torch_np.tensor([1, 1, 3]), torch_np.tensor([1.0, 2.0, 3.0]))
    assert counted.dtype is torch_np.float32 and counted.tolist() == [0, 3, 0, 3]
    w = np.array([1.0, 2.0, 3.0], _requires_grad=True)
    (np.bincount([1, 1, 3], w) * np.array([5.0, 6, 7, 8]))._backward(np.ones(4))
    assert w._grad.tolist() == [6, 6, 8]


def test_nonzero_of_many():
    rng = numpy.random.default_rng(0)
    for shape in ((100_000,), (300, 5, 70), (70_000, 2), (0, 3)):
        for density in (0, 0.01, 0.6, 1):
            x = rng.random(shape) < density
            agrees("nonzero", x)
            agrees("nonzero", x.T)


def test_partition_and_argpartition_give_one_order():
    for n in (3, 17, 32):
        for kth in ([1], [1, n - 2], [n - 2, 1]):
            a = np.random.permutation(n)
            assert (a[np.argpartition(a, kth)] == np.partition(a, kth)).all()
