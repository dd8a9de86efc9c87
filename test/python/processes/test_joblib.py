"""joblib with arrays and tensors: parallel calls, files, hashes and cached results."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np

joblib = pytest.importorskip("joblib")

MAKE = {"array": lambda: np.arange(6.).reshape(2, 3).T, "large array": lambda: np.ones(200_000), "tensor": lambda: torch_np.arange(6), "bfloat16": lambda: torch_np.ones(3, dtype=torch_np.bfloat16),
        "large tensor": lambda: torch_np.ones(200_000)}


@pytest.fixture(scope="module", autouse=True)
def workers():
    yield
    from joblib.externals.loky import get_reusable_executor
    get_reusable_executor().shutdown(wait=True)


def twice(x):
    x *= 2      # a copy of the caller's array
    return type(x).__name__, x


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_arguments_and_results(backend):
    inputs = [make() for make in MAKE.values()]
    results = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(twice)(x) for x in inputs)
    for x, (name, y) in zip(inputs, results, strict=True):
        assert name == type(x).__name__ and type(y) is type(x) and y.dtype == x.dtype and (y == x * 2).all()


def scaled(layer, x):
    return layer(x).sum().item()


def test_modules_are_arguments():
    layer, x = torch_np.nn.Linear(3, 2), torch_np.ones(4, 3)
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(scaled)(layer, x) for _ in range(2)) == pytest.approx([scaled(layer, x)] * 2)


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("compress", [0, 3])
def test_files(tmp_path, name, compress):
    x = MAKE[name]()
    joblib.dump({"x": x, "n": 1}, tmp_path / "x", compress=compress)
    y = joblib.load(tmp_path / "x")["x"]
    assert type(y) is type(x) and y.dtype == x.dtype and y.shape == x.shape and (y == x).all()
    y += 1      # its own memory


@pytest.mark.parametrize("name", MAKE)
def test_equal_values_have_equal_hashes(name):
    x = MAKE[name]()
    assert joblib.hash(x) == joblib.hash(MAKE[name]()) and joblib.hash(x) != joblib.hash(x + 1)


def test_hashes_tell_shapes_and_dtypes_apart():
    kinds = [np.ones((2, 3)), np.ones((3, 2)), np.ones((2, 3), dtype="f4"), torch_np.ones(2, 3), numpy.ones((2, 3))]
    assert len({joblib.hash(x) for x in kinds}) == len(kinds)


def test_results_are_kept(tmp_path):
    calls = []

    def f(x):
        calls.append(type(x))
        return x * 2

    kept = joblib.Memory(tmp_path, verbose=0).cache(f)
    for make in (lambda: np.arange(3.), lambda: torch_np.arange(3.)):
        first, again = kept(make()), kept(make())
        assert type(first) is type(again) is type(make()) and again.tolist() == [0, 2, 4]
    assert calls == [np.ndarray, torch_np.Tensor]
