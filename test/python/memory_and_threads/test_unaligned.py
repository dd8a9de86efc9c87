"""Unaligned memory: fields of packed records, buffers at odd offsets, views of shifted bytes.
Arrays over it are views, as in NumPy, and every operator gives the same results as on aligned
copies."""
import copy
import inspect
import pickle

import numpy
import numpy_calls
import pytest
from public_functions import EXTRAS, NAMES, NOT_OPERATORS, TORCH_NAMES, UFUNCS, calls_of

import torch_np
import torch_np.numpy as np

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
WIDE = [d for d in DTYPES if numpy.dtype(d).itemsize > 1]


def field(values):
    """A field after one byte: at odd addresses, with strides that are not multiples of the element
    size."""
    values = numpy.asarray(values)
    record = numpy.zeros(values.shape, [("before", "u1"), ("value", values.dtype)])
    record["value"] = values
    return record["value"]


def shifted(values):
    """Contiguous elements from an odd address on."""
    values = numpy.asarray(values)
    memory = numpy.zeros(values.nbytes + 1, "u1")
    x = memory[1:].view(values.dtype).reshape(values.shape)
    x[...] = values
    return x


LAYOUTS = {"field": field, "shifted": shifted}
layouts = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


# ------------------------------------------------------------------------------------------------ views

@layouts
@pytest.mark.parametrize("dtype", WIDE)
def test_they_are_views(dtype, layout):
    theirs = layout(numpy.arange(12).reshape(3, 4).astype(dtype))
    x = np.asarray(theirs)
    assert type(x) is np.ndarray and not x.flags.aligned and not theirs.flags.aligned
    assert x.strides == theirs.strides and x.__array_interface__["data"] == theirs.__array_interface__["data"]
    assert str(x.flags) == str(theirs.flags).replace("OWNDATA : True", "OWNDATA : False")
    x[1, 2] = 77
    theirs[0, 0] = 55
    assert theirs[1, 2] == 77 and x[0, 0] == 55 and type(x[0, 0]) is type(theirs[0, 0])
    x[:, 1] = 3
    x[2] += 1
    assert theirs[:, 1].tolist() == [3, 3, 4] and numpy.asarray(x).tolist() == theirs.tolist() == x.tolist()
    back = numpy.asarray(x)
    assert numpy.shares_memory(back, theirs) and back.strides == theirs.strides


@layouts
@pytest.mark.parametrize("view", [
    lambda x: x[1], lambda x: x[:, 1], lambda x: x[::-1, ::2], lambda x: x.T, lambda x: x[None, ..., None], lambda x: x[1, 1:3],
    lambda x: x.reshape(2, 2, 3), lambda x: x.reshape(-1), lambda x: x.ravel(), lambda x: x.diagonal(), lambda x: x[1:, ...][0],
    lambda x: x.swapaxes(0, 1).squeeze(), lambda x: x[..., 0], lambda x: x.real, lambda x: x.view(), lambda x: x[2:2], lambda x: x[1:2, 1],
    lambda x: x.reshape(4, 3, order="F"), lambda x: x.transpose()[::2],
])
def test_views_of_views(layout, view):
    theirs = layout(numpy.arange(12.).reshape(3, 4))
    x = np.asarray(theirs)
    expected, found = view(theirs), view(x)
    assert found.tolist() == expected.tolist() and found.shape == expected.shape
    assert found.flags.aligned == expected.flags.aligned and found.flags.c_contiguous == expected.flags.c_contiguous
    assert found.flags.f_contiguous == expected.flags.f_contiguous
    assert np.shares_memory(found, x) == numpy.shares_memory(expected, theirs)
    if expected.size and numpy.shares_memory(expected, theirs) and expected.flags.writeable:
        assert found.strides == expected.strides
        found[...] = -1
        assert (theirs == -1).sum() == expected.size


def test_what_comes_to_lie_aligned_is_aligned():
    record = numpy.zeros(6, [("value", "f8"), ("after", "u4")])
    x = np.asarray(record["value"])
    assert not x.flags.aligned and x[::2].flags.aligned and x[::2].strides == (24,)
    x[::2] += 2
    assert np.exp(x[::2], out=x[::2]) is not None and record["value"][1::2].tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", WIDE)
def test_bytes_from_an_odd_one_on(dtype):
    size = numpy.dtype(dtype).itemsize
    data = bytearray(bytes(range(size * 4 + 1)))
    expected = numpy.frombuffer(data, dtype, offset=1)
    for x in (np.frombuffer(data, dtype, offset=1), np.frombuffer(data, "u1")[1:].view(dtype), np.ndarray((4,), dtype, data, 1),
              np.ndarray((4,), dtype, data, 1, (size,))):
        assert not x.flags.aligned and x.flags.c_contiguous and x.tobytes() == expected.tobytes()
        assert type(x) is np.ndarray
    x[0] = 1
    assert expected[0] == 1
    reversed_ = np.ndarray((2, 2), dtype, data, 1, (size, 2 * size))
    assert reversed_.tolist() == expected.reshape(2, 2).T.tolist()


def test_strides_of_any_number_of_bytes():
    data = numpy.arange(40, dtype="u1")
    expected = numpy.ndarray((9,), "i4", data, 0, (3,))
    x = np.ndarray((9,), "i4", np.asarray(data), 0, (3,))
    assert x.strides == (3,) and x.tolist() == expected.tolist()
    y = np.zeros(10, "i4")
    y[:] = range(10)
    view = np.lib.stride_tricks.as_strided(y, (9,), (3,))
    assert view.tolist() == numpy.lib.stride_tricks.as_strided(numpy.arange(10, dtype="i4"), (9,), (3,)).tolist()
    view[0] = -1
    assert y[0] == -1


def test_an_empty_array_is_aligned_wherever_it_is():
    x = np.ndarray((0, 3), "f8", bytearray(9), 1)
    assert x.flags.aligned and x.sum() == 0 and x.T.flags.aligned


@layouts
def test_through_the_protocols(layout):
    theirs = layout(numpy.arange(6.).reshape(2, 3))
    x = np.asarray(theirs)

    class Interface:
        __array_interface__ = theirs.__array_interface__
        keep = theirs

    other = np.asarray(Interface())
    other[0, 0] = 7
    assert theirs[0, 0] == 7 and not other.flags.aligned
    assert numpy.asarray(memoryview(x)).tolist() == theirs.tolist()
    if layout is shifted:
        there = np.from_dlpack(np.asarray(theirs))
        assert there.tolist() == theirs.tolist() and np.shares_memory(there, x)
        assert torch_np.from_dlpack(theirs).tolist() == theirs.tolist()
    else:
        with pytest.raises(BufferError):
            numpy.from_dlpack(x)
    assert pickle.loads(pickle.dumps(x)).tolist() == copy.deepcopy(x).tolist() == x.copy().tolist() == theirs.tolist()
    assert x.copy().flags.aligned and np.array(x).flags.aligned and copy.copy(x).flags.aligned
    assert np.require(x, requirements="A").flags.aligned


@layouts
def test_on_the_torch_face(layout):
    theirs = layout(numpy.arange(6, dtype="f4").reshape(2, 3))
    t = np.asarray(theirs)._torch()
    t.add_(1)
    t[0].mul_(2)
    t[1, 1] = 40
    assert theirs.tolist() == [[2, 4, 6], [4, 40, 6]] and t.t().tolist() == theirs.T.tolist()
    assert torch_np.from_numpy(theirs).sum() == 62 and t.contiguous().is_contiguous()
    assert (t @ t.t()).tolist() == (theirs @ theirs.T).tolist()
    assert t.numpy().strides == theirs.strides
    if layout is shifted:
        assert t.stride() == (3, 1) and t.as_strided((2,), (2,), 0).shape == (2,)
    else:
        with pytest.raises(NotImplementedError, match="stride"):
            t.stride()


@layouts
def test_gradients(layout):
    x = np.asarray(layout(numpy.arange(1., 7).reshape(2, 3)))
    x._requires_grad = True
    (x[0] * x[1] + np.sort(x, axis=0)[0]).sum()._backward()
    assert x._grad.tolist() == [[5, 6, 7], [1, 2, 3]] and x._grad.flags.aligned
    whole = np.asarray(layout(numpy.ones(3)))
    part = whole[:2]
    with pytest.raises(NotImplementedError, match="aligned"):
        part *= np.ones(2)._torch().requires_grad_()._np_compat()


# ------------------------------------------------------------------------------------------------ operators

def plain(value):
    """The comparable form of a value: all arrays and numbers in it, as NumPy's."""
    if isinstance(value, (tuple, list)):
        return [p for v in value for p in plain(v)]
    if isinstance(value, (np.ndarray, torch_np.Tensor, numpy.ndarray, numpy.generic)):
        return [numpy.array(value)]
    return [value] if isinstance(value, (int, float, complex, str, bytes)) else [type(value)]


def outcome(call, arguments):
    try:
        with numpy.errstate(all="ignore"):
            return plain(call(*arguments))
    except Exception as error:  # noqa: BLE001
        return error


def check_same(found, expected, **kwargs):
    if isinstance(expected, Exception):
        assert type(found) is type(expected), (found, expected)
        return
    assert not isinstance(found, Exception), found
    assert len(found) == len(expected)
    for f, e in zip(found, expected):
        if isinstance(e, numpy.ndarray):
            assert f.dtype == e.dtype and f.shape == e.shape
            numpy.testing.assert_allclose(f, e, **kwargs)
        else:
            assert f == e


# Functions whose results describe the memory of their argument.
ABOUT_MEMORY = {"empty_like", "frombuffer", "ndarray.data", "ndarray.ctypes", "ndarray.flags", "ndarray.base", "from_dlpack", "byte_bounds",
                "lib.array_utils.byte_bounds", "ndarray.strides", "shares_memory", "may_share_memory", "lib.stride_tricks.as_strided"}


@layouts
@pytest.mark.parametrize("name", [n for n in NAMES if n not in numpy_calls.NO_ARGUMENT and n not in ABOUT_MEMORY])
def test_functions(name, layout):
    for call, *arguments in calls_of(name):
        expected = outcome(call, [np.array(a) for a in arguments])
        found = outcome(call, [np.asarray(layout(numpy.array(a))) for a in arguments])
        check_same(found, expected, rtol=1e-12, atol=1e-14)


def samples(dtype):
    x = numpy.linspace(0, 9, 40).reshape(5, 8)
    x = x + 1j * x[::-1] if dtype.startswith("c") else x
    return x.astype(dtype)


@layouts
@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_with_out(name, dtype, layout):
    """ufuncs in each dtype, on arrays and with numbers, into unaligned results, in place, and with
    masks."""
    ufunc, x = getattr(np, name), samples(dtype)
    if ufunc.signature is not None:
        return
    def operands(make):
        return [np.asarray(make(x + numpy.asarray(k).astype(dtype)) if dtype != "?" else make(x)) for k in range(ufunc.nin)]
    expected = outcome(ufunc, operands(numpy.array))
    if isinstance(expected, Exception):
        return
    found = outcome(ufunc, operands(layout))
    check_same(found, expected, rtol=1e-3 if dtype == "f2" else 1e-5)
    out = tuple(np.asarray(layout(numpy.zeros(e.shape, e.dtype))) for e in expected)
    results = ufunc(*operands(layout), out=out)
    assert all(r is o for r, o in zip(results if ufunc.nout > 1 else (results,), out))
    check_same(plain(list(out)), expected, rtol=1e-3 if dtype == "f2" else 1e-5)
    mask = np.arange(8) % 2 == 0
    out = tuple(np.asarray(layout(numpy.ones(e.shape, e.dtype))) for e in expected)
    ufunc(*operands(layout), out=out, where=mask)
    check_same(plain(list(out)), [numpy.where(numpy.asarray(mask), e, e.dtype.type(1)) for e in expected], rtol=1e-3 if dtype == "f2" else 1e-5)


@layouts
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", [
    lambda x: np.add.reduce(x), lambda x: np.add.accumulate(x, axis=1), lambda x: np.multiply.reduceat(x, [0, 2, 4]),
    lambda x: np.add.outer(x[0], x[1]), lambda x: np.maximum.reduce(x, axis=1), lambda x: x.sum(0, out=out_of(x, x.sum(0))),
    lambda x: x.mean(1, out=out_of(x, x.mean(1))), lambda x: x.cumsum(0, out=out_of(x, x.cumsum(0))), lambda x: x.astype("f4"),
    lambda x: x.take([3, 1, 1], axis=1), lambda x: x.take([3, 1], out=out_of(x, x.take([3, 1]))), lambda x: x[[0, 2]], lambda x: x[x != 0],
    lambda x: np.where(x != 0, x, x[::-1]), lambda x: np.concatenate([x, x], out=out_of(x, np.concatenate([x, x]))), lambda x: x @ x.T,
    lambda x: np.matmul(x, x.T, out=out_of(x, x @ x.T)), lambda x: np.dot(x[0], x[1]), lambda x: np.sort(x, axis=0), lambda x: x.argsort(axis=1),
    lambda x: np.partition(x, 2), lambda x: np.unique(x), lambda x: np.searchsorted(x[0], x[1]), lambda x: np.fft.fft(x), lambda x: np.repeat(x, 2),
    lambda x: x.nonzero(), lambda x: np.argmax(x, axis=1), lambda x: x.any(0), lambda x: np.count_nonzero(x), lambda x: np.median(x),
    lambda x: np.einsum("ij,kj->ik", x, x), lambda x: np.linalg.svd(x)[1], lambda x: np.convolve(x[0], x[1]), lambda x: np.clip(x, 1, 3),
    lambda x: x.tolist(), lambda x: [v for row in x for v in row], lambda x: x.item(3), lambda x: list(x.flat), lambda x: x.flat[5],
    lambda x: float(x[0, 1].real), lambda x: repr(x), lambda x: x.tobytes(), lambda x: x.choose([x[0], x[1]]), lambda x: np.stack([x, x]),
    lambda x: np.diff(x.astype("f8"), axis=0), lambda x: x.var(), lambda x: np.pad(x, 1), lambda x: np.roll(x, 3), lambda x: np.interp(x, x[0], x[1]),
    lambda x: x[x.astype("i8").clip(0, 4) % 5, 0], lambda x: x.compress([True, False, True], axis=0), lambda x: np.array([x[0, 0], x[1, 1]]),
    lambda x: np.array([x[0], x[1]]), lambda x: np.bincount(x.ravel()), lambda x: np.kron(x, x), lambda x: x.reshape(8, 5) @ x,
    lambda x: x.round(1), lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, axis=1).sum(-1), lambda x: np.ones((x[0, 2],)),
    lambda x: np.zeros(5)[x[0, :2]], lambda x: np.tril(x), lambda x: np.nancumsum(x, axis=0), lambda x: np.percentile(x, 30),
])
def test_calls_in_every_dtype(dtype, layout, call):
    x = samples(dtype)
    expected, found = outcome(call, [np.array(x)]), outcome(call, [np.asarray(layout(x))])
    check_same(found, expected, rtol=1e-3 if dtype == "f2" else 1e-6, atol=1e-5)


def out_of(x, expected):
    """An array for the result with the layout of `x`."""
    expected = numpy.asarray(expected)
    aligned = x.flags.aligned
    return np.array(expected) * 0 if aligned else np.asarray((shifted if x.flags.c_contiguous else field)(numpy.zeros_like(expected)))


@layouts
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("write", [
    lambda x: x.__setitem__(0, 1), lambda x: x.__setitem__((0, 1), numpy.float64(1)), lambda x: x.__setitem__(([0, 1], [1, 2]), 1),
    lambda x: x.__setitem__(x != 0, 1), lambda x: x.__setitem__((slice(None), [1, 1]), x[:, :2]), lambda x: x.fill(1), lambda x: x.sort(axis=0),
    lambda x: x.partition(2), lambda x: np.add.at(x, ([0, 0, 1], [1, 1, 1]), 1), lambda x: np.put(x, [1, 5], [0, 1]), lambda x: x.itemset(1, 1),
    lambda x: np.copyto(x, x[::-1].copy(), where=x != 0), lambda x: np.place(x, x != 0, [1]), lambda x: np.putmask(x, x == 0, 1),
    lambda x: x.__iadd__(1), lambda x: x.__imul__(x), lambda x: x.__iadd__(x[::-1]), lambda x: x[1:].__iadd__(x[:-1]), lambda x: x.__isub__(x[0]),
    lambda x: np.fill_diagonal(x, 1), lambda x: np.put_along_axis(x, np.array([[0], [1], [2], [3], [4]]), 1, axis=1), lambda x: x.flat.__setitem__(3, 1),
    lambda x: np.random.RandomState(3).shuffle(x), lambda x: np.cumsum(x, axis=0, out=x), lambda x: np.negative(x, out=x), lambda x: x.byteswap(True),
    lambda x: np.add(x, x, out=x, where=x != 0), lambda x: np.clip(x, 1, 2, out=x), lambda x: x._torch().zero_(), lambda x: x._torch().copy_(x[0].copy()._torch()),
    lambda x: x._torch().index_add_(0, torch_np.tensor([0, 0]), torch_np.ones(2, 8).to(x._torch().dtype)), lambda x: x._torch().sqrt_(),
    lambda x: x._torch().masked_fill_(x._torch() != 0, 1), lambda x: x._torch().scatter_(0, torch_np.zeros(1, 8).long(), x[1:2]._torch().clone()),
    lambda x: x.__imatmul__(np.ones((8, 8), x.dtype)), lambda x: x.setflags(write=True), lambda x: np.random.default_rng(3).permuted(x, axis=1, out=x),
])
def test_writing(dtype, layout, write):
    """The memory after writes, and around them."""
    def left(make):
        theirs = make(samples(dtype))
        result = outcome(lambda: write(np.asarray(theirs)), [])
        return result if isinstance(result, Exception) else [theirs.copy()]
    check_same(left(layout), left(numpy.array), rtol=1e-3 if dtype == "f2" else 1e-6)


def test_neighbours_are_left_alone():
    record = numpy.full(1000, 9, [("before", "u1"), ("value", "f8"), ("after", "u2")])
    x = np.asarray(record["value"])
    x[...] = 1
    x += x
    x.sort()
    np.exp(x, out=x, where=np.arange(1000) % 3 == 0)
    np.cumsum(x, out=x)
    assert (record["before"] == 9).all() and (record["after"] == 9).all()


def test_random_numbers_do_not_go_into_them():
    for draw in ("random", "standard_normal", "standard_exponential"):
        with pytest.raises(ValueError, match="aligned"):  # as in NumPy
            getattr(np.random.default_rng(1), draw)(out=np.asarray(shifted(numpy.zeros(6))))


def test_many_elements_by_many_threads():
    values = numpy.random.default_rng(0).random((700, 600))
    for make in (field, shifted):
        x = np.asarray(make(values))
        numpy.testing.assert_allclose(numpy.asarray(np.sqrt(x) + x.T.T * 2), numpy.sqrt(values) + values * 2)
        numpy.testing.assert_allclose(numpy.asarray(x.sum(0)), values.sum(0))
        numpy.testing.assert_allclose(numpy.asarray(x @ x.T), values @ values.T)
        assert numpy.asarray(np.sort(x, axis=0)).tolist() == numpy.sort(values, axis=0).tolist()
        assert numpy.asarray(x.T.copy()).tolist() == values.T.tolist()


# ------------------------------------------------------------------------------------------------ the other face

# Their results are random, or uninitialized; or they contain neighbouring bytes, which differ in
# another layout.
DRAWN = ("rand", "normal", "bernoulli", "multinomial", "poisson", "binomial", "uniform_", "exponential_", "cauchy_", "log_normal_", "geometric_",
         "svd_lowrank", "pca_lowrank", "lobpcg", "nn.functional.gumbel_softmax", "empty", "new_empty")
OTHER_BYTES = ("as_strided", "as_strided_", "resize_", "resize_as_", "set_", "untyped_storage", "data_ptr", "storage_offset", "stride", "is_contiguous",
               "is_set_to", "as_strided_copy", "const_data_ptr", "mutable_data_ptr", "dim_order", "slice_inverse")


@layouts
@pytest.mark.parametrize("name", [n for n in TORCH_NAMES if n not in OTHER_BYTES and not n.startswith(DRAWN) and "dropout" not in n])
def test_operators_of_the_torch_face(name, layout):
    prefix, _, base = name.rpartition(".")
    operator = getattr(getattr(torch_np, prefix.rstrip(".")) if "." not in prefix and prefix else
                       torch_np.nn.functional if prefix else torch_np, base)
    values = [numpy.full((2, 3), 0.5, "f4"), numpy.eye(3) + 0.5, numpy.arange(3), numpy.full((2, 3), 0.5, "c8").T]
    for v in values:
        for arrange in (lambda m, e: (m(), *e), lambda m, e: (m(), m(), *e), lambda m, e: ([m(), m()], *e)):
            for extra in EXTRAS:
                expected = outcome(operator, arrange(lambda: np.array(v)._torch(), extra))  # noqa: B023
                if isinstance(expected, Exception):
                    continue
                check_same(outcome(operator, arrange(lambda: np.asarray(layout(v))._torch(), extra)), expected, rtol=1e-5)  # noqa: B023


@layouts
@pytest.mark.parametrize("name", [n for n in dir(torch_np.Tensor) if n[0] != "_" and n not in (*NOT_OPERATORS, *OTHER_BYTES)
                                  and not n.startswith(DRAWN) and "dropout" not in n])
def test_methods_of_the_torch_face(name, layout):
    if not inspect.isroutine(getattr(torch_np.Tensor, name)):
        return
    for v in (numpy.full((2, 3), 0.5, "f4"), numpy.eye(3) + 0.5, numpy.arange(3)):
        for given in (0, 1, 2):
            def call(make):
                x = make(v)  # noqa: B023
                others = [np.asarray(make(v))._torch() for _ in range(given)]  # noqa: B023
                return [getattr(np.asarray(x)._torch(), name)(*others), x]  # noqa: B023
            expected = outcome(call, [numpy.array])
            if not isinstance(expected, Exception):
                check_same(outcome(call, [layout]), expected, rtol=1e-5)
