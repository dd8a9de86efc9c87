"""Calls whose dtype, order or exceptions were not NumPy's."""
from __future__ import annotations

import numpy
import pytest

import torch_np.numpy as np


AS_NUMPYS = {
    "gradient keeps float32": lambda m: m.gradient(m.array([1, 2, 4], "f4"), m.array([0.0, 1, 3])), "gradient by a wide number": lambda m: m.gradient(m.array([1, 2, 4], "f4"), numpy.float64(3)),
    "einsum ignores a path's name": lambda m: m.einsum("i,i->i", m.arange(3), m.arange(3), optimize="auto"),
    "quantiles are in C order": lambda m: m.quantile(m.asfortranarray(m.arange(24.0).reshape(4, 6)), [0.1, 0.5], axis=0),
    "windows of nothing": lambda m: m.lib.stride_tricks.sliding_window_view(m.zeros((2, 0))[::-1], 1, axis=0)}


@pytest.mark.parametrize("name", AS_NUMPYS)
def test_values_dtypes_and_order_are_numpys(name):
    expected, got = AS_NUMPYS[name](numpy), AS_NUMPYS[name](np)
    assert got.dtype == expected.dtype and got.shape == expected.shape and got.flags.c_contiguous == expected.flags.c_contiguous
    numpy.testing.assert_array_equal(numpy.asarray(got), expected)
