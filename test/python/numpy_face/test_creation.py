"""Creation functions compared with NumPy: every dtype, shape and order; ranges with their lengths
and rounding."""

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import DTYPES, LAYOUTS, agrees, layouts
from ids import stable_text

SHAPES = [(), 3, (0,), (2, 3), (3, 0), [2, 2], (-1,), (2, -1), (2**40, 2**40), (2**62, 4), (1,) * 64, (1,) * 65]


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
@pytest.mark.parametrize("function", ["zeros", "ones"])
def test_filled_arrays_have_the_shape_dtype_and_order_asked_for(function, dtype):
    for shape in SHAPES:
        for order in "CF":
            agrees(function, shape, dtype, order, order=True)


@pytest.mark.parametrize("dtype", [None, *DTYPES], ids=stable_text)
def test_full_casts_the_value_and_refuses_integers_that_do_not_fit(dtype):
    for shape in SHAPES:
        for value in (3, 2.5, 300, -1, 1j, True, numpy.float32(2), numpy.arange(3), [1, 2]):
            agrees("full", shape, value, dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_like_functions_keep_shape_dtype_and_order(layout):
    x = layouts("int16")[layout]
    for function in ("zeros_like", "ones_like"):
        for order in "CFAK":
            agrees(function, x, order=order)
            assert not x.size or getattr(np, function)(np.asarray(x), order=order).strides == getattr(numpy, function)(x, order=order).strides
        agrees(function, x, dtype="float32")
        agrees(function, x, shape=(2, 3))
    agrees("full_like", x, 7)
    assert np.empty_like(np.asarray(x)).shape == x.shape


def test_default_dtypes_are_those_of_each_library():
    assert np.zeros(2).dtype == numpy.float64
    assert torch_np.zeros(2).dtype == torch_np.float32
    assert torch_np.full((2,), 1).dtype == torch_np.int64
    assert torch_np.arange(3).dtype == torch_np.int64
    assert torch_np.arange(3.0).dtype == torch_np.float32


def test_sizes_may_come_one_by_one_in_torch():
    assert tuple(torch_np.zeros(2, 3).shape) == (2, 3)
    assert tuple(torch_np.ones([2, 3]).shape) == (2, 3)


def test_ones_translates_shape_to_size():  # the example of the proposal
    assert np.ones(shape=(2, 3)).shape == (2, 3)
    with pytest.raises(TypeError):
        np.ones(size=(2, 3))
    assert tuple(torch_np.ones(size=(2, 3)).shape) == (2, 3)


def test_new_arrays_may_require_gradients():
    x = np.ones(3, _requires_grad=True)
    assert x._requires_grad
    assert torch_np.zeros(3, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError):
        torch_np.zeros(3, dtype=torch_np.int64, requires_grad=True)


STARTS = [0, 1, -1, 5, 2.5, -3.7, 1e3, 0.1, 1e-320, True, 10, 7.0, numpy.int8(2)]
STEPS = [1, 2, -1, 0.5, 0.1, -0.3, 0, 7, 1e300, numpy.int16(2)]


@pytest.mark.parametrize("start", STARTS, ids=stable_text)
def test_arange_has_numpys_length_and_values(start):
    agrees("arange", start)
    for stop in [*STARTS, numpy.nan, numpy.inf]:
        for step in STEPS:
            agrees("arange", start, stop, step)


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_arange_in_a_given_dtype(dtype):
    for arguments in ((0, 5, 1), (1, 2, 0.1), (5, 0, -1), (0, 2, 1), (0, 1, 1), (-3, 3, 2), (0, 100, 7)):
        agrees("arange", *arguments, dtype=dtype)


def test_arange_refuses_what_is_no_number():
    for arguments in ((), (None,), ([1, 2],), (0, [3]), (0, 2**70), (0, 1, 1e-320)):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            np.arange(*arguments)


def test_arange_of_torch_checks_the_sign_of_the_step():
    with pytest.raises(RuntimeError):
        torch_np.arange(0, 1, -1)
    with pytest.raises(RuntimeError):
        torch_np.arange(0, 1, 0)
    numpy.testing.assert_array_equal(torch_np.arange(5, 0, -2)._np_compat(), [5, 3, 1])


@pytest.mark.parametrize("num", [0, 1, 2, 3, 10, 50])
def test_linspace_agrees(num):
    for start, stop in ((0, 1), (3, -2), (0.1, 1e6), (5, 5), (1j, 2), (numpy.float32(0), numpy.float32(3)),
                        ([0, 1], [5, 7]), (0, [1, 2, 3])):
        for endpoint in (True, False):
            agrees("linspace", start, stop, num, endpoint)
            agrees("linspace", start, stop, num, endpoint, dtype=int) if start != 1j else None
    agrees("linspace", [0, 1], [5, 7], num, axis=-1)
    agrees("linspace", 0, 1, num, retstep=True)


def test_linspace_refuses_a_negative_number():
    agrees("linspace", 0, 1, -1)
    with pytest.raises(RuntimeError):
        torch_np.linspace(0, 1, -1)


def test_linspace_of_torch_ends_at_its_end():
    x = torch_np.linspace(0, 1, 1001)
    assert float(x[-1]) == 1.0 and float(x[0]) == 0.0


def test_logspace_and_geomspace_are_numpys():
    for arguments in ((0, 3), (2.0, -2.0, 7), ([0, 1], [2, 3], 5)):
        numpy.testing.assert_allclose(np.logspace(*arguments), numpy.logspace(*arguments), rtol=1e-14)
    for arguments in ((1, 256, 9), (-1, -1000, 4), (1j, 16j, 5), ([1, 2], [4, 8], 3)):
        numpy.testing.assert_allclose(np.geomspace(*arguments), numpy.geomspace(*arguments), rtol=1e-13)
    agrees("geomspace", 0, 1)


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_eye_and_tri(dtype):
    for n in (0, 1, 3, -1):
        for m in (None, 2, 5, -1):
            for k in (-4, -1, 0, 1, 2, 9, 10**12, -10**12):
                agrees("eye", n, m, k, dtype)
                agrees("tri", n, m, k, dtype)
    agrees("identity", 3, dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", ["tril", "triu", "diag", "diagflat"])
def test_triangles_and_diagonals(function, layout):
    for dtype in ("float32", "complex128", "bool"):
        for k in range(-3, 4):
            agrees(function, layouts(dtype)[layout], k)


@pytest.mark.parametrize("function", ["tril", "triu"])
def test_triangles_of_stacks_however_they_lie(function):
    x = numpy.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    for y in (x, x.transpose(1, 0, 2, 3), x.transpose(3, 2, 1, 0), x[:, :, ::2, ::-1], x[:, 1:], x[::-1], x[:, :0], x[..., :0], numpy.broadcast_to(x[:, :1], (2, 7, 4, 5))):
        for k in (-2**62, -4, -1, 0, 2, 5, 2**62):
            expected = getattr(numpy, function)(y, min(max(k, -99), 99))
            numpy.testing.assert_array_equal(numpy.asarray(getattr(np, function)(np.asarray(y), k)), expected)
    wide = numpy.arange(120_000, dtype="i2").reshape(300, 400)
    numpy.testing.assert_array_equal(numpy.asarray(getattr(np, function)(np.array(wide).T, 7)), getattr(numpy, function)(wide.T, 7))


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_long_ranges(dtype):
    if numpy.dtype(dtype).kind == "b":
        return
    step = 0.25 if numpy.dtype(dtype).kind in "fcV" else 1
    agrees("arange", 0, 5000 * step, step, dtype=dtype) if numpy.dtype(dtype).itemsize > 2 else agrees("arange", 100, dtype=dtype)
    agrees("linspace", -3, 100, 5001, dtype=dtype) if numpy.dtype(dtype).kind != "u" else agrees("linspace", 3, 100, 5001, dtype=dtype)
    torch = torch_np.linspace(-3, 100, 5001)
    assert float(torch[2500]) == 48.5 and float(torch[-1]) == 100


@pytest.mark.parametrize("call", [lambda xp, d: xp.arange(5, device=d), lambda xp, d: xp.empty_like([], device=d), lambda xp, d: xp.zeros(5, device=d),
                                  lambda xp, d: xp.asarray([], device=d), lambda xp, d: xp.full(2, 1, device=d)])
def test_what_is_no_device_is_refused_in_numpys_words(call):
    for xp in (numpy, np):
        with pytest.raises(ValueError, match='Device not understood. Only "cpu" is allowed, but received: nonsense'):
            call(xp, "nonsense")
        with pytest.raises(AttributeError, match="attribute 'device' of '(numpy.|)ndarray' objects is not writable"):
            call(xp, "cpu").device = "cpu"
    with pytest.raises(RuntimeError, match="not a device"):
        torch_np.zeros(2, device="nonsense")


def test_a_range_of_one_number_has_no_second():
    for arguments in ((0, 1, numpy.inf), (0, 1, -numpy.inf), (0, -1, numpy.inf), (5., 7, numpy.inf), (numpy.float32(1), 3, numpy.inf)):
        agrees("arange", *arguments)


def test_the_base_of_an_array_over_an_array_is_that_array():
    for xp in (numpy, np):
        a = xp.arange(12.)
        b = xp.frombuffer(a, "i4", count=3, offset=8)
        assert b.base is a and xp.frombuffer(a).base is a and b.tolist() == [0, 1072693248, 0]
        b[0] = 7
        assert a[1] != 1
        for wrong in (lambda: xp.frombuffer(a, offset=100), lambda: xp.frombuffer(a, count=13), lambda: xp.frombuffer(xp.ones((3, 3)).T[1:])):
            with pytest.raises(ValueError):
                wrong()


def test_texts_of_numbers():
    for text, dtype, count in (("1,2,3", float, -1), (b"4,5", "i2", -1), ("1,2,3", "f4", 2)):
        agrees("fromstring", text, dtype, count, sep=",")
        agrees("fromstring", text, dtype, count, ",")
    for xp in (numpy, np):
        with pytest.raises(ValueError, match="binary mode"):
            xp.fromstring(b"12345678")


@pytest.mark.parametrize("arguments", [(0, 3, 1, "i8"), (0, 3, 1, None), (0.5, 3, 1, "f4"), (3, None, 1, "f4"), (0, 3, None, "i2"), (3, None, None, float), (5, 0, -2, numpy.int8)])
def test_the_dtype_of_a_range_by_position(arguments):
    agrees("arange", *arguments)
    for xp in (numpy, np):
        with pytest.raises(TypeError):
            xp.arange(0, 3, 1, "i8", "cpu")
        with pytest.raises(TypeError):
            xp.arange(0, 3, 1, "i8", dtype="i4")
        with pytest.raises(TypeError, match="not understood"):
            xp.arange(0, 3, 1, "nope")


@pytest.mark.parametrize("name, arguments", [
    ("zeros", (3, "f4", "F")), ("ones", ((2, 2), "i2", "F")), ("full", ((2, 2), 2, "f4", "F")), ("linspace", (0, 1, 3, True, False, "f4", 0)),
    ("logspace", (0, 1, 3, True, 2.0, "f4", 0)), ("geomspace", (1, 8, 4, True, "f4", 0)), ("array", ([1, 2], "f4")), ("asarray", ([[1, 2]], "f4", "F")),
    ("asanyarray", ([[1, 2]], "f4", "F")), ("ascontiguousarray", ([1, 2], "f4")), ("asfortranarray", ([[1, 2]], "f4")), ("eye", (2, 3, 1, "i4", "F")),
    ("identity", (2, "i4")), ("tri", (2, 3, 0, "i4")), ("zeros_like", ([1, 2], "f4", "C", True, (3,))), ("ones_like", ([1, 2], "f4", "C", True, (3,))),
    ("full_like", ([1, 2], 5, "f4", "C", True, (3,))), ("frombuffer", (b"abcd", "i2", 1, 2)), ("fromiter", ([1, 2], "f4", 2)), ("indices", ((2,), "i4", False))])
def test_dtypes_by_position(name, arguments):
    agrees(name, *arguments)


@pytest.mark.parametrize("a, shape", [(7, 6), ([1, 2], 2), ([1, 2], (2, 3)), ([[1.5, 2], [3, 4]], (2, 2)), ([1, 2, 3], 2), ([], 3)], ids=str)
def test_resize_gives_memory_of_its_own(a, shape):
    given = np.array(a)
    made = np.resize(given, shape)
    assert made.tolist() == numpy.resize(a, shape).tolist() and made.flags.writeable
    made[...] = 9
    assert given.tolist() == a and (made == 9).all()


def test_assume_unique_and_sorted_are_hints():
    a, b = np.arange(8).reshape(2, 2, 2), np.array([[1, 6], [9, 4]])
    for invert in (False, True):
        assert np.isin(a, b, assume_unique=True, invert=invert).tolist() == np.isin(a, b, invert=invert).tolist() == numpy.isin(a, b, invert=invert).tolist()
    assert np.unique([3, 1, 3, 2], sorted=False).tolist() == [1, 2, 3]
