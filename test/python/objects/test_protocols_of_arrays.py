"""Attributes that describe an array's memory, and the overriding of ufuncs and of the classes of
their results: NumPy's rules."""
import gc
import hashlib

import numpy
import pytest

import torch_np.numpy as np


# --- ownership of memory

def test_the_base_is_the_object_that_owns_the_memory():
    data = b"12345678"
    assert np.frombuffer(data).base is data
    theirs = numpy.arange(6.)
    assert np.asarray(theirs).base is theirs
    assert np.asarray(theirs[1:]).base is theirs
    assert np.asarray(theirs)[2:].base.base is theirs

    class ArrayLike:
        __array_interface__ = theirs.__array_interface__
    one = ArrayLike()
    assert np.array(one, copy=False).base is one and np.array(one).base is None
    assert np.arange(3).base is None


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_base_of_an_array_over_a_buffer_is_a_memoryview(order):
    x = np.array([[1., 2.], [3., 4.]], order=order)
    y = np.array(memoryview(x), copy=False, order=order)
    assert isinstance(y.base, memoryview) and y.base.obj is x
    y[0, 0] = 5
    assert x[0, 0] == 5
    data = bytearray(16)
    z = np.frombuffer(data)
    with pytest.raises(BufferError):
        data.append(1)  # the array holds the buffer
    del z
    gc.collect()
    data.append(1)


def test_bytes_of_several_axes_can_be_hashed():
    x = np.arange(12, dtype="int8").reshape(3, 4)
    assert hashlib.sha256(x).digest() == hashlib.sha256(numpy.arange(12, dtype="int8")).digest()
    assert memoryview(x).shape == (3, 4)


def test_flags_have_numpys_other_names():
    x = np.ones((2, 3))
    assert x.flags["CONTIGUOUS"] and not x.flags["FORTRAN"] and np.require(x.T, None, ["FORTRAN"]).flags["FORTRAN"]


def test_an_exact_answer_about_shared_memory_may_be_asked_for():
    x = np.zeros((13, 21, 23), dtype="int8")
    a, b = x[:, 0, :], x[:, 1, :]
    assert np.may_share_memory(a, b) and not np.may_share_memory(a, b, max_work=-1)
    with pytest.raises(OverflowError):
        np.may_share_memory(x, x, max_work=10**100)


def test_an_array_that_overlaps_itself_is_read_before_it_is_written():
    for xp in (numpy, np):
        base = xp.arange(8)
        x = xp.lib.stride_tricks.as_strided(base, (3, 4), (8, 8), writeable=True)
        xp.negative(x, out=x)
        assert base[:6].tolist() == [0, -1, -2, -3, -4, -5]


# --- ufuncs

def test_out_ellipsis_gives_arrays():
    for one in (1, np.array(1), np.ones(())):
        assert type(np.add(one, 2, out=...)) is np.ndarray and np.add(one, 2, out=...) == 3
        assert type(np.add.reduce(one, out=...)) is np.ndarray
        assert [type(r) for r in np.divmod(one, 2, out=...)] == [np.ndarray] * 2
    assert isinstance(np.add(1, 2), numpy.int64)
    with pytest.raises(TypeError, match="only allowed as a keyword"):
        np.add(1, 2, ...)
    with pytest.raises(TypeError, match="only allowed as a keyword"):
        np.add.reduce(1, (), None, ...)


def test_floats_are_not_cut_down_for_an_integer_loop():
    for xp in (numpy, np):
        with pytest.raises(TypeError):
            xp.power(1.5, 2.8, dtype="int64")
        with pytest.raises(TypeError):
            xp.add(xp.arange(3), 1.5, dtype="int64")
        assert xp.power(1.5, 2.8, dtype="int64", casting="unsafe") == 1
        assert xp.add(xp.arange(3, dtype="float32"), 1.5, dtype="float32").tolist() == [1.5, 2.5, 3.5]
        assert xp.multiply(xp.ones(2, "uint8"), 3, dtype="uint8").tolist() == [3, 3]


class Answers:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return kwargs


class Declines:
    def __array_ufunc__(self, *args, **kwargs):
        return NotImplemented


class OptsOut:
    __array_ufunc__ = None


def test_a_call_is_spelled_in_one_way_for_classes_that_override():
    a = Answers()
    assert np.add(a, [1], sig="ii->i") == {"signature": "ii->i"}
    assert np.sin(a, out=(None,)) == {} and np.modf(a, out=(None, None)) == {}
    assert "where" in np.negative([1], where=a, out=np.zeros(1))
    with pytest.raises(TypeError, match="must be a tuple"):
        np.modf(np.arange(2.), out=a)
    with pytest.raises(ValueError, match="one entry per"):
        np.modf(np.arange(2.), out=(a,))
    with pytest.raises(TypeError, match="both a positional and keyword"):
        np.multiply(a, a, "one", out="two")
    with pytest.raises(TypeError):
        np.multiply(a, a, "one", "two")
    with pytest.raises(ValueError):
        np.add(1, 2, out=())


def test_a_class_without_ufuncs_is_never_passed_over():
    for call in (lambda: np.add(Answers(), OptsOut()), lambda: np.add(1, OptsOut()), lambda: np.add(Answers(), 1, out=OptsOut())):
        with pytest.raises(TypeError, match="operand 'OptsOut' does not support ufuncs"):
            call()


def test_who_declined_is_named():
    with pytest.raises(TypeError, match=r"NotImplemented from __array_ufunc__\(<ufunc 'negative'>, '__call__', <.*>\): 'Declines'"):
        np.negative(Declines())


class Wraps:
    def __array__(self, dtype=None, copy=None):
        return np.zeros(1)

    def __array_wrap__(self, array, context, return_scalar):
        made = type(self)()
        made.array, made.context = array, context
        return made


class WrapsFirst(Wraps):
    __array_priority__ = 20.


def test_objects_with_array_wrap_make_what_ufuncs_give():
    x, a, b = np.zeros(1), Wraps(), WrapsFirst()
    assert type(np.minimum(x, x)) is np.ndarray
    for left, right, kind in ((x, a, Wraps), (a, x, Wraps), (a, b, WrapsFirst), (b, a, WrapsFirst), (x, b, WrapsFirst)):
        assert type(np.minimum(left, right)) is kind
    found = np.minimum(a, a)
    assert type(found.array) is np.ndarray and found.context[0] is np.minimum and found.context[1:] == ((a, a), 0)
    assert type(np.maximum.reduce(a)) is Wraps


class Foo(np.ndarray):
    __array_priority__ = 100.


class Bar(np.ndarray):
    __array_priority__ = 101.


def test_of_two_subclasses_the_one_of_higher_priority_gives_the_class():
    a, b = np.array([1, 2]).view(Foo), np.array([1, 2]).view(Bar)
    assert type(a + b) is type(b + a) is type(a**b) is type(np.add(a, b)) is type(np.add(b, a)) is Bar
    assert type(np.ones(2).__array_wrap__(a)) is np.ndarray


def test_ufuncs_say_how_they_are_called():
    assert np.add.__doc__.startswith("add(x1, x2, /, out=None, *, where=True")
    assert np.frexp.__doc__.startswith("frexp(x[, out1, out2], / [, out=(None, None)]")


def test_the_dtypes_of_a_loop_are_asked_for_with_dtypes():
    for xp in (numpy, np):
        with pytest.raises(TypeError):
            xp.add.resolve_dtypes(("i4", "i4", None))
        with pytest.raises(TypeError):
            xp.add.resolve_dtypes((numpy.dtype("i4"),) * 3, reduction=True)
        with pytest.raises(ValueError):
            xp.add(3, 4, signature=b"ii-i")


# --- arguments

@pytest.mark.parametrize("call, error", [
    (lambda xp: xp.array([1, 2], copy="always"), ValueError), (lambda xp: xp.array([1], ndmax=-1), ValueError),
    (lambda xp: xp.array([1], ndmax=65), ValueError), (lambda xp: xp.eye(3).resize(refcheck="hi"), TypeError),
    (lambda xp: xp.putmask(a=xp.arange(2), mask=[1, 0], values=[3]), TypeError),
    (lambda xp: xp.correlate(xp.ones(9), xp.ones(2), mode="v"), ValueError), (lambda xp: xp.convolve([1], [2], mode=None), TypeError),
    (lambda xp: xp.put([1, 2, 3], [0, 2], 5), TypeError), (lambda xp: delattr(xp.ones(2), "imag"), AttributeError), (lambda xp: xp.ones(3).flat.__delitem__(1), TypeError),
    (lambda xp: xp.arange(3).flat[[True, False, True]], IndexError), (lambda xp: xp.r_[xp.arange(5, dtype="int8"), 255], OverflowError),
    (lambda xp: xp.ones(1).__array_function__(xp.sum, (), [1], {}), TypeError),
    (lambda xp: xp.einsum("a,a,a->a", *[[1.]] * 3, optimize=["einsum_path", (1,), (0, 1)]), RuntimeError)])
def test_what_numpy_refuses_is_refused(call, error):
    for xp in (numpy, np):
        with pytest.raises(error):
            call(xp)


def test_einsum_follows_the_order_of_its_operands_if_asked():
    for xp in (numpy, np):
        a, b = xp.ones((2, 3, 5), order="F"), xp.ones((4, 3), order="F")
        assert xp.einsum("...ft,mf->...mt", a, b, order="A").flags.f_contiguous
        assert xp.einsum("...ft,mf->...mt", a.copy("C"), b.copy("C"), order="A").flags.c_contiguous
    assert np.einsum_path(np.ones((1,) * 3), range(3))[0] == ["einsum_path", (0,)]


def test_signatures_of_builtins_are_texts():
    import inspect
    for function in (np.frombuffer, np.fromfile):
        assert function.__text_signature__ and not hasattr(function, "__signature__")
        assert list(inspect.signature(function).parameters) == list(inspect.signature(getattr(numpy, function.__name__)).parameters)


def test_long_long_is_the_integer_of_64_bits():
    assert np.longlong is np.int64 and np.ulonglong is np.uint64
    assert type(np.arange(3, dtype=np.longlong)[0]) is np.longlong


# --- matrices

def test_what_numpy_makes_of_matrices_are_matrices():
    for xp in (numpy, np):
        m = xp.matrix([[4., 2.], [3., 4.]])
        for found in (3 * m, m.dot(m), xp.dot(3, m), xp.inner(m, m), xp.linalg.pinv(m), m.I, m.argmax(axis=0)):
            assert type(found) is xp.matrix
        assert m.argmin() == 1 and m.argmax() == 0 and xp.nanargmin(m) == 1
        assert m.argmax(axis=1).tolist() == [[0], [1]]


def test_names_of_executed_modules_that_are_none_stay_none():
    from torch_np.numpy._interop import private as _private
    names = _private.source_names("linalg._linalg")
    assert names["newaxis"] is None


def test_what_vectorize_gives_has_the_dtype_of_the_first_result_of_a_scalar():
    for dtype in ("int16", "int32", "float16", "float32", "uint8"):
        assert np.vectorize(lambda x: x + x)(np.array([1, 2, 3], dtype)).dtype == dtype
    with pytest.raises(TypeError):
        np.ndindex([2, 3])
    with pytest.raises(TypeError):
        np.nanstd(np.ones((2, 3)), axis=1, out=np.empty(2, int))


def test_singular_vectors_of_a_singular_hermitian_matrix_are_unit_vectors():
    u, s, vh = np.linalg.svd(np.array([[1., 0.], [0., 0.]]), hermitian=True)
    assert s.tolist() == [1, 0]
    assert np.allclose(u @ u.T, np.eye(2)) and np.allclose(vh @ vh.T, np.eye(2))
