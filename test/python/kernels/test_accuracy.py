"""Elementwise functions are within 1 ULP of the true value, over all magnitudes, and sums are as
accurate as NumPy's. On a GPU, they are within the documented bounds of its mathematical library
(device_accuracy.py).

The reference is the C library's extended precision (64 bits of mantissa): its own error is a thousandth of a ULP of
float64. Exceptions to the bound are named in ABSOLUTE, with their reason.
"""
import numpy
import pytest
from device_accuracy import bound

import torch_np.numpy as np

UNARY = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
         "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "reciprocal", "square", "deg2rad", "rad2deg"]
BINARY = ["power", "arctan2", "hypot", "logaddexp", "logaddexp2", "divide", "fmod", "remainder", "multiply", "add", "subtract"]
POINTS = 100_000
# log(exp(a) + exp(b)) is the larger operand plus a correction, as in NumPy. Where the two nearly
# cancel, the error is within 3 ULPs of the larger operand. float32 is computed in float64, and
# needs no exception.
ABSOLUTE = {"logaddexp", "logaddexp2"}

pytestmark = pytest.mark.skipif(numpy.finfo(numpy.longdouble).nmant < 63, reason="the C library has no extended precision here")


def points(dtype, seed):
    """Points: a third from all bit patterns (including subnormals, infinities and NaN), a third
    moderate, a third small."""
    rng = numpy.random.default_rng(seed)
    n = POINTS // 3
    bits = rng.integers(0, 2 ** (8 * dtype.itemsize), n, dtype=f"u{dtype.itemsize}", endpoint=False).view(dtype)
    moderate = rng.uniform(-12, 12, n).astype(dtype)
    small = (rng.uniform(-2, 2, n) * 2.0 ** rng.integers(-30, 1, n)).astype(dtype)
    special = numpy.array([0.0, -0.0, 1, -1, 0.5, numpy.inf, -numpy.inf, numpy.nan, numpy.finfo(dtype).max, -numpy.finfo(dtype).max,
                           numpy.finfo(dtype).tiny, numpy.finfo(dtype).smallest_subnormal, numpy.pi, 1e22, 2.0 ** 60], dtype)
    return numpy.concatenate([bits, moderate, small, special])


def error_in_ulp(result, reference, dtype):
    """The error of each result in units in the last place; infinite if only one of the two is NaN,
    or for a wrong infinity."""
    with numpy.errstate(all="ignore"):
        rounded = reference.astype(dtype)
        spacing = numpy.abs(numpy.spacing(numpy.where(numpy.isfinite(rounded), rounded, 0)))
        error = numpy.abs(result.astype(numpy.longdouble) - reference) / spacing.astype(numpy.longdouble)
    limit = numpy.longdouble(numpy.finfo(dtype).max)
    both_huge = (numpy.abs(reference) >= limit * (1 - numpy.finfo(dtype).eps)) & (numpy.abs(result.astype(numpy.longdouble)) >= limit)
    agree = (numpy.isnan(result) & numpy.isnan(reference)) | (both_huge & (numpy.signbit(result) == numpy.signbit(reference)))
    error = numpy.where(agree, 0, error)
    return numpy.where(numpy.isnan(error), numpy.inf, error)


def check(name, dtype, *operands):
    with numpy.errstate(all="ignore"):
        reference = getattr(numpy, name)(*(x.astype(numpy.longdouble) for x in operands))
    result = numpy.asarray(getattr(np, name)(*(np.asarray(x) for x in operands)))
    assert result.dtype == dtype
    error = error_in_ulp(result, reference, dtype)
    allowed = bound(name, dtype)
    if name in ABSOLUTE and dtype == numpy.float64:
        with numpy.errstate(all="ignore"):
            larger = numpy.fmax(*map(numpy.abs, operands))
            error *= numpy.minimum(numpy.spacing(numpy.abs(reference.astype(dtype))) / numpy.spacing(larger), 1)
            error = numpy.where(numpy.isnan(error), 0, error)
        allowed = 3.0
    worst = int(numpy.argmax(error))
    assert error[worst] <= allowed, (f"{name}({', '.join(repr(x[worst].item()) for x in operands)}) = {result[worst].item()!r}, "
                                   f"not {reference[worst]!r}: {float(error[worst]):.3g} ULP")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number_are_within_their_bounds(name, dtype):
    dtype = numpy.dtype(dtype)
    check(name, dtype, points(dtype, 0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers_are_within_their_bounds(name, dtype):
    dtype = numpy.dtype(dtype)
    a, b = points(dtype, 1), points(dtype, 2)
    numpy.random.default_rng(3).shuffle(b)
    check(name, dtype, a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("values", [
    ("equal", lambda n: numpy.full(n, 0.1)),
    ("random", lambda n: numpy.random.default_rng(0).standard_normal(n)),
    ("cancelling", lambda n: numpy.concatenate([numpy.full(n // 2, 1e7), numpy.full(n // 2, -1e7 + 1)])),
    ("growing", lambda n: numpy.arange(n) * 1.1),
    ("wide", lambda n: numpy.random.default_rng(1).standard_normal(n) * 10.0 ** numpy.random.default_rng(2).integers(-6, 6, n)),
], ids=lambda case: case[0])
@pytest.mark.parametrize("layout", ["all", "rows", "columns", "strided"])
def test_sums_are_as_accurate_as_numpys(layout, values, dtype):
    x = values[1](1 << 18).astype(dtype)
    axis = None
    if layout in ("rows", "columns"):
        x = x.reshape(512, 512)
        axis = 1 if layout == "rows" else 0
    elif layout == "strided":
        x = numpy.repeat(x, 2)[::2]
    exact = x.astype(numpy.longdouble).sum(axis=axis)
    ours = numpy.abs(numpy.asarray(np.sum(np.asarray(x), axis=axis)) - exact).max()
    theirs = numpy.abs(numpy.sum(x, axis=axis) - exact).max()
    # At least as accurate as NumPy's sum, or within the error of any order of additions: a few
    # roundings of the largest sum.
    promised = 4 * numpy.finfo(dtype).eps * numpy.abs(x.astype(numpy.longdouble)).sum(axis=axis).max()
    assert ours <= max(theirs, promised), f"{float(ours):.3g}, NumPy {float(theirs):.3g}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [-4, -3.5, -3, -2.5, -2, -1.5, -0.5, 0.5, 1.5, 2.5, 3, 3.5, 4])
def test_powers_of_multiples_of_a_half(exponent, dtype):
    x = numpy.exp(numpy.random.default_rng(3).uniform(-20, 20, 4001)).astype(dtype)
    reference = numpy.power(x.astype(numpy.longdouble), numpy.longdouble(exponent))
    for ours, expected in ((np.asarray(x) ** exponent, reference), (np.asarray(x)[::-2] ** exponent, reference[::-2]),
                           (np.power(np.asarray(x), np.full(4001, exponent, dtype=dtype)), reference)):
        result = numpy.asarray(ours)
        assert result.dtype == dtype and (numpy.abs(result - expected) <= numpy.spacing(numpy.abs(result))).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [-3.5, -1.5, -0.5, 0.5, 1.5, 3, -4])
def test_powers_of_multiples_of_a_half_at_the_ends_of_the_range(exponent, dtype):
    limits = numpy.finfo(dtype)
    for special in (0.0, -0.0, -1.0, numpy.inf, -numpy.inf, numpy.nan, limits.max, limits.tiny, limits.smallest_subnormal):
        x = numpy.full(50, 1.25, dtype)
        x[17] = special
        with numpy.errstate(all="ignore"):
            numpy.testing.assert_allclose(numpy.asarray(np.asarray(x) ** exponent), x ** exponent, rtol=2e-6 if dtype == "float32" else 1e-15)
            y = np.array(x)
            y **= exponent
            numpy.testing.assert_array_equal(numpy.asarray(y), numpy.asarray(np.power(np.array(x), exponent)))
