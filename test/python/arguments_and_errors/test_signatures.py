"""inspect.signature gives the signatures of NumPy's functions and methods."""
import inspect

import numpy
import pytest

import torch_np.numpy as np

METHODS = ["__array__", "__array_namespace__", "__reduce_ex__", "__setstate__", "all", "any", "argmax", "argmin", "astype", "byteswap",
           "clip", "conj", "copy", "cumsum", "dot", "dump", "dumps", "fill", "getfield", "max", "mean", "min", "prod", "put", "ravel",
           "setfield", "std", "sum", "take", "tobytes", "tofile", "var", "view"]


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_numpys_signatures(name):
    assert inspect.signature(getattr(np.ndarray, name)) == inspect.signature(getattr(numpy.ndarray, name))


def test_methods_keep_their_own_text():
    assert np.ndarray.sum.__doc__ and "(" not in np.ndarray.sum.__doc__.split("\n")[0].split(" ")[0]
    assert np.ndarray.sum.__doc__ != numpy.ndarray.sum.__doc__


@pytest.mark.parametrize("name", ["nanmin", "nansum", "nanmean", "nanvar", "nancumsum", "nanargmax"])
def test_functions_have_no_annotations(name):
    ours, numpys = (inspect.signature(getattr(xp, name)) for xp in (np, numpy))
    assert list(ours.parameters) == list(numpys.parameters) and ours.return_annotation is inspect.Signature.empty
    assert all(p.annotation is p.empty for p in ours.parameters.values())


@pytest.mark.parametrize("name", ["inner", "where", "dot", "bincount", "copyto", "log", "gcd", "frexp", "divmod", "matmul"])
def test_functions_that_can_be_overridden_and_ufuncs_carry_their_signature(name):
    function = getattr(np, name)
    assert isinstance(function.__signature__, inspect.Signature)
    assert inspect.signature(function) == function.__signature__ and function.__signature__.parameters


def test_functions_that_make_arrays_have_only_a_text():
    assert not hasattr(np.arange, "__signature__") and inspect.signature(np.arange).parameters


def test_comparisons_list_the_loops_of_integers_of_both_kinds():
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        assert {"qQ->?", "Qq->?"} <= set(getattr(np, name).types)
    assert np.less(np.array([-1]), np.array([2**63], dtype="uint64")).tolist() == [True]


@pytest.mark.parametrize("name", ["linspace", "logspace", "median", "linalg.svd", "fft.fft", "cumulative_sum", "pad", "gradient"])
def test_compositions_have_numpys_signatures(name):
    ours, numpys = np, numpy
    for part in name.split("."):
        ours, numpys = getattr(ours, part), getattr(numpys, part)
    assert inspect.signature(ours) == inspect.signature(numpys)
