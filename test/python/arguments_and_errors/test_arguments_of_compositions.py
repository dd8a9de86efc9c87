"""Arguments of composite functions: arrays as shapes and axes, numbers without a dtype, `device`,
`subok`; and their errors."""
import numpy
import pytest
from leaves import leaf

import torch_np
import torch_np.numpy as np



# ------------------------------------------------------------------------------------------------ shapes and axes

@pytest.mark.parametrize("call", [
    lambda xp, of: xp.unravel_index(3, of([2, 2])), lambda xp, of: xp.unravel_index(3, of(4)),
    lambda xp, of: xp.ravel_multi_index((1, 1), of([2, 2])), lambda xp, of: xp.resize(xp.array([1, 2]), of([2, 2])),
    lambda xp, of: xp.fft.fftshift(xp.eye(3), axes=of([1])), lambda xp, of: xp.fft.ifftshift(xp.eye(3), axes=of([0, 1])),
    lambda xp, of: xp.lib.stride_tricks.as_strided(xp.arange(4), of([2, 2]), of([8, 8])),
    lambda xp, of: xp.lib.stride_tricks.sliding_window_view(xp.ones((3, 3)), of([2, 2])),
    lambda xp, of: xp.random.PCG64(1).random_raw(of([2, 1])), lambda xp, of: xp.random.PCG64(1).random_raw(of(2)),
    lambda xp, of: xp.indices(of([2, 2])), lambda xp, of: list(xp.ndindex(of(2)))])
@pytest.mark.parametrize("kind", [lambda xp, n: xp.array(n), lambda xp, n: numpy.asarray(n)[()]], ids=["array", "NumPy's"])
def test_arrays_are_shapes_and_axes(call, kind):
    found, expected = (call(xp, lambda n, xp=xp: kind(xp, n)) for xp in (np, numpy))
    assert numpy.array_equal(numpy.asarray(found), numpy.asarray(expected))


@pytest.mark.parametrize("wrong", [2.0, "ab", [1.5]])
def test_what_is_no_integer_is_no_shape(wrong):
    with pytest.raises(TypeError):
        np.resize([1], wrong)


@pytest.mark.parametrize("bins", [numpy.int64(2), numpy.array(2), numpy.array([2, 3]), (2, numpy.array(3)), [0, 0.5, 1], 2.0])
@pytest.mark.parametrize("call", [lambda xp, b: xp.histogramdd(xp.eye(2), b), lambda xp, b: xp.histogram2d([0.0, 1, 1], [1.0, 2, 0], b),
                                  lambda xp, b: xp.histogram([0.0, 1, 1], b)])
def test_bins_may_be_any_integer(call, bins):
    try:
        expected = call(numpy, bins)[0]
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            call(np, bins)
        return
    ours = np.array(bins) if isinstance(bins, numpy.ndarray) else bins
    for b in (bins, ours):
        assert call(np, b)[0].tolist() == expected.tolist()


# ------------------------------------------------------------------------------------------------ numbers

@pytest.mark.parametrize("values", [5, [1, 2], 2.5, [2.5], True, 300, -1, numpy.float64(2.5)], ids=repr)
@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32"])
def test_putmask_writes_numbers_as_an_assignment_does(dtype, values):
    ours, theirs = np.zeros(3, dtype=dtype), numpy.zeros(3, dtype=dtype)
    mask = [True, False, True]
    try:
        numpy.putmask(theirs, mask, values)
    except OverflowError:
        with pytest.raises(OverflowError):
            np.putmask(ours, mask, values)
        return
    np.putmask(ours, mask, values)
    assert ours.tolist() == theirs.tolist()


def test_putmask_casts_arrays_by_rule():
    with pytest.raises(TypeError):
        np.putmask(np.zeros(2, dtype=np.uint8), [True, True], np.array([1, 2]))


@pytest.mark.parametrize("other", [5, 2.5, True, numpy.int64(5), [5]], ids=repr)
def test_numbers_among_choices_are_weak(other):
    found, expected = (xp.choose([0, 1], [xp.array([1, 2], dtype=xp.uint8), other]) for xp in (np, numpy))
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


def test_trimmed_lists_hold_their_own_elements():
    x = leaf([2.0, 0.0])
    trimmed = np.trim_zeros([0.0, x[0], 0.0])
    assert type(trimmed) is list and trimmed[0]._requires_grad
    assert np.trim_zeros((0, 1, 0)) == (1,) and type(np.trim_zeros([0, 1])[0]) is int


@pytest.mark.parametrize("call", [lambda p: np.linalg.norm([1, 2, 3.0], p), lambda p: np.linalg.norm(np.eye(2), p),
                                  lambda p: np.linalg.cond(np.eye(2), p), lambda p: np.linalg.matrix_norm(np.eye(2), ord=p)])
@pytest.mark.parametrize("order", [2.0, 1.0])
def test_gradients_of_orders_of_norms_are_not_lost_silently(call, order):
    with pytest.raises(NotImplementedError, match="derivative"):
        call(leaf(order))
    assert call(order) >= 0


# ------------------------------------------------------------------------------------------------ device, subok

@pytest.mark.parametrize("make", [
    lambda **k: np.linspace(0, 1, 3, **k), lambda **k: np.linspace(np.array(0), 1, 3, **k), lambda **k: np.logspace(0, 1, 3, **k),
    lambda **k: np.geomspace(1, 2, 3, **k), lambda **k: np.fft.fftfreq(4, **k), lambda **k: np.fft.rfftfreq(4, **k)])
def test_creators_take_a_device_by_both_names(make):
    assert make(device="meta").device == make(_device="meta").device == "meta"
    with pytest.raises(TypeError, match="multiple values for argument 'device'"):
        make(device="cpu", _device="cpu")


@pytest.mark.parametrize("make", [lambda: np.linspace(0, 1, 3, _requires_grad=True), lambda: np.linspace(np.array(0), 1, 3, _requires_grad=True),
                                  lambda: np.logspace(0, 1, 3, _requires_grad=True), lambda: np.geomspace(1, 2, 3, _requires_grad=True)])
def test_ranges_may_be_leaves(make):
    x = make()
    (x * 2).sum()._backward()
    assert x._grad.tolist() == [2, 2, 2]


@pytest.mark.parametrize("call", [
    lambda x: np.resize(x, 0), lambda x: np.isin(x, []), lambda x: np.cov(x.reshape(3, 1)[:0]), lambda x: np.median(x[:0]),
    lambda x: np.quantile(x[:0], 0.5), lambda x: np.vander(x, 0), lambda x: np.vander(x), lambda x: np.linspace(x[0], 1, 1, retstep=True)[1]])
def test_what_is_made_of_nothing_is_on_the_same_device(call):
    assert call(np.ones(3, _device="meta")).device == "meta"


class Sub(np.ndarray):
    pass


@pytest.mark.parametrize("call", [
    lambda x, **k: np.broadcast_arrays(x, np.ones((3, 2)), **k)[0], lambda x, **k: np.lib.stride_tricks.as_strided(x, (1,), (8,), **k),
    lambda x, **k: np.lib.stride_tricks.sliding_window_view(x, 2, **k)])
def test_views_keep_the_class_if_asked(call):
    x = np.ones(2).view(Sub)
    assert type(call(x, subok=True)) is Sub
    assert type(call(x)) is type(call(np.ones(2), subok=True)) is np.ndarray


# ------------------------------------------------------------------------------------------------ the torch face, the namespace

@pytest.mark.parametrize(("call", "message"), [
    (lambda: torch_np.linalg.pinv([[1.0]]), r"pinv\(\): argument 'A' must be Tensor, not list"),
    (lambda: torch_np.linalg.norm([1.0], 3), r"norm\(\): argument 'A'"),
    (lambda: torch_np.tensordot([1.0], torch_np.ones(1), 1), r"tensordot\(\): argument 'a' must be Tensor, not list"),
    (lambda: torch_np.tensordot(torch_np.ones(1), 2.0, 1), r"tensordot\(\): argument 'b' must be Tensor, not float"),
    (lambda: torch_np.fft.fftshift([1, 2]), r"fftshift\(\): argument 'input' must be Tensor, not list"),
    (lambda: torch_np.fft.ifftshift(None), r"ifftshift\(\): argument 'input' must be Tensor, not NoneType")])
def test_compositions_of_the_torch_face_name_the_argument(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_vector_has_no_matrix_rank_there():
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        torch_np.linalg.matrix_rank(torch_np.ones(3))


def test_the_namespace_tells_its_defaults():
    info = np.__array_namespace_info__()
    before = np._get_default_dtype()
    try:
        np._set_default_dtype(np.float32)
        found = info.default_dtypes(device="meta")
        assert found["real floating"] == np.zeros(1).dtype == np.float32 and found["complex floating"] == np.complex64
    finally:
        np._set_default_dtype(before)
    assert info.default_dtypes() == numpy.__array_namespace_info__().default_dtypes()
    assert "meta" in info.devices() and info.default_device() in info.devices()
    assert info.dtypes(device="meta") == info.dtypes()
    with pytest.raises(ValueError, match="Device not understood"):
        info.default_dtypes(device="tpu")
