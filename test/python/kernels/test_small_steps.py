"""Operands with small strides: every second, third or fourth element, or backwards. They are
gathered in pieces (Note [Small steps]), and results are bitwise equal to those of dense operands."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import ours, theirs

LENGTHS = [31, 32, 33, 63, 64, 65, 127, 129, 511, 512, 513, 1025]
STEPS = [-4, -2, -1, 2, 3, 4, 5]
DTYPES = ["f4", "f8", "f2", "i1", "u2", "i4", "i8", "c8", "c16", "?"]


def numbers(n, dtype, seed=0):
    x = numpy.random.default_rng(seed).integers(1, 100, n)
    return (x % 2).astype(dtype) if dtype == "?" else (x / 7).astype(dtype) if numpy.dtype(dtype).kind in "fc" else x.astype(dtype)


def every(step, n, dtype, seed=0):
    """`n` elements whose last one is at the end of the memory, so that reading further leaves the
    array."""
    x = numbers((n - 1) * abs(step) + 1, dtype, seed)
    return x[::step]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_few(dtype):
    for n in LENGTHS:
        dense = numbers(n, dtype, 1)
        for step in STEPS:
            x, y = every(step, n, dtype), every(2, n, dtype, 2)
            for call in (lambda a, b, d: a + b, lambda a, b, d: d * a, lambda a, b, d: a < d, lambda a, b, d: a * a[3]):
                expected, got = call(x, y, dense), theirs(call(ours(x), ours(y), ours(dense)))
                assert got.dtype == expected.dtype
                numpy.testing.assert_array_max_ulp(got, expected, 1) if got.dtype.kind == "f" else numpy.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "c8"])
def test_where_and_outputs(dtype):
    for n in (40, 515):
        x, y, c = every(2, n, dtype), every(-1, n, dtype, 1), numbers(3 * n, "?", 2)[::3]
        numpy.testing.assert_array_equal(theirs(np.where(ours(c), ours(x), ours(y))), numpy.where(c, x, y))
        got, expected = np.zeros(2 * n, dtype), numpy.zeros(2 * n, dtype)
        np.subtract(ours(x), ours(y), out=got[::2])
        numpy.subtract(x, y, out=expected[::2])
        numpy.testing.assert_array_equal(theirs(got), expected)


def test_images_channels():
    image = numpy.random.default_rng(0).integers(0, 255, (37, 41, 3)).astype("u1")
    other = image[::-1, ::-1]
    for k in range(3):
        numpy.testing.assert_array_equal(theirs(ours(image)[..., k] // 2 + ours(other)[..., 2 - k] // 2), image[..., k] // 2 + other[..., 2 - k] // 2)


def test_operands_that_overlap_the_result():
    for n in (200, 1500):
        a, b = numpy.arange(float(n)), np.arange(float(n))
        a[:n // 2] += a[::2]
        b[:n // 2] += b[::2]
        numpy.testing.assert_array_equal(theirs(b), a)
        a[::-1] *= a
        b[::-1] *= b
        numpy.testing.assert_array_equal(theirs(b), a)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_products_have_the_same_bits_everywhere(dtype):
    rng = numpy.random.default_rng(0)
    x, y = ((rng.standard_normal(67) + 1j * rng.standard_normal(67)).astype(dtype) for _ in range(2))
    whole = theirs(ours(x) * ours(y))
    for begin in range(8):
        for end in range(begin + 1, 67):
            numpy.testing.assert_array_equal(theirs(ours(x[begin:end]) * ours(y[begin:end])), whole[begin:end])
    by_number = theirs(ours(x) * ours(y)[5])
    numpy.testing.assert_array_equal(by_number, theirs(ours(y)[5] * ours(x)))
    numpy.testing.assert_array_equal(by_number, numpy.array([theirs(ours(v.reshape(1)) * ours(y[5:6]))[0] for v in x]))
    re, im = x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real  # each step rounded
    numpy.testing.assert_array_equal(whole, (re + 1j * im).astype(dtype))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_quotients_have_the_same_bits_everywhere(dtype):
    rng = numpy.random.default_rng(1)
    x, y = ((rng.standard_normal(67) + 1j * rng.standard_normal(67)).astype(dtype) for _ in range(2))
    whole = theirs(ours(x) / ours(y))
    numpy.testing.assert_allclose(whole, x / y, rtol=1e-5 if dtype == "complex64" else 1e-13)
    for begin in range(8):
        for end in range(begin + 1, 67):
            numpy.testing.assert_array_equal(theirs(ours(x[begin:end]) / ours(y[begin:end])), whole[begin:end])


def test_complex_products_of_infinities():
    x = np.array([complex("inf"), complex("nan"), 1e200 + 1e200j, 0j] * 9)
    with np.errstate(all="ignore"), numpy.errstate(all="ignore"):
        y = theirs(x)
        re, im = y.real * y.real - y.imag * y.imag, y.real * y.imag + y.imag * y.real
        numpy.testing.assert_array_equal(theirs(x * x).real, re)
        numpy.testing.assert_array_equal(theirs(x * x).imag, im)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        x[2:3] * x[2:3]


def test_both_faces():
    t = torch_np.arange(100.0)
    assert bool((t[::2] + t[1::2] == torch_np.arange(50.0) * 4 + 1).all())


def test_complex_numbers_aligned_as_floats():
    x = numpy.arange(801, dtype="f4")[1:].view("c8")
    numpy.testing.assert_array_equal(theirs(ours(x)[::2] + ours(x)[1::2]), x[::2] + x[1::2])
