"""bfloat16 in the composite functions of np: a floating dtype like float16, although its kind in
NumPy is 'V'."""
import io
import warnings

import numpy
import numpy_calls
import pytest
from public_functions import NAMES, calls_of, results_in

import torch_np
import torch_np.numpy as np

# Calls that cannot be compared with the other 16-bit dtype, by reason.
DIFFERENT = {
    "arange": "with numbers it asks for a dtype together with int64, which bfloat16 has none with; NumPy's does so, too",
    "empty_like": "anything",
    "ndarray.byteswap": "the bits of the dtype",
    "ndarray.data": "buffers have no word for it, which the error says",
}


def outcome(call, arguments, dtype):
    """The outcome for arguments that both dtypes represent exactly. Complex arguments remain
    complex."""
    def array(values):
        x = np.array(values)
        return x.astype(np.complex64) if x.dtype.kind == "c" else x.astype(np.bfloat16).astype(dtype)
    try:
        return results_in(call(*map(array, arguments)))
    except Exception as error:  # noqa: BLE001
        return error


@pytest.mark.parametrize("name", [n for n in NAMES if n not in numpy_calls.NO_ARGUMENT and n not in DIFFERENT])
def test_calls_give_what_they_give_for_float16(name):
    """The result is in bfloat16, and equals the float16 result to bfloat16's precision, which is
    lower by three bits. Errors are of the same class."""
    for call, *arguments in calls_of(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected, found = (outcome(call, arguments, dtype) for dtype in (np.float16, np.bfloat16))
        if isinstance(expected, Exception) or isinstance(found, Exception):
            assert type(found) is type(expected), (expected, found)
            continue
        assert len(found) == len(expected)
        for x, y in zip(expected, found):
            assert numpy.shape(y) == numpy.shape(x)
            if isinstance(x, np.ndarray):
                assert y.dtype == (np.bfloat16 if x.dtype == np.float16 else x.dtype)
                x, y = x.astype(complex), y.astype(complex)
            # a few roundings of 2**-9 each
            assert numpy.allclose(numpy.asarray(y), numpy.asarray(x), rtol=0.05, atol=0.05, equal_nan=True)


NAN = float("nan")


@pytest.mark.parametrize(("call", "expected"), [
    (np.nansum, 4), (np.nanprod, 3), (np.nanmean, 2), (np.nanvar, 1), (np.nanstd, 1), (np.nanmedian, 2), (np.nanmax, 3), (np.nanmin, 1),
    (np.nanargmax, 2), (np.nancumsum, [1, 1, 4]), (lambda x: np.nanquantile(x, 0.5), 2), (np.nan_to_num, [1, 0, 3]), (np.median, NAN),
    (lambda x: np.quantile(x, 0.5), NAN), (lambda x: np.unique(np.concatenate((x, x))), [1, 3, NAN])])
def test_nans_are_found(call, expected):
    result = call(np.array([1, NAN, 3], dtype=np.bfloat16))
    assert result.dtype in (np.bfloat16, np.int64)
    assert numpy.array_equal(result.tolist(), expected, equal_nan=True)


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="infs or NaNs"):
        np.asarray_chkfinite(np.array([1, NAN], dtype=np.bfloat16))


def test_beside_integers_it_promotes_as_the_operators_do():
    x = np.array([1, 2, 3], dtype=np.bfloat16)
    assert np.average(x, weights=[1, 1, 2]).item() == 2.25
    assert np.vander(x).dtype == (x ** np.arange(3)).dtype == np.float64
    assert np.geomspace(1, 8, 4, dtype=np.bfloat16).tolist() == [1, 2, 4, 8]
    assert np.pad(x, 2, mode="linear_ramp").tolist() == [0, 0.5, 1, 2, 3, 1.5, 0]
    assert np.result_type(x, 1.5) == (x + 1.5).dtype == np.bfloat16 and np.result_type(x, np.float32) == np.float32
    with pytest.raises(TypeError):
        np.result_type(x, np.int64)  # as NumPy's


@pytest.mark.parametrize("save", [lambda f, x: np.save(f, x), lambda f, x: np.savez(f, arr_0=x)])
def test_files_give_back_what_was_saved(save):
    file = io.BytesIO()
    save(file, np.array([1, NAN, 3], dtype=np.bfloat16))
    file.seek(0)
    found = np.load(file)
    found = found if isinstance(found, np.ndarray) else found["arr_0"]
    assert found.dtype == np.bfloat16 and numpy.array_equal(found.tolist(), [1, NAN, 3], equal_nan=True)


# ------------------------------------------------------------------------------------------------ dtypes of the other face

@pytest.mark.parametrize("make", [
    lambda dt: np.linspace(np.array(0), 1, 3, dtype=dt), lambda dt: np.geomspace(1, 2, 3, dtype=dt), lambda dt: np.logspace(1, 2, 3, dtype=dt),
    lambda dt: np.matmul(np.eye(2), np.eye(2), dtype=dt), lambda dt: np.einsum("ij->i", np.eye(2, dtype=np.float32), dtype=dt),
    lambda dt: np.nanmean([1.0], dtype=dt), lambda dt: np.nanvar([1.0], dtype=dt), lambda dt: np.fromiter([1, 2], dt),
    lambda dt: np.frombuffer(b"abcd", dtype=dt), lambda dt: np.vectorize(abs, otypes=[dt])([1.0]),
    lambda dt: np.random.default_rng(1).random(2, dtype=dt), lambda dt: np.random.default_rng(1).standard_normal(2, dtype=dt)])
def test_torch_dtypes_are_dtypes_in_compositions(make):
    assert make(torch_np.float32).dtype == np.float32


def test_torch_dtypes_are_dtypes_in_questions_and_of_random_integers():
    assert np.result_type(torch_np.float32, torch_np.int64) == np.promote_types(torch_np.float32, torch_np.int64) == np.float64
    assert np.can_cast(torch_np.int8, torch_np.int16) and not np.can_cast(np.float64, torch_np.int16)
    assert np.random.default_rng(1).integers(2, size=3, dtype=torch_np.int32).dtype == np.int32
    assert np.random.randint(2, size=3, dtype=torch_np.int16).dtype == np.int16
