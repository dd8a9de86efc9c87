"""Regression tests of failures in NumPy's own suite: a few calls of each, compared with NumPy."""
import math

import numpy
import pytest

import torch_np.numpy as np

nan = math.nan


def same(call):
    ours, numpys = (call(xp) for xp in (np, numpy))
    for a, b in zip(ours if isinstance(ours, (tuple, list)) else [ours], numpys if isinstance(numpys, (tuple, list)) else [numpys]):
        a = numpy.asarray(a)
        assert a.dtype == b.dtype and a.shape == b.shape and numpy.array_equal(a, b, equal_nan=a.dtype.kind in "fc"), (a, b)


def refuses(call, error, match):
    for xp in (numpy, np):
        with pytest.raises(error, match=match):
            call(xp)


@pytest.mark.parametrize("right", [False, True])
def test_digitize_with_decreasing_bins_closes_the_other_end(right):
    for bins in ([5, 4, 3, 1, 0], [5., 5., 2., 2.], [1., 1.], [0, 1, 3]):
        same(lambda xp: xp.digitize(xp.array([-1., 0, 1, 2, 3, 4, 5, 6]), xp.array(bins), right))
    refuses(lambda xp: xp.digitize([1, 2], [1, 2 + 1j]), TypeError, "")


@pytest.mark.parametrize("values", [[0, 1, 2, 3, complex(0, nan)], [3, complex(0, nan), 4], [complex(0, nan), 5], [3, complex(nan, 0)],
                                    [complex(9, nan), complex(nan, 9), 1]])
def test_a_complex_number_with_a_nan_part_is_the_largest_and_the_smallest(values):
    for dtype in ("complex64", "complex128"):
        for n in (1, 9):
            x = numpy.array(values * n, dtype)
            for name in ("max", "min", "argmax", "argmin"):
                same(lambda xp: getattr(xp, name)(xp.asarray(x)))
                same(lambda xp: getattr(xp, name)(xp.asarray(x).reshape(n, -1), axis=0))


def test_quantiles_without_nans_have_the_weights_of_what_is_left():
    x = numpy.random.default_rng(3).random((4, 6))
    x[0, 1] = x[2] = nan
    w = numpy.random.default_rng(4).integers(0, 5, (4, 6))
    w[:, 0] = 1
    for axis in (0, 1, None):
        with numpy.testing.suppress_warnings() as quiet:
            quiet.filter(RuntimeWarning)
            for name, q in (("nanquantile", [0.2, 0.5]), ("nanpercentile", 40)):
                same(lambda xp: getattr(xp, name)(xp.asarray(x), q, axis=axis, weights=xp.asarray(w), method="inverted_cdf"))
    x[2] = 0.5  # NumPy uses weights of one axis, together with NaNs, as those of the first row
    of_lines = np.nanquantile(np.asarray(x), 0.5, axis=1, weights=np.asarray(w[0]), method="inverted_cdf")
    assert (of_lines == numpy.nanquantile(x, 0.5, axis=1, weights=numpy.tile(w[0], (4, 1)), method="inverted_cdf")).all()


@pytest.mark.parametrize("mode", ["edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap"])
def test_margins_keep_columns_first(mode):
    for order in "CF":
        for shape in ((3, 4), (2, 3, 4)):
            padded = [xp.pad(xp.ones(shape, order=order), 2, mode) for xp in (np, numpy)]
            assert [p.flags.f_contiguous for p in padded] == [order == "F"] * 2


def test_margins_of_nothing_are_refused():
    refuses(lambda xp: xp.pad(xp.zeros((0, 2)), 1, "linear_ramp"), ValueError, "can't extend empty axis 0 using modes other than")
    refuses(lambda xp: xp.pad([1., 2.], 0, "maximum", stat_length=0), ValueError, "stat_length of 0 yields no value for padding")


def test_places_in_shapes():
    refuses(lambda xp: xp.unravel_index([], (3, 5)), TypeError, "indices must be integral")
    refuses(lambda xp: xp.unravel_index(xp.array([]), (3, 5)), TypeError, "only int indices permitted")
    refuses(lambda xp: xp.unravel_index(1, (2**32 - 1, 2**31 + 1)), ValueError, "dimensions are too large")
    refuses(lambda xp: xp.unravel_index([0], ()), ValueError, "0d array")
    for mode in ("clip", "wrap", "raise"):
        refuses(lambda xp: xp.ravel_multi_index(xp.zeros((3, 1), dtype=int), (2, 1, 0), mode=mode), ValueError, "")
        same(lambda xp: xp.ravel_multi_index(xp.zeros((3, 0), dtype=int), (2, 1, 0), mode=mode))


def test_a_slice_alone_is_a_range():
    f = numpy.float32
    same(lambda xp: xp.mgrid[f(0.1):f(0.33):f(0.1)])
    same(lambda xp: xp.mgrid[f(0.1):f(0.33):f(0.1), ])
    same(lambda xp: xp.r_[0:36:numpy.complex64(10j)])
    same(lambda xp: xp.r_[0:5:0.5, 7])


def test_histograms_of_points():
    same(lambda xp: xp.histogramdd([0.9999999995], bins=[[0., 0.5, 1.0]])[0])
    refuses(lambda xp: xp.histogramdd(xp.arange(8).reshape(2, 4), bins=[1, 0.99, 1, 1]), ValueError, r"`bins\[1\]` must be positive")
    refuses(lambda xp: xp.histogramdd(xp.ones((1, 10)), bins=2**10), ValueError, "")
    with pytest.warns(RuntimeWarning, match="Converting input from bool"):
        same(lambda xp: xp.histogram([True, True, False]))


def test_numbers_are_weak_where_closeness_is_asked():
    below_one = 1. - 2.**-52
    for a, b, options in ((1, below_one, {}), (1, numpy.float64(below_one), {}), (1, 2, {"rtol": below_one / 2}), (1, 2, {"rtol": numpy.float64(below_one / 2)}),
                          (1, 0, {"atol": below_one})):
        same(lambda xp: xp.isclose(xp.array(a, "f4"), b, **{"atol": 0, "rtol": 0, **options}))
    same(lambda xp: xp.isclose(1, 1 + 1e-9) & xp.isclose(nan, nan, equal_nan=True) & ~xp.isclose(1.0, 2))
    for options in ({"atol": math.inf}, {"rtol": nan}, {"atol": numpy.array([1, nan, 2])}):
        for xp in (np, numpy):
            with pytest.warns(RuntimeWarning, match="One of rtol or atol is not valid, atol: "):
                xp.isclose(xp.ones(3), 2, **options)


def test_equal_nans_of_a_line_along_its_axis():
    for axis in (0, -1):
        same(lambda xp: xp.unique(xp.array([nan, 0., nan]), axis=axis, return_inverse=True, return_counts=True))


def test_choices_of_the_method_may_be_separate_and_the_result_owns_its_memory():
    for xp in (np, numpy):
        index = xp.array([[0, 1], [2, 0]])
        chosen = index.choose(xp.array([1., 2.]), 5, 6)
        assert chosen.tolist() == [[1., 5.], [6., 2.]] and chosen.flags.owndata
        assert index.choose([1, 2, 3]).tolist() == [[1, 2], [3, 1]]


def test_results_of_ufuncs_may_be_given_by_position():
    for xp in (np, numpy):
        x, mantissa, exponent = xp.array([3., 5.]), xp.empty(2), xp.empty(2, dtype="i4")
        first, second = xp.frexp(x, mantissa, None)
        assert first is mantissa and mantissa.tolist() == [0.75, 0.625] and second.tolist() == [2, 3]
        assert xp.frexp(x, mantissa, exponent)[1] is exponent
        with pytest.raises(TypeError, match="cannot specify 'out' as both a positional and keyword argument"):
            xp.frexp(x, mantissa, out=(None, None))
    refuses(lambda xp: xp.hypot(1), TypeError, r"hypot\(\) takes from 2 to 3 positional arguments but 1 was given")
    refuses(lambda xp: xp.hypot(1, 2, 3, 4), TypeError, r"hypot\(\) takes from 2 to 3 positional arguments but 4 were given")


def test_a_mask_without_out_is_warned_of():
    for xp in (np, numpy):
        a = xp.arange(4)
        with pytest.warns(UserWarning, match="'where' used without 'out'"):
            assert xp.add(a, a, where=a > 1)[2:].tolist() == [4, 6]
        with numpy.testing.assert_no_warnings():
            xp.add(a, a, where=a > 1, out=None), xp.add(a, a, where=True)


def test_what_is_no_dtype_of_a_loop_is_refused():
    refuses(lambda xp: xp.add(3, 4, signature="%^->#"), ValueError, "")
    refuses(lambda xp: xp.add.resolve_dtypes((None, numpy.dtype("i2"), numpy.dtype("i2"))), TypeError, "")


def test_array_wrap_gives_a_scalar_where_it_is_asked_for():
    for xp in (np, numpy):
        x, zero = xp.ones(2), xp.array(3, dtype="i1")
        assert type(x.__array_wrap__(zero, None, True)) is numpy.int8 and x.__array_wrap__(zero, None, False).shape == ()
        assert type(x.__array_wrap__(x, None, True)) is xp.ndarray
