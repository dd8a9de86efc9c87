"""repeat writes whole registers, by several threads; every element must still be correct."""
import numpy
import pytest

import torch_np.numpy as np

DTYPES = ["bool", "int8", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("times", [0, 1, 2, 3, 5, 16, 17, 33])
def test_one_count(dtype, times):
    for n in (0, 1, 7, 64, 20000):
        values = (numpy.arange(n) % 120).astype(dtype)
        got = np.repeat(np.array(values), times)
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.repeat(values, times))


def test_along_an_axis_and_strided():
    values = numpy.arange(30 * 40 * 50, dtype="f4").reshape(30, 40, 50)
    for axis in (0, 1, 2):
        numpy.testing.assert_array_equal(numpy.asarray(np.repeat(np.array(values), 3, axis=axis)), numpy.repeat(values, 3, axis=axis))
    numpy.testing.assert_array_equal(numpy.asarray(np.repeat(np.array(values).T, 3)), numpy.repeat(values.T, 3))


def test_counts_are_checked():
    a = np.arange(5)
    with pytest.raises(ValueError, match="negative"):
        np.repeat(a, -1)
    with pytest.raises(ValueError, match="too big"):
        np.repeat(a, 2**62)
    with pytest.raises(ValueError, match="negative"):
        np.repeat(a, [1, 1, 1, 1, -1])


@pytest.mark.parametrize("shape", [(2, 8), (-1,), (4, 1, 4), (1, 16, 1), (-1, 2)])
def test_reshape_of_rows_is_a_view_in_row_major_order(shape):
    m = np.arange(16, dtype="f4").reshape(4, 4)
    r = m.reshape(shape)
    expected = numpy.arange(16, dtype="f4").reshape(shape)
    assert r.strides == expected.strides and r.base is not None
    numpy.testing.assert_array_equal(numpy.asarray(r), expected)
    assert m.T.strides == (4, 16) and m.T.flags.f_contiguous and not m.T.flags.c_contiguous


def test_shapes_that_zeros_refuses():
    with pytest.raises(ValueError, match="negative"):
        np.zeros((2**62, 2**62, -1))
    with pytest.raises(ValueError, match="too big"):
        np.zeros((0, 2**62, 2**62))
    with pytest.raises(ValueError, match="maximum supported dimension"):
        np.zeros((1,) * 65)
