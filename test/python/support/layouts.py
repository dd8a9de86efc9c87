"""Arrays of every dtype in every memory layout, and the comparison of one call with NumPy: shared by the test files of
creation, views, joins and sorts."""

import warnings

import numpy

import torch_np.numpy as np

DTYPES = [numpy.dtype(t) for t in (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
    "float16", "float32", "float64", "complex64", "complex128")]


def values(dtype, shape, seed=0):
    return numpy.random.default_rng(seed).integers(0, 7, shape).astype(dtype)


def layouts(dtype):
    """(name, NumPy array) pairs. Values are small integers, so that there are ties."""
    x = values(dtype, (3, 4, 5))
    return {
        "contiguous": x, "fortran": numpy.asfortranarray(x), "transposed": x.transpose(2, 0, 1),
        "strided": values(dtype, (6, 8, 10))[::2, 1::2, ::2], "reversed": x[::-1, :, ::-1],
        "broadcast": numpy.broadcast_to(x[:1], x.shape), "empty": values(dtype, (3, 0, 2)), "0d": values(dtype, ()),
        "1d": x[0, 0], "1d reversed": x[0, 0, ::-1], "2d": x[0], "ones": x[:1, :1, :1],
    }


LAYOUTS = list(layouts(numpy.float64))


def ours(x):
    """Our view of NumPy's memory. Lists and plain values are returned unchanged."""
    if isinstance(x, numpy.ndarray):
        return np.asarray(x)
    if isinstance(x, (list, tuple)) and any(isinstance(e, numpy.ndarray) for e in x):
        return type(x)(ours(e) for e in x)
    return x


def theirs(x):
    """The reverse of `ours`, for comparing."""
    if isinstance(x, np.ndarray):
        return numpy.asarray(x)
    if isinstance(x, (list, tuple)):
        return type(x)(theirs(e) for e in x)
    return x


def outcome(call):
    """The result, or the class of the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return theirs(call()), None
        except Exception as error:  # noqa: BLE001
            return None, error


def assert_same(got, expected, where):
    if isinstance(expected, (list, tuple)):
        assert type(got) is type(expected) and len(got) == len(expected), where
        for a, b in zip(got, expected):
            assert_same(a, b, where)
        return
    expected = numpy.asarray(expected)
    got = numpy.asarray(got)
    assert got.dtype == expected.dtype, (where, got.dtype, expected.dtype)
    assert got.shape == expected.shape, (where, got.shape, expected.shape)
    numpy.testing.assert_array_equal(got, expected, err_msg=str(where))


def agrees(function, *args, method=None, order=False, **kwargs):
    """Asserts that np.<function>(*args) of both libraries (or the method of the first argument)
    gives the same values, dtype and shape, or an exception of the same class. `order`: compares the
    contiguity, too."""
    where = (method or function, [getattr(a, "shape", a) for a in args], [getattr(a, "dtype", "") for a in args], kwargs)

    def call(library, convert):
        converted = [convert(a) for a in args]
        if method:
            return getattr(converted[0], method)(*converted[1:], **kwargs)
        for part in function.split("."):
            library = getattr(library, part)
        return library(*converted, **kwargs)

    expected, error = outcome(lambda: call(numpy, lambda x: x))
    got, our_error = outcome(lambda: call(np, ours))
    if error is not None:
        assert our_error is not None, (where, "NumPy raises", repr(error), "we return", got)
        assert isinstance(our_error, type(error)), (where, repr(our_error), repr(error))
        return
    assert our_error is None, (where, repr(our_error))
    assert_same(got, expected, where)
    if order and numpy.asarray(expected).size:
        assert (got.flags.c_contiguous, got.flags.f_contiguous) == (expected.flags.c_contiguous, expected.flags.f_contiguous), where
