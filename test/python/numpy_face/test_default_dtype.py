"""np._set_default_dtype: the dtype of new arrays from Python's numbers, and its effects."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np


@pytest.fixture(autouse=True)
def defaults_come_back():
    before = np._get_default_dtype(), np._get_default_dtype("integer")
    yield
    assert (np._get_default_dtype(), np._get_default_dtype("integer")) == before


FLOATING = {
    "zeros": lambda: np.zeros(3), "ones": lambda: np.ones((2, 2)), "empty": lambda: np.empty(3), "eye": lambda: np.eye(2),
    "identity": lambda: np.identity(2), "full": lambda: np.full(3, 1.5), "array": lambda: np.array([1.0, 2]),
    "asarray": lambda: np.asarray(2.5), "arange": lambda: np.arange(0.0, 1.0, 0.25), "linspace": lambda: np.linspace(0, 1, 5),
    "logspace": lambda: np.logspace(0, 1, 5), "geomspace": lambda: np.geomspace(1, 10, 5),
    "mean": lambda: np.mean([1, 2]), "var": lambda: np.var([1, 2]), "average": lambda: np.average([1, 2]), "median": lambda: np.median([1, 2]),
    "divide": lambda: np.array([1, 2]) / 3, "exp": lambda: np.exp([1, 2]), "sqrt": lambda: np.sqrt(np.arange(3)),
    "random": lambda: np.random.random(3), "rand": lambda: np.random.rand(2), "randn": lambda: np.random.randn(2),
    "normal": lambda: np.random.normal(size=3), "uniform": lambda: np.random.uniform(size=3),
    "generator": lambda: np.random.default_rng(0).random(3), "standard_normal": lambda: np.random.default_rng(0).standard_normal(3),
    "add": lambda: np.arange(3) + 0.5, "where": lambda: np.where([True, False], 1.0, 2.0),
    "hanning": lambda: np.hanning(5), "meshgrid": lambda: np.meshgrid(np.linspace(0, 1, 2), np.linspace(0, 1, 2))[0],
    "inv": lambda: np.linalg.inv(np.array([[2, 0], [0, 2]])), "norm": lambda: np.linalg.norm([3, 4]),
    "nanmean": lambda: np.nanmean([1.0, float("nan")]),
    "histogram": lambda: np.histogram([0.0, 1.0])[1], "trapezoid": lambda: np.trapezoid([1, 2, 3]),
    "gradient": lambda: np.gradient([1, 2, 4]), "fft": lambda: np.fft.rfft([1.0, 2.0]).real, "fftfreq": lambda: np.fft.fftfreq(4),
}


@pytest.mark.parametrize("name", FLOATING)
def test_floating_results_have_the_default_dtype(name):
    expected = FLOATING[name]()
    with np._set_default_dtype("float32"):
        got = FLOATING[name]()
    assert got.dtype == numpy.float32 and expected.dtype == numpy.float64
    if name not in ("empty", "random", "rand", "randn", "normal", "uniform", "generator", "standard_normal"):
        numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(expected), rtol=1e-5, atol=1e-6)


def test_complex_results_have_the_size_of_the_default_dtype():
    with np._set_default_dtype("float32"):
        assert np.array([1j]).dtype == numpy.complex64 and (np.zeros(2) + 1j).dtype == numpy.complex64
        assert np.full(2, 1 + 2j).dtype == numpy.complex64


def test_random_numbers_are_those_of_float64_rounded_and_below_1():
    np.random.seed(5)
    wide = np.random.random(1000), np.random.normal(size=10), np.random.choice(5, 10, p=[0.1, 0.2, 0.3, 0.2, 0.2])
    np.random.seed(5)
    with np._set_default_dtype("float16"):
        short = np.random.random(1000), np.random.normal(size=10), np.random.choice(5, 10, p=[0.1, 0.2, 0.3, 0.2, 0.2])
        assert np.random.default_rng(0).random(3, dtype=np.float64).dtype == np.random.default_rng(0).random(3, out=np.zeros(3, "f8")).dtype == numpy.float64
    assert short[0].dtype == short[1].dtype == numpy.float16 and short[0].max() < 1
    assert abs(wide[0] - short[0]).max() < 1e-3 and abs(wide[1] - short[1]).max() < 5e-3
    assert short[2].tolist() == wide[2].tolist()


def test_what_has_a_dtype_keeps_it():
    with np._set_default_dtype("float32"):
        assert np.array(numpy.ones(2)).dtype == np.zeros(2, dtype=float).dtype == np.asarray(numpy.float64(1)).dtype == numpy.float64
        assert (numpy.ones(2) * np.ones(2)).dtype == numpy.float64
        assert np.mean(np.array([1.0, 2.0], dtype="f8")).dtype == numpy.float64


INTEGER = {
    "array": lambda: np.array([1, 2]), "asarray": lambda: np.asarray(5), "arange": lambda: np.arange(5), "arange of two": lambda: np.arange(2, 5),
    "full": lambda: np.full(3, 7), "full_like": lambda: np.full_like([1, 2], 7), "nested": lambda: np.array([[1, 2], [3, 4]]),
    "sum": lambda: np.sum(np.array([1, 2], dtype="i1")), "sum of bools": lambda: np.array([True, True]).sum(),
    "cumsum": lambda: np.cumsum([1, 2]), "prod": lambda: np.prod(np.array([3, 4], dtype="i2")), "add": lambda: np.array([1, 2]) + 1,
    "randint": lambda: np.random.randint(0, 9, size=4), "where": lambda: np.where(np.array([True, False]), [1, 2], [3, 4]),
    "concatenate": lambda: np.concatenate([[1], [2]]), "dot": lambda: np.dot([1, 2], [3, 4]),
}


@pytest.mark.parametrize("name", INTEGER)
def test_integer_results_have_the_default_integer_dtype(name):
    numpy.random.seed(3)
    expected = INTEGER[name]()
    with np._set_default_dtype("int32"):
        got = INTEGER[name]()
    assert got.dtype == numpy.int32 and expected.dtype == numpy.int64
    if name != "randint":
        assert got.tolist() == expected.tolist()


def test_sums_of_unsigned_integers_stay_unsigned():
    with np._set_default_dtype(np.int32):
        assert np.array([1, 2], dtype="u1").sum().dtype == numpy.uint32
        assert np.array([1, 2], dtype="u8").sum().dtype == numpy.uint64
        assert np.array([2**40], dtype="i8").sum().dtype == numpy.int64


def test_an_integer_that_the_default_does_not_hold_makes_int64():
    with np._set_default_dtype("int32"):
        assert np.array([1, 2**31]).tolist() == [1, 2**31] and np.array([1, 2**31]).dtype == numpy.int64
        assert np.full(2, -2**31 - 1).dtype == numpy.int64 and np.full(2, -2**31).dtype == numpy.int32
        assert np.arange(2**31, 2**31 + 2).tolist() == [2**31, 2**31 + 1]


def test_indices_stay_int64():
    with np._set_default_dtype("int32"):
        assert np.argmax([1, 2]).dtype == np.nonzero([0, 1])[0].dtype == np.argsort([2, 1]).dtype == numpy.int64


def test_contexts_nest_and_restore_after_an_error():
    with pytest.raises(ZeroDivisionError):
        with np._set_default_dtype("float32"), np._set_default_dtype("int32"):
            with np._set_default_dtype("float16"):
                assert np.ones(1).dtype == numpy.float16
            assert np.ones(1).dtype == numpy.float32 and np.array([1]).dtype == numpy.int32
            raise ZeroDivisionError
    assert np.ones(1).dtype == numpy.float64 and np.array([1]).dtype == numpy.int64


def test_the_other_face_has_its_own_defaults():
    with np._set_default_dtype("float64"), np._set_default_dtype("int32"):
        assert torch_np.ones(1).dtype is torch_np.float32 and torch_np.tensor([1]).dtype is torch_np.int64
        assert torch_np.arange(3).dtype is torch_np.int64 and torch_np.full((2,), 3).dtype is torch_np.int64
        assert torch_np.ones(2, dtype=torch_np.int8).sum().dtype is torch_np.int64


@pytest.mark.parametrize("dtype", ["int8", "uint32", "bool", "complex64"])
def test_other_dtypes_are_refused(dtype):
    with pytest.raises(TypeError, match="floating-point types and int32 and int64"):
        np._set_default_dtype(dtype)
    with pytest.raises(TypeError, match="floating-point"):
        torch_np.set_default_dtype(getattr(torch_np, dtype))
    with pytest.raises(ValueError, match="floating"):
        np._get_default_dtype("complex")


def test_gradients_are_of_the_default_dtype():
    with np._set_default_dtype("float32"):
        x = np.array([1.0, 2.0])
        x._requires_grad = True
        (np.sin(x) * np.linspace(0, 1, 2)).mean()._backward()
        assert x._grad.dtype == numpy.float32
