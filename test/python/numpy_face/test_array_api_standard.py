"""Requirements of the Python array API standard (2025.12) beyond NumPy."""
import math

import numpy
import pytest

import torch_np.numpy as np

inf, nan = math.inf, math.nan


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("n", [1, 1000])
def test_floor_division_of_and_by_infinities_is_the_quotient(dtype, n):
    for a, b, quotient in ((inf, 2, inf), (inf, -2, -inf), (-inf, 2, -inf), (-inf, -2, inf), (inf, 0, inf), (1, inf, 0.), (1, -inf, -0.),
                           (-1, inf, -0.), (-1, -inf, 0.), (inf, inf, nan), (-inf, inf, nan), (nan, inf, nan), (7, 2, 3), (-7, 2, -4)):
        x, y = np.full(n, a, dtype=dtype), np.full(n, b, dtype=dtype)
        with numpy.errstate(all="ignore"):
            found = numpy.asarray(x // y)
            x //= y
        wanted = numpy.full(n, quotient, dtype=dtype)
        assert numpy.array_equal(found, wanted, equal_nan=True), (a, b, found[0])
        assert numpy.array_equal(numpy.signbit(found), numpy.signbit(wanted)) or math.isnan(quotient), (a, b)
        assert numpy.array_equal(numpy.asarray(x), wanted, equal_nan=True)


def test_divmod_and_remainder_stay_pythons():
    x, y = np.array([inf, 1., -1., 7.]), np.array([2., -inf, inf, -2.])
    with numpy.errstate(all="ignore"):
        for mine, numpys in zip(np.divmod(x, y), numpy.divmod(numpy.asarray(x), numpy.asarray(y))):
            assert numpy.array_equal(numpy.asarray(mine), numpys, equal_nan=True)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_expm1_of_complex_infinities_and_nans_is_the_limit(dtype):
    for z, re, im in ((complex(inf, 0), inf, 0.), (complex(-inf, 0), -1, 0.), (complex(-inf, inf), -1, 0.), (complex(-inf, nan), -1, 0.),
                      (complex(inf, inf), inf, nan), (complex(inf, nan), inf, nan), (complex(nan, 0), nan, 0.), (complex(nan, 1), nan, nan),
                      (complex(0, 0), 0, 0.), (complex(0, -0.), 0, -0.), (complex(1, inf), nan, nan)):
        with numpy.errstate(all="ignore"):
            w = complex(np.expm1(np.array([z, z], dtype=dtype))[0])
        for found, wanted in ((w.real, re), (w.imag, im)):
            assert found == wanted or (math.isnan(found) and math.isnan(wanted)), (z, w)
        assert math.copysign(1, w.imag) == math.copysign(1, im) or math.isnan(im), (z, w)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64", "complex64"])
def test_sort_and_argsort_go_down_and_keep_the_order_of_equal_elements(dtype):
    x = numpy.random.default_rng(5).integers(0, 7, (40, 3)).astype(dtype)
    a = np.asarray(x)
    for axis in (0, 1, None):
        line = x.reshape(-1) if axis is None else x
        at = -1 if axis is None else axis
        wanted = numpy.flip(numpy.sort(line, at), at)
        assert numpy.array_equal(numpy.asarray(np.sort(a, axis=axis, descending=True)), wanted)
        places = numpy.asarray(np.argsort(a, axis=axis, descending=True, stable=True))
        n = line.shape[at]
        assert numpy.array_equal(places, n - 1 - numpy.flip(numpy.argsort(numpy.flip(line, at), at, stable=True), at))
    assert numpy.array_equal(numpy.asarray(np.sort(a, descending=False)), numpy.sort(x))


def test_sort_down_has_a_gradient():
    x = np.array([3., 1., 2.], _requires_grad=True)
    (np.sort(x, descending=True) * np.array([1., 10., 100.])).sum()._backward()
    assert x._grad.tolist() == [1., 100., 10.]


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_have_the_dtype_that_is_asked_for(name):
    function, numpys = getattr(np.fft, name), getattr(numpy.fft, name)
    for dtype in ("float32", "float64", np.float16):
        found = function(9, d=0.25, dtype=dtype)
        assert found.dtype == numpy.dtype(dtype) and numpy.array_equal(numpy.asarray(found), numpys(9, 0.25).astype(dtype))
    assert function(9).dtype == numpy.float64
    for dtype in (int, complex):
        with pytest.raises(TypeError, match=f"{name}: dtype must be a real floating-point dtype"):
            function(9, dtype=dtype)


def test_devices_are_a_tuple_and_the_version_is_known():
    devices = np.__array_namespace_info__().devices()
    assert isinstance(devices, tuple) and devices[0] == "cpu"
    assert np.zeros(2).__array_namespace__(api_version="2025.12") is np
