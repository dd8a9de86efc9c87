"""np.interp at the points themselves, at coinciding points, and beyond them: as NumPy's."""
import itertools
import warnings

import numpy
import pytest

import torch_np.numpy as np
from torch_np.autograd import gradcheck

POINTS = [[0, 4, 4], [0, 0, 4], [4], [4, 4], [0, 4], [0, 1, 1, 1, 3], [1, 1, 1], [-2, -2, 0, 5, 5, 5], [0, 1, numpy.inf], [-numpy.inf, 0, 1]]
WHERE = [4.0, 0.0, -1.0, 5.0, 1.0, 2.5, numpy.nan, numpy.inf, -numpy.inf]


@pytest.mark.parametrize("points", POINTS, ids=str)
@pytest.mark.parametrize("kind", ["real", "complex", "infinite"])
def test_every_place_among_points_that_may_coincide(points, kind):
    values = numpy.arange(1.0, len(points) + 1)
    values = values * (1 - 2j) if kind == "complex" else numpy.where(values == 2, numpy.inf, values) if kind == "infinite" else values
    for options in ({}, {"left": -9.0}, {"right": 7.0}, {"left": -9.0, "right": 7.0}):
        for x in (numpy.array(WHERE), numpy.array(WHERE)[::-2], numpy.array(WHERE).reshape(3, 3).T, *WHERE, numpy.zeros(0)):
            with numpy.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = numpy.asarray(numpy.interp(x, points, values, **options))
            got = numpy.asarray(np.interp(np.asarray(x), points, np.asarray(values), **options))
            assert got.dtype == expected.dtype and got.shape == expected.shape
            numpy.testing.assert_allclose(got, expected, rtol=1e-15, err_msg=f"{x} {options}")


@pytest.mark.parametrize("dtype", ["f4", "i4", "u1", "f8"])
def test_sorted_points_of_many(dtype):
    rng = numpy.random.default_rng(0)
    for n in range(1, 20):
        points = numpy.sort(rng.integers(0, 6, n)).astype(dtype)
        values = rng.standard_normal(n)
        x = numpy.linspace(-1, 7, 33)
        numpy.testing.assert_allclose(numpy.asarray(np.interp(x, points, values)), numpy.interp(x, points, values), rtol=1e-13, atol=1e-14)


def test_periods():
    for period, x in itertools.product((4.0, 360.0, -5.0), (numpy.arange(-6.0, 6), 2.0)):
        got, expected = (xp.interp(x, [1, 5, 3], [3.0, 1, 2], period=period) for xp in (np, numpy))
        numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-13)


def test_gradients():
    x, values = np.array([0.5, 3.5, 2.2, -1.0], _requires_grad=True), np.array([1.0, 5.0, 2.0], _requires_grad=True)
    assert gradcheck(lambda x, v: np.interp(x, [0.0, 2.0, 4.0], v), [x, values])
    np.interp(np.array([4.0]), [0, 4, 4], values).sum()._backward()
    assert values._grad.tolist() == [0, 0, 1]


def test_complex_places_raise_and_complex_values_do_not():
    for xp in (numpy, np):
        for x, places in ((1j, [0., 1.]), (0.5, [0j, 1.])):
            with pytest.raises(TypeError):
                xp.interp(x, places, [1., 2.])
        assert xp.interp(0.5, [0, 1], [1j, 2]) == 1 + 0.5j


@pytest.mark.same_on_devices("a number on a device is a 0-d array")
@pytest.mark.parametrize("xp", [[1.0], [1.0, 2.0], [1.0, 1.0, 2.0], [-numpy.inf, 0.0, numpy.inf], [0.0, 1.0, numpy.nan], [0, 1, 5]])
@pytest.mark.parametrize("fp", [[3.0, 2.0, 0.5], [numpy.inf, 1.0, -numpy.inf], [numpy.nan, 1.0, 1.0], [1, 2, 3]])
@pytest.mark.parametrize("ends", [{}, {"left": -1.0}, {"left": numpy.nan, "right": 7}])
def test_every_place_between_points(xp, fp, ends):
    fp = fp[:len(xp)]
    x = numpy.array([-numpy.inf, -2, 0, 0.5, 1, 1.5, 2, 5, 1e300, numpy.inf, numpy.nan])
    with numpy.errstate(all="ignore"):
        numpy.testing.assert_array_equal(numpy.asarray(np.interp(np.array(x), xp, fp, **ends)), numpy.interp(x, xp, fp, **ends))
        for value in x.tolist():
            ours = np.interp(value, xp, fp, **ends)
            assert type(ours) is numpy.float64
            numpy.testing.assert_equal(ours, numpy.interp(value, xp, fp, **ends))


def test_many_coordinates_of_other_dtypes_and_layouts():
    x = numpy.random.default_rng(0).integers(-5, 300, 40_000).reshape(200, 200).T
    xp, fp = numpy.arange(256, dtype="f4")[::2], numpy.sin(numpy.arange(128))
    numpy.testing.assert_array_equal(numpy.asarray(np.interp(np.array(x), np.array(xp), np.array(fp))), numpy.interp(x, xp, fp))
