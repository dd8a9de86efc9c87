"""One call on both libraries, compared up to rounding: value, shape, dtype, and the class of an exception.

Shared by the tests of products, linear algebra, Fourier transforms and random numbers.
"""
import warnings

import numpy

import torch_np.numpy as np


def random_array(shape, dtype, seed=0):
    """Small integers, or normal numbers, depending on the dtype."""
    rng = numpy.random.default_rng((seed, *shape))
    dtype = numpy.dtype(dtype)
    if dtype.kind in "biu":
        return rng.integers(0, 5, shape).astype(dtype)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype)


def positive_definite(n, dtype, stack=(), seed=0):
    """Well conditioned Hermitian matrices."""
    wide = numpy.complex128 if numpy.dtype(dtype).kind == "c" else numpy.float64
    a = random_array((*stack, n, n), dtype, seed).astype(wide)
    return (a @ a.conj().swapaxes(-1, -2) + n * numpy.eye(n)).astype(dtype)


def outcome(call, xp):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(xp), None
        except Exception as error:  # noqa: BLE001
            return None, error


def assert_close(got, expected, where, exact=False):
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected), where
        for g, e in zip(got, expected):
            assert_close(g, e, where, exact)
        return
    if isinstance(expected, (bytes, str)):
        assert got == expected, where
        return
    expected = numpy.asarray(expected)
    if isinstance(got, (np.ndarray, numpy.ndarray)):
        got = numpy.asarray(got)
        assert got.dtype == expected.dtype, f"{where}: {got.dtype}, expected {expected.dtype}"
    else:
        got = numpy.asarray(got)
    assert got.shape == expected.shape, f"{where}: shape {got.shape}, expected {expected.shape}"
    if exact or expected.dtype.kind in "biu":
        assert numpy.array_equal(got, expected, equal_nan=expected.dtype.kind in "fc"), f"{where}:\n{got}\nexpected\n{expected}"
        return
    # The underlying libraries round differently; matrices here have condition numbers below 100.
    # float16 is computed in float32.
    eps = float(numpy.finfo(expected.dtype).eps)
    rtol, atol = (2000 * eps, 500 * eps) if expected.dtype != numpy.float16 else (8 * eps, 2 * eps)
    wide = numpy.complex128
    assert numpy.allclose(got.astype(wide), expected.astype(wide), rtol=rtol, atol=atol, equal_nan=True), (
        f"{where}:\n{got}\nexpected\n{expected}")


def agrees(call, where="", exact=False):
    """Asserts that `call(xp)` has the same outcome for xp = numpy and torch_np.numpy. Returns ours."""
    expected, their_error = outcome(call, numpy)
    got, our_error = outcome(call, np)
    if their_error is None:
        if our_error is not None:
            raise AssertionError(f"{where}: raised {our_error!r}") from our_error
        assert_close(got, expected, where, exact)
        return got
    assert our_error is not None, f"{where}: no exception, NumPy raises {their_error!r}"
    # AxisError is both an IndexError and a ValueError; NumPy raises either. UFuncTypeError has
    # private subclasses in NumPy.
    kind = next(c for c in type(their_error).__mro__ if not c.__name__.startswith("_"))
    # its subclasses show the base's name
    alike = isinstance(our_error, kind) or type(our_error).__name__ == kind.__name__
    assert alike, f"{where}: {our_error!r}, NumPy raises {their_error!r}"
    return None
