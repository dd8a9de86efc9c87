"""No gradient is lost: every public function of torch_np.numpy, called with arrays that require
grad, gives results connected to them, or documents why not.

The functions are found by introspection. One without a call in numpy_calls.py fails here: add a
call of it there.
"""
import numpy
import numpy_calls
import pytest
from leaves import leaf
from public_functions import NAMES, OPERATORS, UFUNCS, calls_of, results_in

import torch_np
import torch_np.numpy as np
from torch_np.autograd import gradcheck
from torch_np.numpy._differentiation import CONSTANT


def has_graph(value):
    return isinstance(value, np.ndarray) and value._requires_grad or isinstance(value, torch_np.Tensor) and value.requires_grad


# ------------------------------------------------------------------------------------------------ the tests

def test_the_table_names_what_exists():
    assert not set(numpy_calls.CALLS) & set(numpy_calls.NO_ARGUMENT)
    unknown = (set(numpy_calls.CALLS) | set(numpy_calls.NO_ARGUMENT) | set(CONSTANT)) - set(NAMES)
    assert not unknown


def constant_reason(name):
    """The reason why results of `name` are not connected to any argument: from its operator in the
    yaml, or from the entry of the composite."""
    if name in CONSTANT:
        return CONSTANT[name]
    for e in OPERATORS:
        if e["np_compat"] and name.rpartition(".")[2] in (e["name"], *e.get("aliases", ())):
            native = e.get("native") or e["name"]
            for op in OPERATORS:
                if not op["np_compat"] and op["full_name"] == native and op.get("nondifferentiable"):
                    return op["nondifferentiable"]
    return None


def check(call, arguments, name):
    inputs = [leaf(a) for a in arguments]
    try:
        results = results_in(call(*inputs))
    except (NotImplementedError, RuntimeError, BufferError) as error:
        assert "derivative" in str(error) or "grad" in str(error), error
        return
    except TypeError as error:
        assert name in UFUNCS and "not supported for the input types" in str(error), error  # of integers
        return
    lost = [r for r in results if not has_graph(r)]
    if lost:
        assert constant_reason(name), f"np.{name} gives {lost[0]!r} without a gradient, and no reason is documented"
    kept = [has_graph(r) for r in results]
    if not any(kept):
        return

    def recorded(*xs):
        return tuple(r for r, k in zip(results_in(call(*xs)), kept) if k)

    try:
        torch_np.autograd.grad([sum_of(r) for r in recorded(*inputs)], inputs, allow_unused=True)
    except NotImplementedError as error:
        assert "derivative" in str(error)
        return
    assert gradcheck(recorded, inputs)


def sum_of(result):
    total = result.sum()
    return total.real if total.dtype.kind == "c" else total


@pytest.mark.parametrize("name", [n for n in NAMES if n not in numpy_calls.NO_ARGUMENT])
def test_results_lead_back_to_what_they_were_made_of(name):
    for call, *arguments in calls_of(name):
        check(call, arguments, name)


BINARY = [n for n in UFUNCS if getattr(np, n).nin == 2 and getattr(np, n).nout == 1 and n not in numpy_calls.UFUNC_CALLS] + ["power"]
METHODS = {"reduce": lambda f, x, y: f.reduce(x), "accumulate": lambda f, x, y: f.accumulate(x), "outer": lambda f, x, y: f.outer(x, y),
           "reduceat": lambda f, x, y: f.reduceat(x, [0, 2]), "at": lambda f, x, y: numpy_calls.written(f.at)(x, [0, 1, 1], y)}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", BINARY)
def test_methods_of_ufuncs_do_too(name, method):
    ufunc = getattr(np, name)
    (_, *arguments), = calls_of(name)
    try:
        METHODS[method](getattr(numpy, name), *[numpy.array(a[:3]) for a in arguments])
    except TypeError:
        with pytest.raises((TypeError, ValueError)):  # floats are not accepted
            METHODS[method](ufunc, *[np.array(a[:3]) for a in arguments])
        return
    check(lambda x, y: METHODS[method](ufunc, x, y), [a[:3] for a in arguments], name)


# ------------------------------------------------------------------------------------------------ random numbers

GENERATOR = [n for n in dir(np.random.Generator) if not n.startswith("_")]
FUNCTIONS = [n for n in dir(np.random) if not n.startswith("_") and callable(getattr(np.random, n))
             and not isinstance(getattr(np.random, n), type)]


@pytest.mark.parametrize(("owner", "name"), [("Generator", n) for n in GENERATOR] + [("module", n) for n in FUNCTIONS])
def test_random_numbers_do_not_lose_gradients_of_their_parameters(owner, name):
    if name in numpy_calls.RANDOM_WITHOUT_PARAMETERS:
        return
    assert name in numpy_calls.RANDOM, f"add random numbers of '{name}' to test/python/support/numpy_calls.py"
    arguments = [leaf(a) if isinstance(a, (float, list)) else a for a in numpy_calls.RANDOM[name]]
    source = np.random.default_rng(1) if owner == "Generator" else np.random
    try:
        results = results_in(getattr(source, name)(*arguments))
    except (NotImplementedError, RuntimeError) as error:
        assert "derivative" in str(error) or "grad" in str(error)
        return
    assert all(has_graph(r) for r in results)
    for r in results:  # elements that are only selected
        r.sum()._backward()
