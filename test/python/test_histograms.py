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
