"""Calls that the fuzzer (test/fuzz) found to differ from NumPy, each once repaired."""
import numpy
import pytest
from layouts import agrees

import torch_np.numpy as np


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint64", "int32", "float16", "float32", "complex64"])
def test_poly_of_integers_is_float64(dtype):
    agrees("poly", numpy.array([1, 0, 1]).astype(dtype))


def test_angle_of_bools_is_float64():
    agrees("angle", numpy.array([True, False]))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float16", "float32", "float64", "complex64"])
def test_sort_complex_is_short_for_short_integers_only(dtype):
    agrees("sort_complex", numpy.array([3, 1, 2]).astype(dtype))


@pytest.mark.parametrize("function", ["emath.sqrt", "emath.arcsin", "emath.arctanh", "emath.log2"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "float16", "float32", "float64"])
def test_emath_is_complex_as_numpys(function, dtype):
    x = numpy.array([-2]).astype(dtype)
    expected = numpy.emath.__dict__[function.partition(".")[2]](x)
    got = getattr(np.emath, function.partition(".")[2])(np.asarray(x))
    assert got.dtype == expected.dtype
    numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64"])
def test_sinc_of_zero_is_one(dtype):
    x = numpy.array([0, 1, -0.0]).astype(dtype)
    numpy.testing.assert_allclose(numpy.asarray(np.sinc(np.asarray(x))), numpy.sinc(x), atol=1e-3)


def test_ravel_multi_index_in_no_order_is_in_rows():
    agrees("ravel_multi_index", ([0], [3]), (3, 4), order=None)
    agrees("unravel_index", [1, 7], (3, 4), None)


@pytest.mark.parametrize("method", ["linear", "hazen", "weibull"])
def test_quantiles_beside_an_infinity_that_has_no_weight(method):
    agrees("nanquantile", numpy.array([[5.0], [numpy.inf]], "f4"), [0.1, 0.0], method=method)
    assert float(np.quantile(np.array([1.0, 2.0, numpy.inf]), 0.5)) == 2


def test_vander_of_negative_width_raises():
    agrees("vander", numpy.ones(2), -1)


def test_edges_of_histogramdd_are_a_list():
    assert type(np.histogramdd(np.ones(3))[1]) is list


def test_vector_norm_without_order_is_the_second():
    assert float(np.linalg.vector_norm(np.array([3.0, 4.0]), ord=None)) == 5


def test_poly1d_is_called_with_val():
    assert float(np.poly1d([2, 1])(val=3)) == 7


@pytest.mark.parametrize("size", [None, 0, 5, (2, 3), 5000])
@pytest.mark.parametrize("kind", ["PCG64", "MT19937", "Philox", "SFC64"])
def test_random_raw_as_numpys(kind, size):
    theirs = getattr(numpy.random, kind)(1).random_raw(size)
    assert numpy.array_equal(numpy.asarray(getattr(np.random, kind)(1).random_raw(size)), theirs)


def test_too_many_raw_words_raise_at_once():
    with pytest.raises((ValueError, MemoryError)):
        np.random.MT19937(1).random_raw(2**62)


@pytest.mark.parametrize("n", [1, 4, 5, 6])
def test_diff_of_high_order_is_empty(n):
    agrees("diff", numpy.arange(5.0) ** 3, n)
    agrees("diff", numpy.ones((2, 3)), n, axis=0)


def test_diff_of_an_absurd_order_ends():
    assert np.diff(np.ones((2, 5)), 2**63 - 1).shape == (2, 0)


@pytest.mark.parametrize("name", ["add", "maximum", "arctan2", "hypot"])
@pytest.mark.parametrize("axis", [0, (0,), (-1,), None])
def test_methods_along_one_axis_take_it_in_a_tuple(name, axis):
    x = numpy.array([3.0, 1.0, 2.0])
    for method, arguments in (("accumulate", ()), ("reduceat", ([0, 2],))):
        expected = getattr(getattr(numpy, name), method)(x, *arguments, axis=axis)
        numpy.testing.assert_allclose(numpy.asarray(getattr(getattr(np, name), method)(np.asarray(x), *arguments, axis=axis)), expected)
    with pytest.raises(ValueError, match="multiple axes"):
        np.add.accumulate(np.ones((2, 2)), axis=(0, 1))


@pytest.mark.parametrize("key", [slice(None, None, -1), slice(None, None, 2)])
@pytest.mark.parametrize("order", ["C", "F", "K"])
def test_ravel_of_one_row_is_contiguous(key, order):
    x = np.arange(6.0)[key]
    row = x.ravel(order)
    assert row.flags.c_contiguous and not np.may_share_memory(row, x)
    assert row.tolist() == numpy.arange(6.0)[key].ravel(order).tolist()


def test_ravel_of_what_is_contiguous_is_a_view():
    x = np.arange(6.0)
    assert np.may_share_memory(x.reshape(2, 3).ravel(), x)


@pytest.mark.parametrize("value", [1.8, -1.8, complex(1.8, -0.0), complex(-1.8, -0.0), 0.5, 0.3 + 0.4j])
@pytest.mark.parametrize("name", ["arcsin", "arccos"])
def test_gradients_on_the_cuts_are_those_of_the_side_that_the_values_are_on(name, value):
    value = complex(value)
    z = np.array(value, complex, _requires_grad=True)
    y = getattr(np, name)(z)
    (y.real + 2 * y.imag)._backward()
    step = 1e-6  # along the cut: across it the functions jump
    after, before = (getattr(numpy, name)(complex(value.real + d, value.imag)) for d in (step, -step))
    slope = (after - before) / (2 * step)
    assert abs(complex(z._grad).real - (slope.real + 2 * slope.imag)) < 1e-5


@pytest.mark.parametrize("m", [1, 2, 3, 4, 9])
def test_polyder_of_high_order_is_empty(m):
    agrees("polyder", numpy.array([1.0, 2.0, 3.0]), m)


def test_polyder_of_an_absurd_order_ends():
    assert np.polyder(np.ones(3), 1e300).shape == (0,)
