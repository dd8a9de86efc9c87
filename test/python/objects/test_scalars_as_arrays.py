"""np._set_scalars('arrays'): results that are scalars in NumPy are 0-d arrays, and still values."""
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

import torch_np.numpy as np


@pytest.fixture
def arrays():
    with np._set_scalars("arrays"):
        yield


CALLS = {
    "x[1]": lambda xp, x: x[1], "x[-1, ]": lambda xp, x: x[-1,], "x[()] of 0-d": lambda xp, x: xp.array(2.5)[()],
    "next(iter(x))": lambda xp, x: next(iter(x)), "max(x)": lambda xp, x: max(x), "x.sum()": lambda xp, x: x.sum(), "x.mean()": lambda xp, x: x.mean(),
    "np.max(x)": lambda xp, x: xp.max(x), "np.any(x)": lambda xp, x: xp.any(x), "x.argmax()": lambda xp, x: x.argmax(), "x @ x": lambda xp, x: x @ x,
    "np.median(x)": lambda xp, x: xp.median(x), "np.linalg.norm(x)": lambda xp, x: xp.linalg.norm(x), "np.var(x)": lambda xp, x: xp.var(x),
    "np.sqrt(2.0)": lambda xp, x: xp.sqrt(2.0), "np.add(1, 2)": lambda xp, x: xp.add(1, 2), "np.add.reduce(x)": lambda xp, x: xp.add.reduce(x),
    "x.sum() * 2 + 1": lambda xp, x: x.sum() * 2 + 1, "numpy.float64 * x[0]": lambda xp, x: numpy.float64(3) * x[0], "-x[0]": lambda xp, x: -x[0],
    "x[0] < 2": lambda xp, x: x[0] < 2, "x.sum() / x.size": lambda xp, x: x.sum() / x.size, "np.real(z[0])": lambda xp, x: xp.real((x * 1j)[0]),
    "np.array_equal": lambda xp, x: xp.sum(xp.equal(x, x)), "np.interp": lambda xp, x: xp.interp(1.5, [1.0, 2.0], [10.0, 20.0]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("dtype", ["float64", "int32", "bool", "complex64"])
def test_scalars_are_arrays(arrays, call, dtype):
    values = numpy.array([1, 0, 3]).astype(dtype)
    try:
        expected = call(numpy, values)
    except TypeError as error:
        with pytest.raises(type(error)):
            call(np, np.array(values))
        return
    found = call(np, np.array(values))
    assert type(found) is np.ndarray and found.shape == () and found.dtype == expected.dtype
    assert numpy.allclose(numpy.asarray(found), expected)


def test_they_are_values(arrays):
    x = np.array([1.0, 2.0, 3.0])
    first, total = x[0], x.sum()
    before = total
    x[0] = 7.0
    total += 1
    assert float(first) == 1 and float(before) == 6 and float(total) == 7
    x[0], x[1] = x[1], x[0]
    assert x.tolist() == [2.0, 7.0, 3.0]
    assert bool(first < 2) and int(first) == 1 and x[np.argmax(x)] == 7 and f"{first:.1f}" == "1.0" and x[int(first):].tolist() == [7.0, 3.0]


def test_gradients_and_lists_are_as_before(arrays):
    x = np.array([1.0, 2.0], _requires_grad=True)
    (x * x).sum()._backward()
    assert x._grad.tolist() == [2.0, 4.0] and type(x._grad.tolist()[0]) is float


def test_what_was_set_comes_back():
    x = np.ones(2)
    with np._set_scalars("arrays"):
        with np._set_scalars("numpy"):
            assert type(x.sum()) is numpy.float64 and type(x[0]) is numpy.float64
        assert type(x.sum()) is np.ndarray
    assert type(x.sum()) is type(x[0]) is type(np.sqrt(2.0)) is type(next(iter(x))) is numpy.float64
    with pytest.raises(ValueError, match=r"_set_scalars\(\): scalars must be 'numpy' or 'arrays', got 'torch'"):
        np._set_scalars("torch")


@pytest.mark.parametrize("value, printed", [("arrays", "ndarray"), ("numpy", "float64"), (None, "float64")])
def test_the_environment_says_what_a_process_begins_with(value, printed):
    environment = {name: text for name, text in os.environ.items() if name != "TORCH_NP_SCALARS"} | ({} if value is None else {"TORCH_NP_SCALARS": value})
    done = subprocess.run([sys.executable, "-c", "import torch_np.numpy as np; print(type(np.ones(2).sum()).__name__)"], capture_output=True, text=True,
                          cwd=pathlib.Path(__file__).parents[3], env=environment)
    assert done.stdout.strip() == printed, done.stderr


def test_compiled_functions_give_them_too(arrays):
    import torch_np
    compiled = torch_np.compile(lambda x: x.sum() * 2)
    for _ in range(3):
        assert type(compiled(np.ones(3))) is np.ndarray and float(compiled(np.ones(3))) == 6
