"""packbits, unpackbits and byteswap over shapes, axes and layouts; periodic and complex interpolation."""
import pickle

import numpy
import pytest
from same_as_numpy import random_array

import torch_np.numpy as np

SHAPES = [(0,), (1,), (8,), (21,), (3, 5), (2, 9, 4), (16, 0), (0, 16), ()]


def axes(shape):
    return [None, *range(-len(shape), len(shape))] if shape else [None, 0, -1]


@pytest.mark.parametrize("bitorder", ["big", "little"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_packing(shape, bitorder):
    for dtype in ("?", "u1", "i8"):
        x = (random_array(shape, "int32") % 3).astype(dtype)
        for axis in axes(shape):
            for theirs in (x, x.T, x[..., ::-1] if shape else x):
                found = np.packbits(np.asarray(theirs), axis=axis, bitorder=bitorder)
                expected = numpy.packbits(theirs, axis=axis, bitorder=bitorder)
                assert found.shape == expected.shape and found.dtype == expected.dtype and found.tolist() == expected.tolist()


@pytest.mark.parametrize("bitorder", ["big", "little"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_unpacking(shape, bitorder):
    x = numpy.asarray(random_array(shape, "int32") % 256).astype("u1")
    for axis in axes(shape):
        for count in (None, 0, 3, 8, 11, 40, -1, -8):
            for theirs in (x, x.T):
                try:
                    expected = numpy.unpackbits(theirs, axis=axis, count=count, bitorder=bitorder)
                except ValueError:
                    with pytest.raises(ValueError, match="pad count"):
                        np.unpackbits(np.asarray(theirs), axis=axis, count=count, bitorder=bitorder)
                    continue
                found = np.unpackbits(np.asarray(theirs), axis=axis, count=count, bitorder=bitorder)
                # without bytes, NumPy leaves the padding uninitialised
                assert found.shape == expected.shape and found.tolist() == (expected if x.size else expected * 0).tolist()


def test_errors_are_numpys():
    for call, error in ((lambda np: np.packbits([1.0]), TypeError), (lambda np: np.packbits([1], bitorder="x"), ValueError),
                        (lambda np: np.unpackbits([1]), TypeError), (lambda np: np.packbits([1], axis=1), numpy.exceptions.AxisError)):
        for library in (numpy, np):
            with pytest.raises(error):
                call(library)


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f4", "i8", "f8", "c8", "c16", "f2"])
def test_byteswap(dtype):
    x = random_array((3, 4, 2), "int32").astype(dtype)
    for theirs in (x, x.T, x[::-1, ::2], x[0, 0, 0]):
        ours, expected = np.array(theirs), numpy.array(theirs)
        found = ours.byteswap()
        assert numpy.asarray(found).tobytes("A") == expected.byteswap().tobytes("A") and found.strides == expected.byteswap().strides
        assert ours.byteswap(inplace=True) is ours and numpy.asarray(ours).tobytes() == expected.byteswap().tobytes()


X = [-400.0, -1.0, 0.0, 0.5, 1.0, 2.5, 3.0, 99.0, numpy.nan]
VALUES = [[3.0, 1.0, numpy.inf, 2.0], [1, 2, 3, 4], [1j, 2.0, 3 - 1j, complex(numpy.inf, 1)]]


@pytest.mark.parametrize("fp", VALUES, ids=str)
@pytest.mark.parametrize("options", [{}, {"period": 2.5}, {"period": -7}, {"left": -1, "right": 5.5}], ids=str)
def test_interpolation(fp, options):
    xp = [0.0, 1.0, 1.0, 3.0] if "period" not in options else [2.0, -9.0, 4.5, 0.25]
    with numpy.errstate(all="ignore"):
        expected, found = numpy.interp(X, xp, fp, **options), np.interp(np.asarray(X), xp, fp, **options)
    assert found.dtype == expected.dtype
    numpy.testing.assert_array_equal(numpy.asarray(found), expected)


def test_complex_ends_and_errors():
    assert np.interp([0, 9], [1, 2], [1j, 2], left=3j, right=4).tolist() == numpy.interp([0, 9], [1, 2], [1j, 2], left=3j, right=4).tolist()
    for library in (numpy, np):
        with pytest.raises(ValueError, match="non-zero"):
            library.interp([1], [1], [1], period=0)
        with pytest.raises(TypeError):
            library.interp([1], [1], [1.0], left=1j)
    with pytest.warns(RuntimeWarning, match="remainder"):
        np.interp([numpy.inf], [0, 1], [1, 2], period=3)


def test_functions_that_only_numpy_has():
    assert isinstance(np.isnat, np.ufunc) and np.isnat.nin == 1 and np.isnat.__name__ == "isnat" and np.isnat.__doc__
    assert pickle.loads(pickle.dumps(np.isnat)) is np.isnat and np.char.upper.__module__ == "torch_np.numpy.char"
    assert type(np.char.str_len(["a", "bc"])) is np.ndarray and np.char.str_len(["a", "bc"]).tolist() == [1, 2]
    half = np.frompyfunc(lambda x, y: x // y, 2, 1)
    assert half(np.arange(4), 2).tolist() == [0, 0, 1, 1]
    for _ in range(3):  # of a ufunc that NumPy does not have under this name
        assert np.frompyfunc(abs, 1, 1)(np.array([-1])).tolist() == [1]
    assert np.isin(np.arange(3), {1, 2}).tolist() == numpy.isin(numpy.arange(3), {1, 2}).tolist()
