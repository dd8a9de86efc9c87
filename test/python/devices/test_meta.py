"""The device `meta`: every operator and function gives the shape, dtype and strides of a real run.
Otherwise it raises because it needs values, and LOOKS_AT_NUMBERS gives the reason."""
import inspect
import pickle

import ml_dtypes
import numpy
import numpy_calls
import pytest
from leaves import leaf
from public_functions import EXTRAS, NAMES, SPACES, TORCH_NAMES, domain_of

import torch_np
import torch_np.numpy as np

# Functions that raise NotImplementedError for arrays without data in at least one of their calls,
# and the reason.
LOOKS_AT_NUMBERS = {
    "the shape of the result, or of something on the way, depends on data": """
        arange argwhere bincount flatnonzero fromiter histogram histogram_bin_edges histogram2d histogramdd intersect1d linalg.lstsq
        nonzero poly1d polydiv polyfit polymul setdiff1d setxor1d trim_zeros union1d unique unique_all unique_counts unique_inverse
        unique_values where ndarray.nonzero""",
    "the dtype of the result depends on data": """
        emath.arccos emath.arcsin emath.arctanh emath.log emath.log10 emath.log2 emath.logn emath.power emath.sqrt linalg.eig
        linalg.eigvals poly real_if_close roots""",
    "the result is a number of Python's, text, or memory": """
        allclose array2string array_equal array_equiv array_str format_float_positional format_float_scientific save savetxt savez
        savez_compressed ndarray.as_integer_ratio ndarray.dump ndarray.dumps ndarray.is_integer ndarray.item
        ndarray.to_device ndarray.tobytes ndarray.tofile ndarray.tolist""",
}
LOOKS_AT_NUMBERS = {name: reason for reason, names in LOOKS_AT_NUMBERS.items() for name in names.split()}
# With gradients, the first two raise on every device, and vectorize passes arrays instead of
# numbers.
LOOKS_IF_PLAIN = {"frombuffer", "ndarray.data", "vectorize"}


def calls(name):
    """The calls of test_gradients_reach.py."""
    found = numpy_calls.UFUNC_CALLS.get(name) or numpy_calls.CALLS.get(name)
    if found is not None:
        return found if isinstance(found, list) else [found]
    ufunc = getattr(np, name)
    low, high = domain_of(name)
    return [(ufunc, *[[low + (high - low) * (k + 0.31 * i + 0.2) / 4 for k in range(3)] for i in range(ufunc.nin)])]


def on_meta(values, recorded):
    x = leaf(values)._detach()._to("meta")
    x._requires_grad = recorded
    return x


def arrays_in(value):
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in arrays_in(v)]
    if isinstance(value, (numpy.generic, ml_dtypes.bfloat16)):  # results of 0-d arrays with data
        return [np.asarray(value)]
    return [value] if isinstance(value, (np.ndarray, torch_np.Tensor)) else []


def described(value):
    """Shape, dtype and strides of all arrays in a value. Strides of axes of length 1 are ignored."""
    def strides(a):
        steps = a.strides if isinstance(a, np.ndarray) else a.stride()
        return tuple(s for n, s in zip(a.shape, steps) if n > 1) if 0 not in a.shape else ()
    return [(tuple(a.shape), str(a.dtype), strides(a)) for a in arrays_in(value)]


def outcome(call, arguments):
    try:
        return described(call(*arguments))
    except Exception as error:  # noqa: BLE001
        return error


CALLABLE = [n for n in NAMES if n not in numpy_calls.NO_ARGUMENT]


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "plain"])
@pytest.mark.parametrize("name", CALLABLE)
def test_functions_of_numpys_face(name, recorded):
    """With gradients and without them, as the two may use different code paths."""
    real = [outcome(call, [leaf(a) if recorded else leaf(a)._detach() for a in arguments]) for call, *arguments in calls(name)]
    there = [outcome(call, [on_meta(a, recorded) for a in arguments]) for call, *arguments in calls(name)]
    raised = [t for r, t in zip(real, there) if isinstance(t, NotImplementedError) and not isinstance(r, NotImplementedError)]
    looks = name in LOOKS_AT_NUMBERS or not recorded and name in LOOKS_IF_PLAIN
    if raised:
        assert looks, raised[0]
        assert all("meta" in str(t) for t in raised), raised
    else:
        assert not looks
    for expected, found in zip(real, there):
        if not isinstance(found, NotImplementedError):
            assert type(found) is type(expected) and (isinstance(expected, Exception) or found == expected), (expected, found)


# ------------------------------------------------------------------------------------------------ the other face

SAMPLES = [lambda: torch_np.full((2, 3), 0.5), lambda: torch_np.full((3,), 0.5), lambda: torch_np.eye(3) + 0.5, lambda: torch_np.arange(3),
           lambda: torch_np.ones(3) > 0, lambda: torch_np.tensor(2.0), lambda: torch_np.full((2, 3), 0.5).to(torch_np.complex64).t(),
           lambda: torch_np.ones(3).to(torch_np.float16), lambda: torch_np.ones(2, 0, 3)]
ARRANGED = [lambda m, e: (m(), *e), lambda m, e: (m(), m(), *e), lambda m, e: ([m(), m()], *e), lambda m, e: (m(), m(), m(), *e)]
TORCH_LOOKS_AT_NUMBERS = {
    "the shape of the result depends on data": """
        argwhere bincount histc histogram histogramdd masked_scatter masked_select nonzero repeat_interleave unique unique_consecutive
        where""",
    "a size, a count or a number may come as a tensor, and is read from it": """
        add add_ arange as_strided clamp clamp_ clip clip_ empty empty_permuted empty_strided full full_like hsplit isclose linspace logspace
        nan_to_num nan_to_num_ nanquantile ones quantile rand randn range rsub scalar_tensor split split_copy split_with_sizes_copy
        sym_constrain_range_for_size sym_float sym_int sym_max sym_min sym_not sym_sqrt unsafe_split unsafe_split_with_sizes as_strided_copy tensor_split tensordot tile zeros linalg.matrix_norm
        linalg.norm linalg.vector_norm sub sub_ subtract subtract_ celu celu_ hardshrink poisson_nll_loss rrelu rrelu_ threshold threshold_ logit logit_ normal
        as_strided_ bartlett_window broadcast_shapes dist kaiser_window norm pairwise_distance split_with_sizes""",
    "the result is a number of Python's": "allclose equal is_nonzero",
    "the number of iterations depends on data": "lobpcg",
}
TORCH_LOOKS_AT_NUMBERS = {name: reason for reason, names in TORCH_LOOKS_AT_NUMBERS.items() for name in names.split()}


@pytest.mark.parametrize("name", TORCH_NAMES)
def test_operators(name):
    """All sample calls that the operator accepts on the CPU."""
    prefix, _, base = name.rpartition(".")
    operator = getattr(SPACES[prefix + "." if prefix else ""], base)
    raised = None
    for make in SAMPLES:
        for arrange in ARRANGED:
            for extra in EXTRAS:
                real = outcome(operator, arrange(make, extra))
                if isinstance(real, Exception):
                    continue
                there = outcome(operator, arrange(lambda: make().to("meta"), extra))  # noqa: B023
                if isinstance(there, NotImplementedError):
                    raised = there
                    assert "meta" in str(there)
                else:
                    assert there == real, (arrange(make, extra), there, real)
    if not inspect.isbuiltin(operator) and prefix:  # a Python function, whose flags and numbers may be tensors here
        return
    assert (raised is not None) == (name in TORCH_LOOKS_AT_NUMBERS), raised


def test_a_tensor_may_be_larger_than_any_memory():
    x = np.zeros((2**30, 2**29), _device="meta")
    assert x.nbytes == 2**62
    assert (x + 1).shape == x.T.shape[::-1] and x.sum(1).shape == (2**30,) and np.sort(x, axis=0).strides == x.strides
    assert x[5:, ::2].nbytes == (2**30 - 5) * 2**28 * 8 and (x == x).nbytes == 2**59
    with pytest.raises(ValueError):
        np.zeros((2**31, 2**31, 2), _device="meta")


def test_what_is_on_the_cpu_goes_along_and_nothing_comes_back():
    x = np.zeros((2, 3), _device="meta")
    assert (x + np.ones(3)).device == "meta" and (x + 1.5).dtype == "float64" and (np.float32(2) * x).device == "meta"
    for look in (x._cpu, x.tolist, lambda: float(x[0, 0]), lambda: bool(x.any()), lambda: numpy.asarray(x), lambda: memoryview(x), lambda: pickle.dumps(x),
                 lambda: np.ones((2, 3)).__setitem__(..., x), lambda: np.add(x, 1, out=np.ones((2, 3)))):
        with pytest.raises((NotImplementedError, RuntimeError, BufferError), match="meta"):
            look()
    x[0] = 5
    x += 1
    assert x.shape == (2, 3) and repr(x) == "array(..., shape=(2, 3), dtype=float64, device='meta')"
    t = x._torch()
    assert t.is_meta and repr(t) == "tensor(..., device='meta', size=(2, 3), dtype=torch_np.float64)" and repr(t.device) == "device(type='meta')"


def test_gradients_have_shapes():
    x = np.ones((2, 3), _device="meta")
    x._requires_grad = True
    (np.sin(x) * x).sum()._backward()
    assert x._grad.shape == (2, 3) and x._grad.device == "meta"


@pytest.mark.parametrize("method", [
    lambda f, x: f.accumulate(x), lambda f, x: f.reduce(x, axis=1), lambda f, x: f.reduceat(x, [0, 2], axis=1), lambda f, x: f.outer(x, x),
    lambda f, x: f.at(x, 0, x[0])])
@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "logical_or", "power", "fmin", "hypot", "less"])
def test_methods_of_ufuncs(name, method):
    real = np.ones((3, 4), dtype=bool if name == "less" else float)
    meta = np.empty_like(real, _device="meta")
    try:
        expected = method(getattr(np, name), real)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            method(getattr(np, name), meta)
        return
    got = method(getattr(np, name), meta)
    if expected is not None:
        assert (got.shape, got.dtype, str(got._device)) == (expected.shape, expected.dtype, "meta")
