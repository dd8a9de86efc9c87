"""Instances of NumPy's own array classes (masked arrays, matrices, those of packages) as operands:
NumPy's function computes, so that no class and no mask is lost."""
import pathlib
import warnings

import numpy
import pytest
import torch_np.numpy as np

pytestmark = pytest.mark.same_on_devices("NumPy's arrays are on the CPU")


class Named(numpy.ndarray):
    pass


def masked():
    return numpy.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])


FUNCTIONS = ["sin", "exp", "sqrt", "negative", "sum", "mean", "var", "max", "cumsum", "sort", "clip", "round", "transpose", "ravel", "diff", "where",
             "median", "average", "nansum", "concatenate", "stack", "atleast_1d", "percentile", "isclose", "dot", "add", "multiply", "maximum", "subtract",
             "argsort", "squeeze", "reshape", "tile", "repeat", "trapezoid", "ediff1d", "append", "interp", "histogram", "cov", "gradient", "unique"]
MORE = {"clip": (1.5, 3.0), "where": (1, 0), "percentile": (50,), "reshape": ((4,),), "tile": (2,), "repeat": (2,)}
BINARY = {"isclose", "dot", "add", "multiply", "maximum", "subtract", "append"}
LISTS = {"concatenate", "stack"}


def same(ours, theirs):
    if isinstance(theirs, str):  # the class of an error
        return ours == theirs
    if isinstance(theirs, (tuple, list)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, numpy.ma.MaskedArray):
        if theirs is numpy.ma.masked:
            return ours is numpy.ma.masked or ours is np.ma.masked
        return hasattr(ours, "mask") and numpy.array_equal(numpy.ma.filled(theirs, -1), numpy.asarray(ours.filled(-1)), equal_nan=True) \
            and numpy.array_equal(numpy.ma.getmaskarray(theirs), numpy.broadcast_to(numpy.asarray(ours.mask), theirs.shape))
    if type(theirs) in (numpy.ndarray,):
        return type(ours) is np.ndarray and numpy.array_equal(numpy.asarray(ours), theirs, equal_nan=True)
    return type(ours) is type(theirs) and numpy.array_equal(numpy.asarray(ours), numpy.asarray(theirs), equal_nan=True)


@pytest.mark.parametrize("make", [masked, lambda: numpy.matrix([[1.0, 2.0], [3.0, 4.0]]), lambda: numpy.array([[1.0, 2.0], [3.0, 4.0]]).view(Named)],
                         ids=["masked", "matrix", "subclass"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_classes_and_masks_are_kept(name, make):
    def outcome(module, other):
        x = make()
        args = [[x, other]] if name in LISTS else [x, other] if name in BINARY else [x, *MORE.get(name, ())]
        if name == "interp":
            args = [0.5, [0.0, 1.0], x.ravel()[:2]] if make is masked else [0.5, [0.0, 1.0], numpy.asarray(x).ravel()[:2]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return getattr(module, name)(*args)
            except Exception as error:
                return type(error).__name__

    assert same(outcome(np, np.array([[4.0, 3.0], [2.0, 1.0]])), outcome(numpy, numpy.array([[4.0, 3.0], [2.0, 1.0]])))


def test_asarray_drops_the_class_and_memory_maps_are_memory(tmp_path):
    assert type(np.asarray(masked())) is np.ndarray and type(np.array(numpy.matrix([1.0]))) is np.ndarray
    path = pathlib.Path(tmp_path) / "x"
    mapped = numpy.memmap(path, dtype="f8", mode="w+", shape=(3,))
    assert type(np.exp(mapped)) is np.ndarray
