"""Histograms, compared with NumPy's."""
import numpy
import pytest

import torch_np.numpy as np

RULES = ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]
SAMPLES = {"normal": numpy.random.RandomState(0).normal(size=300), "two": numpy.array([1.0, 2.0]), "one": numpy.array([3.0]),
           "same": numpy.full(5, 2.0), "integers": numpy.arange(40) % 7, "none": numpy.array([]), "skewed": numpy.random.RandomState(1).exponential(size=200)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_rules_for_the_number_of_bins(rule, sample):
    x = SAMPLES[sample]
    for limits in (None, (0.5, 3.0)):
        want, got = numpy.histogram_bin_edges(x, rule, limits), np.histogram_bin_edges(np.array(x), rule, limits)
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-12)
        counts, edges = np.histogram(np.array(x), rule, limits)
        assert counts.tolist() == numpy.histogram(x, rule, limits)[0].tolist()


def test_stone_warns_when_the_most_bins_are_best():
    x = numpy.array([0.0] * 50 + [1.0])
    for xp in (numpy, np):
        with pytest.warns(RuntimeWarning, match="may be suboptimal"):
            xp.histogram(x, "stone")


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u1"])  # NumPy sorts in it: sorted_order.py
def test_the_last_bin_is_closed_and_nothing_beyond_is_counted(dtype):
    inf, nan = numpy.inf, numpy.nan
    for edges in ([0.0, 1, 2], [0, 1, 2], [0.0, 2, 2], [2.0, 2], [-1.0, 0], [0.0, inf], [-inf, 0, inf], [-inf, 1], numpy.float32([0, 0.1, 2.5]), numpy.array([1, 2], "u1")):
        values = [0, 1, 2, 2, 3, 0, 1]
        if dtype[0] == "f":
            past = [numpy.nextafter(numpy.float64(e), inf) for e in (0, 2, numpy.float32(0.1), numpy.float32(2.5))]
            values += [nan, inf, -inf, -0.0, 2.5, numpy.float32(0.1), numpy.nextafter(numpy.dtype(dtype).type(2), inf), *past]
        a = numpy.array(values).astype(dtype)
        for weights in (None, numpy.arange(a.size) / 8, numpy.arange(a.size), numpy.arange(a.size) * 1j):
            expected, got = ([numpy.asarray(r) for r in xp.histogram(xp.asarray(a), edges, weights=None if weights is None else xp.asarray(weights))]
                             for xp in (numpy, np))
            for e, g in zip(expected, got):
                assert e.dtype == g.dtype and numpy.array_equal(e, g), (edges, weights)
