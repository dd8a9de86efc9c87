"""The device `meta`: every operator and function gives there the shape, dtype and strides of a real run, or says that it looks at
numbers, for a reason that stands in LOOKS_AT_NUMBERS."""
import numpy_calls
import pytest
from test_gradients_reach import NAMES, domain_of, leaf

import torch_np
import torch_np.numpy as np

# Functions that raise NotImplementedError for arrays without data, in one of their calls at least; and why.
LOOKS_AT_NUMBERS = {
    "the shape of the result depends on data": "",
    "the dtype of the result depends on data": "",
    "the result is a number of Python's, text, or memory": "",
    "an algorithm whose steps depend on data": "",
}
LOOKS_AT_NUMBERS = {name: reason for reason, names in LOOKS_AT_NUMBERS.items() for name in names.split()}


def calls(name):
    """What test_gradients_reach.py calls."""
    found = numpy_calls.UFUNC_CALLS.get(name) or numpy_calls.CALLS.get(name)
    if found is not None:
        return found if isinstance(found, list) else [found]
    ufunc = getattr(np, name)
    low, high = domain_of(name)
    return [(ufunc, *[[low + (high - low) * (k + 0.31 * i + 0.2) / 4 for k in range(3)] for i in range(ufunc.nin)])]


def on_meta(values):
    return leaf(values)._detach()._to("meta")._requires_grad_()


def arrays_in(value):
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in arrays_in(v)]
    return [value] if isinstance(value, (np.ndarray, torch_np.Tensor)) else []


def described(value):
    """Shape, dtype and strides of all arrays in it. Strides of axes that are not walked along say nothing."""
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


@pytest.mark.parametrize("name", CALLABLE)
def test_functions_of_numpys_face(name):
    real = [outcome(call, [leaf(a) for a in arguments]) for call, *arguments in calls(name)]
    there = [outcome(call, [on_meta(a) for a in arguments]) for call, *arguments in calls(name)]
    raised = [t for t in there if isinstance(t, NotImplementedError)]
    if raised:
        assert name in LOOKS_AT_NUMBERS, raised[0]
        assert all("meta" in str(t) for t in raised), raised
    else:
        assert name not in LOOKS_AT_NUMBERS
    for expected, found in zip(real, there):
        if not isinstance(found, NotImplementedError):
            assert type(found) is type(expected) and (isinstance(expected, Exception) or found == expected), (expected, found)
