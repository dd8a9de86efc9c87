"""Views and shapes compared with NumPy, for all dtypes and layouts. Views share memory and stay
within it."""
import math
import pickle
import warnings
import weakref
from copy import copy as shallow_copy, deepcopy

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import DTYPES, LAYOUTS, agrees, layouts
from ids import stable_text

AXES = range(-4, 4)
FEW_DTYPES = [numpy.dtype(t) for t in ("bool", "int16", "float16", "float64", "complex64")]


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture(params=FEW_DTYPES, ids=stable_text)
def x(request, layout):
    return layouts(request.param)[layout]


SHAPES = [-1, (3, 20), (60,), (5, 4, 3), (4, -1, 5), (2, 30), (2, 2, 3, 5), (0, -1), (7,), (), (1,), (1, 1, 1, 1), (0, 5),
          (-1, 0), (-1, -1), (-2, 3)]


def test_reshape(x):
    for shape in SHAPES:
        for order in "CFA":
            agrees("reshape", x, shape, order)
    agrees("reshape", x, -1, "K")


def test_reshape_as_a_method_takes_sizes_one_by_one(x):
    agrees(None, x, -1, 1, method="reshape")
    agrees(None, x, (1, -1), method="reshape")


def test_reshape_copies_only_if_told_or_needed(layout):
    x = layouts("float64")[layout]
    for copy in (True, False, None):
        agrees("reshape", x, (-1,), copy=copy)
    a = np.arange(6)
    assert np.shares_memory(a, a.reshape(2, 3))
    assert not np.shares_memory(a, np.reshape(a, (2, 3), copy=True))


def test_ravel_and_flatten(x):
    for order in "CFAK":
        agrees("ravel", x, order)
        agrees(None, x, order, method="flatten")
        agrees(None, x, order, method="ravel")


def test_flatten_always_copies():
    a = np.arange(6)
    assert not np.shares_memory(a, a.flatten())
    assert np.shares_memory(a, a.ravel())


def test_copies_have_the_order_asked_for(layout):
    for dtype in DTYPES:
        x = layouts(dtype)[layout]
        for order in "CFAK":
            agrees("copy", x, order, order=True)
            for to in ("bool", "int8", "int64", "float16", "float32", "complex64"):
                agrees(None, x, to, order, method="astype", order=True)


def test_astype_obeys_casting_and_copy():
    a = np.arange(3.0)
    with pytest.raises(TypeError):
        a.astype(int, casting="safe")
    assert a.astype(float, copy=False) is a
    assert a.astype(float) is not a
    assert a.astype(float, order="F", copy=False) is a


def test_transposes(x):
    for axes in (None, (2, 0, 1), (0, 1), (0,), (), (0, 0, 1), (-1, 0, 1), (3, 0, 1)):
        agrees("transpose", x, axes, order=True)
    agrees("matrix_transpose", x)
    for axis in AXES:
        agrees("swapaxes", x, axis, 0, order=True)
        agrees("moveaxis", x, axis, 0, order=True)
        agrees("moveaxis", x, (axis, 0), (0, 1), order=True)
        for start in range(-4, 5):
            agrees("rollaxis", x, axis, start, order=True)
    agrees("moveaxis", x, (0,), (0, 1))


def test_axes_of_size_one(x):
    for axis in [None, (), (0, 1), (0, 0), *AXES]:
        agrees("squeeze", x, axis)
    for axis in [(), (0, -1), (0, 0), *AXES]:
        agrees("expand_dims", x, axis)
    for function in ("atleast_1d", "atleast_2d", "atleast_3d"):
        agrees(function, x)


def test_broadcast_to_is_read_only(x):
    for shape in ((2, 3, 4, 5), (3, 4, 5), (1,), (), 2, 5, (7, 5), (-1,), (3, 0, 2)):
        agrees("broadcast_to", x, shape)
    view = np.broadcast_to(np.ones(3), (2, 3))
    assert not view.flags.writeable
    with pytest.raises(ValueError):
        view[0, 0] = 5


def test_flips_and_rotations(x):
    for axis in [None, (0, 1), (0, 0), *AXES]:
        agrees("flip", x, axis, order=True)
    agrees("fliplr", x)
    agrees("flipud", x)
    for axes in ((0, 1), (1, 0), (0, -1), (0, 0), (0, 3), (0, 1, 2), (-1, -2)):
        for k in range(-1, 4):
            agrees("rot90", x, k, axes)


def test_flip_is_a_view_in_numpys_style_and_a_copy_in_torchs():
    a = np.arange(4)
    assert np.shares_memory(a, np.flip(a))
    t = torch_np.arange(4)
    flipped = torch_np.flip(t, [0])
    flipped[0] = 9
    assert int(t[3]) == 3


def test_roll(x):
    for axis in AXES:
        for shift in (0, 2, -7, 100):
            agrees("roll", x, shift, axis)
        agrees("roll", x, (-7, 1), (axis, 0))
        agrees("roll", x, 3, (0, axis))
    agrees("roll", x, 3)
    agrees("roll", x, (3, -1))


def test_diagonal(x):
    for axis1 in (-3, -1, 0, 1, 5):
        for axis2 in (-2, -1, 0, 2):
            for offset in (-9, -1, 0, 1, 2, 99, 2**30):
                agrees("diagonal", x, offset, axis1, axis2)


def test_real_and_imaginary_parts(layout):
    for dtype in DTYPES:
        x = layouts(dtype)[layout]
        agrees("real", x)
        agrees("imag", x)
    z = np.zeros(3, complex)
    z.real[...] = 1
    z.imag[...] = 2
    numpy.testing.assert_array_equal(z, numpy.full(3, 1 + 2j))


@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_bytes_viewed_in_another_dtype(layout, dtype):
    x = layouts(dtype)[layout]
    for to in DTYPES:
        if dtype.kind != "b" and to.kind == "b":
            continue  # bytes that are neither 0 nor 1: test_shared_memory.py
        agrees(None, x, to, method="view")


OUT_OF_RANGE = [1e10, -1e10, float("nan"), float("inf"), -float("inf"), 3e9, -3e9, 7e4, -7e4, 300, -1, -300, 2.0**32 + 5, 2.0**63, 1.5 * 2**63, 2.0**64,
                -(2.0**63), 1e30, -1e30, 2.0**31 + 7, -(2.0**31) - 7, 2.0**40 + 3]


@pytest.mark.parametrize("value", OUT_OF_RANGE)
@pytest.mark.parametrize("source", ["float64", "float32", "float16", "complex128"])
def test_floats_out_of_range_become_the_integers_that_numpy_gives(source, value):
    """One element at a time: NumPy converts long rows to uint32 with other instructions and other
    results."""
    with numpy.errstate(all="ignore"):
        a = numpy.array([value], source)
        for to in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = a.astype(to)
            assert np.array(a).astype(to).tolist() == expected.tolist(), to
            assert np.array(numpy.repeat(a, 67)).astype(to).tolist() == expected.tolist() * 67, to


def test_views_share_memory_and_writes_are_seen():
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (a.T, a[::-1], a.reshape(-1), a.swapaxes(0, 1), np.flip(a), a.squeeze(), np.expand_dims(a, 0), np.moveaxis(a, 0, 1)):
        assert np.shares_memory(a, view)
    a.T[0, 0, 0] = 77
    assert float(a[0, 0, 0]) == 77


def test_as_strided_stays_in_its_memory():
    a = torch_np.arange(10)
    numpy.testing.assert_array_equal(torch_np.as_strided(a, (3, 3), (1, 1))._np_compat(), [[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    numpy.testing.assert_array_equal(torch_np.as_strided(a, (2,), (-1,), 1)._np_compat(), [1, 0])
    for size, stride, offset in (((4,), (4,), None), ((2,), (-1,), None), ((10,), (1,), 1), ((1,), (0,), 10), ((2,), (2**62,), 0),
                                 ((2**40,), (2**40,), 0), ((-1,), (1,), 0), ((3,), (1, 2), 0), ((1,), (1,), -1)):
        with pytest.raises((RuntimeError, ValueError)):
            torch_np.as_strided(a, size, stride, offset)


def test_torch_views():
    t = torch_np.arange(12).view(3, 4)
    assert tuple(t.view(-1, 2, 2).shape) == (3, 2, 2)
    with pytest.raises(RuntimeError):
        t.t().view(12)
    assert tuple(t.t().reshape(12).shape) == (12,)
    assert tuple(t.unsqueeze(-1).shape) == (3, 4, 1)
    assert tuple(t.unsqueeze(0).squeeze(0).shape) == (3, 4)
    assert tuple(t.squeeze(0).shape) == (3, 4)      # not of size 1: unchanged
    assert tuple(t.expand(2, -1, 4).shape) == (2, 3, 4)
    assert tuple(t.flatten().shape) == (12,)
    assert tuple(t.permute(1, 0).shape) == (4, 3)
    assert tuple(t.transpose(0, 1).shape) == (4, 3)
    assert tuple(t.narrow(1, -2, 2).shape) == (3, 2)
    assert tuple(t.select(0, -1).shape) == (4,)
    assert tuple(t.unflatten(1, (2, -1)).shape) == (3, 2, 2)
    for call in (lambda: t.expand(5, 4), lambda: t.narrow(1, 2, 3), lambda: t.permute(0), lambda: t.flatten(1, 0)):
        with pytest.raises(RuntimeError):
            call()
    for call in (lambda: t.select(0, 3), lambda: t.unsqueeze(4), lambda: t.transpose(0, 2)):
        with pytest.raises(IndexError):
            call()


def test_complex_numbers_as_pairs_of_real_ones():
    z = torch_np.view_as_complex(torch_np.ones(3, 2))
    assert z.dtype == torch_np.complex64
    assert tuple(torch_np.view_as_real(z).shape) == (3, 2)
    for bad in (torch_np.ones(3), torch_np.ones(3, 2, dtype=torch_np.int64), torch_np.ones(3, 4)[:, ::2]):
        with pytest.raises(RuntimeError):
            torch_np.view_as_complex(bad)


def test_copyto_casts_masks_and_broadcasts():
    for dtype, source, options in (
            ("f8", numpy.arange(3), {}), ("i4", numpy.arange(3.0), {}), ("i4", numpy.arange(3.0), {"casting": "unsafe"}),
            ("i1", 300, {}), ("u1", 3, {}), ("u1", 3.5, {}), ("f8", numpy.arange(2), {}), ("f8", numpy.zeros((2, 3)), {}),
            ("f8", 1, {"where": numpy.array([True, False, True])}), ("f8", 5, {"where": False}), ("f8", 1, {"where": numpy.array([1, 0, 1])})):
        a, b = numpy.zeros(3, dtype), np.zeros(3, dtype)
        error = None
        try:
            numpy.copyto(a, source, **options)
        except Exception as e:  # noqa: BLE001
            error = e
        if error is not None:
            with pytest.raises(type(error)):
                np.copyto(b, source, **options)
        else:
            np.copyto(b, source, **options)
        numpy.testing.assert_array_equal(a, b)


def test_elements_are_values_in_numpys_style():
    x = np.arange(5)
    x[0], x[1] = x[1], x[0]
    assert x.tolist() == [1, 0, 2, 3, 4]
    largest, first, indexed = max(x), next(iter(x)), x[(2,)]
    x[:] = 9
    assert (int(largest), int(first), int(indexed)) == (4, 1, 2)
    view = x[0, ...]                    # an ellipsis makes a view
    view[...] = 7
    assert int(x[0]) == 7
    t = torch_np.arange(3)
    element = t[0]                      # PyTorch's elements are views
    t[0] = 5
    assert int(element) == 5


def test_elements_have_gradients():
    w = np.ones(3, _requires_grad=True)
    y = w * 2
    (y[0] * y[1] + sum(y))._backward()
    assert w._grad.tolist() == [6.0, 6.0, 2.0]


@pytest.mark.parametrize("f", [
    lambda x: x[::2].resize(2), lambda x: x.reshape(2, 3).T.resize(2, 3), lambda x: x[2:].resize(2, 2), lambda x: x[2:].resize((4,)), lambda x: x[2:].resize(5),
    lambda x: x.resize(3, 2),
])
def test_resize_of_views_that_keep_their_size(f):
    def outcome(xp):
        x = xp.arange(6.0)
        try:
            return f(x), x.tolist()
        except ValueError as e:
            return str(e)

    assert outcome(np) == outcome(numpy)


def test_resize_shares_memory_with_what_it_was():
    x = np.arange(6.0)
    y = x.reshape(2, 3).T
    y.resize(2, 3)
    assert y.tolist() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    y[0, 1] = 9.0
    assert x[2] == 9.0


@pytest.mark.parametrize("make", [
    lambda xp: xp.zeros((0, 2**60)), lambda xp: xp.empty((2**31, 0, 2**31)),
    lambda xp: xp.zeros((0, 2**30, 2**30)), lambda xp: xp.broadcast_to(xp.zeros(1), (2**61,)),
    lambda xp: xp.broadcast_to(xp.zeros((1, 0)), (2**60, 0)), lambda xp: xp.lib.stride_tricks.as_strided(xp.zeros(1), (2**60,), (0,))])
def test_arrays_whose_bytes_an_index_cannot_count_are_errors(make):
    with pytest.raises(ValueError):
        make(numpy)
    with pytest.raises(ValueError):
        make(np)


def test_the_largest_arrays_without_memory_have_exact_sizes_and_strides():
    x = np.broadcast_to(np.zeros(1), (2**59,))
    assert x.nbytes == 2**62 and x.strides == (0,)
    y = np.zeros((0, 2**59))
    assert y.nbytes == 0 and y.strides == (2**62, 8)
    assert y.view("u1").shape == (0, 2**62)
    assert torch_np.ones(1).expand(2**60).nbytes == 2**62


def resized(xp, x, shape, **options):
    """The array and its memory after a resize, or the error."""
    try:
        x.resize(*shape, **options)
    except (ValueError, TypeError, MemoryError) as error:
        return type(error), str(error) if isinstance(error, ValueError) else ""
    return x.shape, x.strides if x.size else (), x.flags.owndata, x.tolist()


@pytest.mark.parametrize("shape", [(), (None,), ((),), (3,), ((3,),), (2, 3), ([2, 3],), ((7, 2),), ((-1,),), ((0,),), ((0, 4),), ((2, 2, 2),), ("a",), ((2,), 5),
                                   ((2**40, 2**40),), ((2**61,),)], ids=str)
@pytest.mark.parametrize("dtype", ["?", "u1", "f4", "c16"])
def test_resize_to_every_kind_of_shape(dtype, shape):
    for make in (lambda xp: xp.arange(1, 7).astype(dtype), lambda xp: xp.asfortranarray(xp.arange(6).reshape(2, 3).astype(dtype)),
                 lambda xp: xp.array(1, dtype=dtype), lambda xp: xp.zeros((0, 3), dtype=dtype), lambda xp: xp.arange(6).astype(dtype)[::-1],
                 lambda xp: xp.arange(6).astype(dtype).reshape(2, 3).T, lambda xp: xp.ones((2, 3), dtype=dtype)):
        for options in ({}, {"refcheck": False}):
            assert resized(np, make(np), shape, **options) == resized(numpy, make(numpy), shape, **options)


def test_resize_again_and_again():
    def call(xp):
        x = xp.arange(6.0)
        x.resize((2, 3))
        first = x.flags.owndata, x.base is None
        x.resize((10,), refcheck=False)
        x.resize((2, 2))
        x.resize(3)
        return first, x.tolist(), x.flags.owndata

    assert call(np) == call(numpy)


def test_resize_refuses_where_others_see_the_array():
    def call(xp, other, **options):
        x = xp.arange(6.0)
        kept = other(x)  # noqa: F841
        x.resize((2, 3), **options)  # the same size is always allowed
        try:
            x.resize((10,), **options)
        except ValueError:
            return "refused"
        return x.tolist()

    for other in (lambda x: x[2:], lambda x: x, lambda x: x.reshape(3, 2), lambda x: [x], lambda x: memoryview(x), weakref.ref, lambda x: None):
        assert call(np, other) == call(numpy, other)
    assert call(np, lambda x: None, refcheck=False) == [0, 1, 2, 3, 4, 5, 0, 0, 0, 0]
    assert call(np, weakref.ref, refcheck=False) == call(numpy, weakref.ref, refcheck=False) == "refused"
    assert call(np, lambda x: x._torch()) == call(np, lambda x: numpy.asarray(x)) == call(np, lambda x: x.T) == "refused"
    assert call(np, lambda x: x[1:], refcheck=False) == [0, 1, 2, 3, 4, 5, 0, 0, 0, 0]


class Holder:
    pass


def resize_argument(x):
    x.resize(5)
    return x


def resize_of_a_temporary(xp):
    return resize_argument(xp.arange(3.0))


def resize_of_a_callers_variable(xp):
    x = xp.arange(3.0)
    return resize_argument(x)


def resize_of_a_variable(xp):
    x = xp.arange(3.0)
    x.resize(5)
    return x


def resize_of_a_second_variable(xp):
    y = xp.arange(3.0)
    x = y
    x.resize(5)
    return x, y


def resize_in_a_list(xp):
    values = [xp.arange(3.0)]
    values[0].resize(5)
    return values[0]


def resize_of_an_attribute(xp):
    holder = Holder()
    holder.x = xp.arange(3.0)
    holder.x.resize(5)
    return holder.x


def resize_by_a_bound_method(xp):
    x = xp.arange(3.0)
    resize = x.resize
    resize(5)
    return x


def resize_by_the_type(xp):
    x = xp.arange(3.0)
    xp.ndarray.resize(x, 5)
    return x


def resize_with_unpacked_arguments(xp):
    x = xp.arange(3.0)
    x.resize(*(5,))
    return x


@pytest.mark.parametrize("work", [
    resize_of_a_temporary, resize_of_a_callers_variable, resize_of_a_variable, resize_of_a_second_variable, resize_in_a_list, resize_of_an_attribute,
    resize_by_a_bound_method, resize_by_the_type, resize_with_unpacked_arguments])
def test_resize_counts_references_as_numpy_does_on_this_python(work):
    def outcome(xp):
        try:
            return work(xp).tolist()
        except ValueError as error:
            return str(error)

    for _ in range(20):  # the interpreter specialises
        assert outcome(np) == outcome(numpy)
    assert resize_of_a_temporary(np).tolist() == [0, 1, 2, 0, 0]


def test_what_looked_at_an_array_keeps_its_memory_when_it_is_resized():
    x = np.arange(6.0)
    view, tensor = x[1:], x._torch()
    x.resize(100_000, refcheck=False)
    x[:] = 7
    assert view.tolist() == [1, 2, 3, 4, 5] and tensor.tolist() == [0, 1, 2, 3, 4, 5]


def test_resize_refuses_arrays_of_the_graph():
    x = np.ones(3, _requires_grad=True)
    with pytest.raises(RuntimeError):
        x.resize(5)


LAYOUT_KEEPERS = {
    "pickle": lambda xp, x: pickle.loads(pickle.dumps(x)), "deepcopy": lambda xp, x: deepcopy(x), "copy": lambda xp, x: shallow_copy(x),
    "byteswap": lambda xp, x: x.byteswap(), "twice byteswapped": lambda xp, x: x.byteswap().byteswap(), "sinh": lambda xp, x: xp.sinh(x),
    "sqrt": lambda xp, x: xp.sqrt(abs(x)), "insert one": lambda xp, x: xp.insert(x, [1], 1, axis=0), "insert": lambda xp, x: xp.insert(x, [0, 1], 1, axis=0),
    "delete": lambda xp, x: xp.delete(x, [1], axis=0),
}


@pytest.mark.parametrize("name", LAYOUT_KEEPERS)
@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f2", "f4", "f8", "c8"])
def test_the_order_of_memory_is_kept(name, dtype):
    for layout in (lambda x: x, lambda x: x.copy("F"), lambda x: x.copy("F")[::2], lambda x: x.transpose(1, 0, 2), lambda x: x[::-1, ::2], lambda x: x[:, :0].copy("F"),
                   lambda x: x[:1, :1, 0], lambda x: x[0, 0, 0, ...]):
        def call(xp):
            return LAYOUT_KEEPERS[name](xp, layout(xp.arange(24).reshape(2, 3, 4).astype(dtype)))  # noqa: B023

        try:
            expected = call(numpy)
        except (numpy.exceptions.AxisError, IndexError) as error:
            with pytest.raises(type(error)):
                call(np)
            continue
        got = call(np)
        assert got.dtype == expected.dtype
        assert got.tobytes() == expected.tobytes() or name in ("sinh", "sqrt")
        if expected.size:
            assert (got.flags.c_contiguous, got.flags.f_contiguous) == (expected.flags.c_contiguous, expected.flags.f_contiguous)
        if name in ("pickle", "deepcopy", "byteswap"):
            steps = [[step for step, n in zip(a.strides, a.shape) if n > 1] for a in (got, expected)]
            assert steps[0] == steps[1] or not expected.size


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_keep_the_order_of_axes_that_numpys_keep(protocol):
    for layout in (lambda x: x, lambda x: x.T, lambda x: x.transpose(1, 0, 2), lambda x: x.transpose(2, 0, 1), lambda x: x[:1].transpose(2, 0, 1),
                   lambda x: x[:, 1:2].transpose(1, 2, 0), lambda x: x[::-1].transpose(1, 0, 2), lambda x: x[:, ::2].transpose(1, 0, 2)):
        ours, theirs = (pickle.loads(pickle.dumps(layout(xp.arange(24.0).reshape(2, 3, 4)), protocol)) for xp in (np, numpy))
        assert ours.tolist() == theirs.tolist()
        assert [step for step, n in zip(ours.strides, ours.shape) if n > 1] == [step for step, n in zip(theirs.strides, theirs.shape) if n > 1]


@pytest.mark.parametrize("axes", [(), (0,), (0, 0), (0, 2), (-1, 0), (0, 1, 2)])
def test_a_pickle_with_other_axes_than_its_shape_is_an_error(axes):
    rebuild, (cls,), state = np.ones((2, 3, 4)).transpose(1, 0, 2)[0].__reduce_ex__(5)
    with pytest.raises(ValueError):
        rebuild(cls).__setstate__((2, *state[1:-1], axes))


def test_byteswap_in_place_goes_through_any_layout():
    for layout in (lambda x: x, lambda x: x.T, lambda x: x[::-1, ::2]):
        a, b = numpy.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
        assert layout(b).byteswap(inplace=True) is not None
        layout(a).byteswap(inplace=True)
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8", "f2"])
def test_conj_of_real_arrays_is_the_array(dtype):
    x = np.ones(3, dtype=dtype)
    assert x.conj() is x and x.conjugate() is x and x[::-1].conj().dtype == x.dtype
    assert np.conj(x) is not x and np.conj(x).dtype == numpy.conj(numpy.ones(3, dtype)).dtype
    out = np.zeros(3)
    assert x.conj(out) is out and out.tolist() == [1, 1, 1]
    with pytest.raises(TypeError):
        np.ones(3).conj(np.zeros(3, "i4"))


def test_conj_of_complex_arrays_is_new_and_differentiable():
    z = np.array([1 + 2j, 3j])
    out = np.zeros(2, "c8")
    assert z.conj() is not z and z.conj().tolist() == [1 - 2j, -3j]
    assert z.conj(out) is out and out.tolist() == [1 - 2j, -3j]
    x = np.array([1.0, 2.0], _requires_grad=True)
    (x * x.conj()).sum()._backward()
    assert x._grad.tolist() == [2, 4]


def test_an_array_is_no_element():
    def assigned(xp, key, value):
        x = xp.zeros((2, 2))
        try:
            x[key] = value(xp)
        except ValueError:
            return ValueError
        return x.tolist()

    for key in ((0, 0), (0, numpy.int64(1)), 0, (slice(0, 1), 0), (numpy.array(0), 1), ([0], [1]), ...):
        for value in (lambda xp: xp.array([5.0]), lambda xp: [5.0], lambda xp: xp.array([[5.0]]), lambda xp: xp.array(5.0), lambda xp: 5, lambda xp: xp.array([5.0, 6.0])):
            assert assigned(np, key, value) == assigned(numpy, key, value), (key, value(numpy))
    x = np.zeros(2)
    with pytest.raises(ValueError):
        x.flat[0] = [5.0]
    t = torch_np.zeros(2)
    t[0] = torch_np.ones(1)  # PyTorch's rule
    assert t.tolist() == [1, 0]


@pytest.mark.parametrize("shift", [2**100, -2**70 - 1, numpy.uint64(2**63 + 2), (2**100, 1)])
def test_roll_by_more_than_a_word_holds(shift):
    for shape, axis in (((4,), None), ((3, 5), 1), ((3, 5), (0, 1)), ((0, 3), 0)):
        agrees("roll", numpy.arange(math.prod(shape)).reshape(shape), shift, axis)
    x = np.arange(5., _requires_grad=True)
    assert np.roll(x, 2**100)._requires_grad


def test_set_shape_is_an_assignment_to_shape():
    """NumPy's own classes call it since version 2.5."""
    x = np.arange(6)
    assert x._set_shape((2, 3)) is None and x.shape == (2, 3)
    x._set_shape(6)
    assert x.shape == (6,)
    with pytest.raises(ValueError):
        x._set_shape((4, 2))
    with pytest.raises(AttributeError, match="reshape"):
        np.arange(6).reshape(2, 3).T._set_shape(6)
