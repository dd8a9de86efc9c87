"""convolve and correlate, ufunc.reduceat, isin by table, tolist: their own kernels, compared with
NumPy."""

import itertools
import warnings

import numpy
import pytest

import torch_np.numpy as np
from torch_np.autograd import gradcheck, gradgradcheck

DTYPES = ["bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


def numbers(n, dtype, seed=0):
    x = numpy.random.default_rng(seed).integers(0, 9, n)
    return (x * (1 - 2j) if dtype.startswith("complex") else x).astype(dtype)


@pytest.mark.parametrize("function", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_convolve_and_correlate_as_numpy(function, mode, dtype):
    for n, m in itertools.product((1, 2, 3, 5, 8, 2000), (1, 2, 5, 7, 9)):
        a, v = numbers(n, dtype), numbers(m, dtype, 1)
        ours, theirs = getattr(np, function)(np.asarray(a), np.asarray(v), mode), getattr(numpy, function)(a, v, mode)
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs, err_msg=f"{n} {m}")


def test_convolve_of_two_dtypes_and_of_strided_arrays():
    a, v = numbers(40, "float32"), numbers(9, "int64", 1)
    numpy.testing.assert_array_equal(numpy.asarray(np.convolve(np.asarray(a)[::-3], np.asarray(v)[::2])), numpy.convolve(a[::-3], v[::2]))
    assert np.convolve(np.asarray(a), np.asarray(v)).dtype == numpy.float64


@pytest.mark.parametrize("function", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_nothing_around_a_sequence_meets_an_infinity(function, mode, dtype):
    """Padding with zeros would turn an infinity into NaN."""
    for n, m in itertools.product((1, 2, 3, 7, 30, 2100), (1, 2, 3, 6, 7, 29, 1030)):
        a, v = numbers(n, dtype).real.astype(dtype), numbers(m, dtype, 1).real.astype(dtype) + 1
        v[::5] = numpy.inf
        v[3::7] = -numpy.inf
        for x, y in ((a, v), (v, a)):
            with numpy.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(numpy, function)(x, y, mode)
            got = numpy.asarray(getattr(np, function)(np.asarray(x), np.asarray(y), mode))
            # products of complex infinities depend on the formula, so only NaNs are compared
            if expected.dtype.kind == "c":
                got, expected = numpy.isnan(got), numpy.isnan(expected)
            numpy.testing.assert_array_equal(got, expected, err_msg=f"{n} {m}")


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_derivatives_of_convolve_and_correlate(mode, dtype):
    for n, m in ((5, 3), (3, 5), (4, 4), (4, 1)):
        a, v = (np.array(numbers(k, dtype, k) / 4, _requires_grad=True) for k in (n, m))
        for function in (np.convolve, np.correlate):
            assert gradcheck(lambda x, y, f=function: f(x, y, mode), [a, v])
            assert gradgradcheck(lambda x, y, f=function: f(x, y, mode), [a, v])


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "subtract", "logical_and", "logical_or", "bitwise_xor", "hypot"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_reduceat_as_numpy(name, axis):
    for dtype in ("bool", "int8", "float32", "float64"):
        for starts in ([0, 4, 1, 5], [0], [3, 3, 2], [5, 0, 1, 2, 3, 4], list(range(6))):
            x = numbers(36, dtype).reshape(6, 6)

            def call(xp, x=x, starts=starts):
                with warnings.catch_warnings(), numpy.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    try:
                        return getattr(xp, name).reduceat(xp.asarray(x), starts, axis)
                    except TypeError:
                        return None
            ours, theirs = call(np), call(numpy)
            assert (ours is None) == (theirs is None), (dtype, starts)
            if ours is not None:
                assert ours.dtype == theirs.dtype and ours.flags.c_contiguous
                # hypot of int8 is a float16: NumPy rounds at each step, torch_np once at the end
                numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-6 if theirs.dtype != "float16" else 2e-3)


def test_reduceat_of_one_segment_is_reduce():
    # NumPy's power.reduceat uses the first and the last element only
    x = np.array([[2.0, 3.0], [2.0, 1.0], [3.0, 2.0]])
    assert np.power.reduceat(x, [0]).tolist() == [[64.0, 9.0]] == [np.power.reduce(x).tolist()]


def test_reduceat_of_long_and_of_many_segments():
    x = numpy.random.default_rng(0).random(100_000)
    for starts in (numpy.arange(0, 100_000, 7), numpy.array([0, 10, 50_000]), numpy.sort(numpy.random.default_rng(1).integers(0, 100_000, 500))):
        numpy.testing.assert_allclose(numpy.asarray(np.add.reduceat(np.asarray(x), np.asarray(starts))), numpy.add.reduceat(x, starts), rtol=1e-12)


def test_reduceat_of_no_segments_is_empty():
    assert np.add.reduceat(np.arange(8), []).tolist() == [] == np.maximum.reduceat(np.arange(8.0), np.array([], dtype=int)).tolist()
    assert np.add.reduceat(np.ones((3, 4), dtype=np.int8), [], axis=1).shape == (3, 0)
    assert np.subtract.reduceat(np.arange(8.0), []).shape == (0,)


def test_reduceat_writes_to_out_and_has_gradients():
    out = np.zeros(2)
    assert np.add.reduceat(np.arange(4.0), [0, 2], out=out) is out and out.tolist() == [1.0, 5.0]
    x = np.array([1.0, 2.0, 3.0], _requires_grad=True)
    (np.multiply.reduceat(x, [0, 1]) * np.array([1.0, 10.0])).sum()._backward()
    assert x._grad.tolist() == [1.0, 30.0, 20.0]


@pytest.mark.parametrize("kind", [None, "sort", "table"])
def test_isin_of_integers(kind):
    for a, b in itertools.product(("bool", "int8", "uint8", "int64", "uint64"), repeat=2):
        x, values = numbers(50, a), numbers(6, b, 3)
        if a.startswith("int"):
            x[:3] = -1
        for invert in (False, True):
            assert np.isin(np.asarray(x), np.asarray(values), invert=invert, kind=kind).tolist() == \
                numpy.isin(x, values, invert=invert, kind=kind).tolist(), (a, b)
    extreme = numpy.array([-2**63, 2**63 - 1, 0])
    assert np.isin(np.asarray(extreme), np.asarray(numpy.array([-2**63, -2**63 + 1])), kind=kind).tolist() == [True, False, False]


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_tolist(dtype):
    if dtype == "bfloat16":
        assert np.array([1.5, -2.0]).astype(np.bfloat16).tolist() == [1.5, -2.0]
        return
    x = numbers(24, dtype).reshape(2, 3, 4)
    for view in (lambda a: a, lambda a: a.T, lambda a: a[:, ::-1, ::2], lambda a: a[:0], lambda a: a[0, 0, 0, ...]):
        ours, theirs = view(np.asarray(x)).tolist(), view(x).tolist()
        assert ours == theirs and repr(ours) == repr(theirs)


# --- details of NumPy's behaviour

def test_average_of_no_results_raises_as_numpys():
    for xp in (numpy, np):
        with pytest.raises(ZeroDivisionError):
            xp.average(xp.zeros((3, 0)), axis=0)


def test_gradient_of_bools_raises_as_numpys():
    for xp in (numpy, np):
        with pytest.raises(TypeError):
            xp.gradient(xp.array([True, False, True]))


def test_setting_strides_works_but_is_deprecated():
    for xp in (numpy, np):
        x = xp.arange(6.0)[:3]
        with pytest.warns(DeprecationWarning):
            x.strides = (16,)
        assert x.tolist() == [0.0, 2.0, 4.0]
        for wrong in ((8, 8), (24,), (-8,), (2**62,)):
            with pytest.raises(ValueError, match="strides"), pytest.warns(DeprecationWarning):
                x.strides = wrong
