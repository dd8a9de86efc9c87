"""Operators that read an argument again after reducing it say so (aten/fusion/last_use.h): no public
function computes a pending temporary twice."""
import warnings

import numpy
import pytest
from public_functions import SETTINGS

import torch_np
import torch_np.numpy as np

FACES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.ndarray": np.ndarray,
         "torch_np": torch_np, "torch_np.linalg": torch_np.linalg, "torch_np.special": torch_np.special,
         "torch_np.nn.functional": torch_np.nn.functional, "torch_np.Tensor": torch_np.Tensor}
# The arguments after the first one that are tried. "same": an array of the first one's shape.
OTHERS = [((), {}), ((0,), {}), ((1,), {}), ((2,), {}), ((0.5,), {}), ((1, 0), {}), ((2, 0), {}), (((4, 3),), {}), (((3,),), {}), (("same",), {}),
          ((), {"axis": 0}), ((), {"keepdims": True}), ((), {"dtype": int}), ((), {"dtype": complex}), ((1,), {"keepdim": True})]
# They write files, change settings, or return uninitialised numbers.
SKIPPED = {"DataSource", "compile", "dump", "empty", "empty_like", "fromfile", "manual_seed", "memmap", "new_empty", "open_memmap", "resize", "save", "savetxt", "savez",
           "savez_compressed", "seed", "test", "tofile", *SETTINGS}


@pytest.fixture(autouse=True)
def quiet(always):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def computed(result):
    """Computes what is pending in a result."""
    if isinstance(result, (tuple, list)):
        for r in result:
            computed(r)
    elif isinstance(result, (np.ndarray, torch_np.Tensor)):
        result.tolist()


def steps(call):
    """The number of operators that run in programs."""
    before = torch_np.fusion.statistics()["steps"]
    computed(call())
    return torch_np.fusion.statistics()["steps"] - before


def public_functions(face):
    for name in dir(face):
        if not name.startswith("_") and not name.endswith("_") and name not in SKIPPED:
            f = getattr(face, name)
            if callable(f) and not isinstance(f, type):
                yield name, f


@pytest.mark.parametrize("name", FACES)
def test_no_temporary_is_computed_twice(name):
    x = np.array([[.3, .1, .7], [.2, .9, .4], [.5, .6, .8], [1., .05, .35]])
    if name.startswith("torch_np"):
        x = x._torch()
    twice, num_called = [], 0
    for function, f in public_functions(FACES[name]):
        for args, kwargs in OTHERS:
            others = [x if a == "same" else a for a in args]

            def with_a_variable(f=f, others=others, kwargs=kwargs):
                y = x * 2.0
                return f(y, *others, **kwargs)

            def with_a_temporary(f=f, others=others, kwargs=kwargs):
                return f(x * 2.0, *others, **kwargs)
            try:
                computed(with_a_variable())
            except Exception:  # it takes other arguments
                continue
            num_called += 1
            if steps(with_a_temporary) > steps(with_a_variable):
                twice.append((function, args, kwargs))
    assert not twice
    assert num_called > 20


def test_a_value_that_a_reduction_reads_again_counts_twice():
    """What the test above would see: a function that gives its temporary to two reductions."""
    x = np.array([.3, .1, .7])
    pair = (x * 2.0,)
    assert steps(lambda: (np.max(*pair), np.max(*pair))) == 2
    y = x * 2.0
    assert steps(lambda: (np.max(y), np.max(y))) == 1 and numpy.isclose(float(y[0]), 0.6)
