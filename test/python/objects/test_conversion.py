"""np.array, np.asarray and torch_np.tensor: nested sequences and numbers, compared with NumPy."""
import decimal
import fractions

import ml_dtypes
import numpy
import pytest

import torch_np
import torch_np.numpy as np
from ids import stable_text

VALUES = [
    1, True, 1.5, 2j, -1, 2**62, 2**63, 2**64 - 1, -2**63, [], [[]], [[], []], [[[]]], (), [1], [1, 2.5], [True, 2], [True, False], [1, 2j],
    [[1, 2], [3, 4]], ((1, 2), [3, 4]), [2**63], [1, 2**63], [-1, 2**63], [2**63, 1.5], [range(3), (1, 2, 3)], range(5), range(0),
    numpy.float32(1.5), [numpy.float32(1.5)], [numpy.float32(1.5), 2], [numpy.int8(1), numpy.int8(2)], [numpy.int8(1), 2], [numpy.uint8(1), numpy.int8(2)],
    [numpy.bool_(True)], [numpy.float16(1), numpy.float32(2)], [numpy.complex64(1j)], numpy.int16(3), numpy.bool_(False),
    [numpy.arange(3), numpy.arange(3.0)], [numpy.arange(3), [1, 2, 3]], [numpy.array(1), 2], [[numpy.array(1.5)], [2]], [numpy.zeros((2, 0))],
    [numpy.array([1, 2], "int8"), numpy.array([3, 4], "uint8")], numpy.array([1, 2]), memoryview(b"ab"), bytearray(b"ab"),
    [bytearray(b"ab"), bytearray(b"cd")],
]


@pytest.mark.parametrize("value", VALUES, ids=stable_text)
def test_values_shapes_and_dtypes_are_numpys(value):
    ours, theirs = np.array(value), numpy.array(value)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "float32", "complex64"])
@pytest.mark.parametrize("value", [
    1, 2.7, [1.9, -1], [True, 0.0], "3", ["1", "2"], [numpy.float64(2.5), 1], [numpy.arange(3), [1.5, 2.5, 3.5]], fractions.Fraction(5, 2),
    [decimal.Decimal("1.5")], None, [None, 1], 300, [-1], 1j, [1j], float("nan"), [float("inf")], 1e30, "x", [2**70], [numpy.int64(300)], b"12",
    [[1], [2, 3]], [object()], {}, {1: 2}, [1, [2]], set(), lambda: 0, 2**63,
], ids=stable_text)
def test_conversion_to_a_given_dtype_agrees_with_numpy(value, dtype):
    def outcome(xp):
        try:
            with numpy.errstate(all="ignore"):
                return numpy.asarray(xp.array(value, dtype=dtype))
        except Exception as e:  # noqa: BLE001
            return e

    ours, theirs = outcome(np), outcome(numpy)
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)) or isinstance(theirs, type(ours)), (ours, theirs)
    elif isinstance(ours, Exception):
        # Conversions through another dtype: strings in arrays, truth of objects.
        assert isinstance(ours, TypeError), (ours, theirs)
    else:
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        numpy.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("value", [
    [[1, 2], [3]], [1, [2]], [[1], 2], [[1, 2], [3, [4]]], [[[1, 2]], [[3]]], [numpy.arange(2), numpy.arange(3)], [numpy.zeros((2, 3)), numpy.zeros((2, 2))],
    [[], [1]], [[], 1], [[1], []], [1, []], [[[1], [2]], [[3], 4]],
], ids=stable_text)
def test_ragged_sequences_raise_numpys_message(value):
    with pytest.raises(ValueError) as ours:
        np.array(value)
    with pytest.raises(ValueError) as theirs:
        numpy.array(value)
    assert str(ours.value) == str(theirs.value)


def test_lists_that_contain_themselves():
    once, twice = [], []
    once.append(once)
    twice += [twice, twice]
    for endless in (once, twice, [1, once], (twice,)):
        with pytest.raises(ValueError):
            np.array(endless)
        with pytest.raises(ValueError):
            torch_np.tensor(endless)


def test_depth_has_a_limit():
    deep = 1
    for _ in range(64):
        deep = [deep]
    assert np.array(deep).ndim == 64
    with pytest.raises(ValueError, match="maximum number of dimension of 64"):
        np.array([deep])


@pytest.mark.parametrize("value", ["abc", b"abc", ["a", "b"], None, [None], object(), [object()], {}, {"a": 1}, {1, 2}, [1, "a"], (i for i in range(3)),
                                   len, int, [{}], ..., slice(1)], ids=stable_text)
def test_what_is_no_number_raises_type_error(value):
    with np._fallback("raise"), pytest.raises(TypeError):
        np.array(value)
    with pytest.raises(TypeError):
        torch_np.tensor(value)


@pytest.mark.parametrize("value", [2**64, -2**63 - 1, [2**70], [1, [2**70]], [-2**64]], ids=stable_text)
def test_integers_beyond_64_bits_overflow(value):
    with np._fallback("raise"), pytest.raises((OverflowError, ValueError)):
        np.array(value)


class Sequence:
    def __init__(self, n=3, get=None, length=None):
        self.n, self.get, self.length = n, get, length

    def __len__(self):
        return self.length() if self.length else self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return self.get(i) if self.get else i


def raise_(error):
    raise error


def test_sequences_of_ones_own():
    assert np.array(Sequence()).tolist() == [0, 1, 2]
    assert np.array([Sequence(), Sequence()]).tolist() == [[0, 1, 2], [0, 1, 2]]
    for sequence, error in [(Sequence(get=lambda i: raise_(ZeroDivisionError())), ZeroDivisionError),
                            (Sequence(length=lambda: raise_(RecursionError())), RecursionError),
                            (Sequence(length=lambda: raise_(MemoryError())), MemoryError),
                            (Sequence(length=lambda: raise_(ValueError())), TypeError)]:
        with np._fallback("raise"), pytest.raises(error):
            np.array(sequence)


def test_a_sequence_that_changes_while_it_is_read():
    outer = []

    class Shrinks:
        def __array__(self, dtype=None, copy=None):
            outer.clear()
            return numpy.array(1.0)

    outer += [Shrinks()] + [[1.0] for _ in range(100)]
    with pytest.raises(ValueError):
        np.array(outer)

    class Grows(Sequence):
        def __getitem__(self, i):
            if i < 3:
                grown.append(1)
            return super().__getitem__(i)

    for xp in (np, numpy):
        grown = [Grows(), Grows()]
        with pytest.raises(RuntimeError, match="changed"):
            xp.array(grown)
    truth = []

    class Evil:
        def __float__(self):
            truth.clear()
            return 1.0

    truth += [Evil(), 2.0, 3.0]
    assert np.array(truth, dtype=float).tolist() == [1, 2, 3]


def test_tensors_in_sequences_keep_their_gradients():
    x = np.array(2.0)
    x._requires_grad = True
    y = np.array([[x, 1.0], [x * x, 3.0]])
    assert y.tolist() == [[2, 1], [4, 3]]
    y.sum()._backward()
    assert x._grad.item() == 5


@pytest.mark.parametrize("value, dtype", [
    (1, "int64"), (1.0, "float32"), (True, "bool"), (1j, "complex64"), ([1, 2.0], "float32"), ([], "float32"), ([True, 1], "int64"),
    (numpy.float64(1), "float64"), (numpy.arange(3, dtype="int16"), "int16"),
], ids=stable_text)
def test_torch_face_uses_its_default_dtype(value, dtype):
    assert torch_np.tensor(value).dtype == getattr(torch_np, dtype)


def test_copy_and_no_copy():
    a = numpy.arange(3.0)
    x = np.array(a)
    x[0] = 5
    assert a[0] == 0
    y = np.array(a, copy=False)
    y[0] = 5
    assert a[0] == 5
    assert np.asarray(y) is y
    for bad in (lambda: np.array([1, 2], copy=False), lambda: np.array(a, dtype="float32", copy=False)):
        with pytest.raises(ValueError):
            bad()
    assert np.array(5, ndmin=3).shape == (1, 1, 1)


# --- dtype objects

@pytest.mark.parametrize("spec", ["float32", "f4", float, int, bool, complex, numpy.float16, numpy.dtype("int8"), "<i2", "bfloat16", ml_dtypes.bfloat16,
                                  numpy.longlong, "l", "?", numpy.intp], ids=stable_text)
def test_dtypes_are_whatever_numpy_understands(spec):
    assert np.zeros(1, dtype=spec).dtype == numpy.dtype(spec)


@pytest.mark.parametrize("spec", ["U3", "S", object, "M8[s]", "V4", numpy.longdouble, ">f8", "nonsense", 3, [("a", "i4")], numpy.dtype("O")], ids=stable_text)
def test_other_dtypes_raise_type_error(spec):
    with np._fallback("raise"), pytest.raises(TypeError):
        np.zeros(1, dtype=spec)


def test_torch_dtypes():
    assert repr(torch_np.float32) == "torch_np.float32"
    assert np.zeros(1, dtype=torch_np.int8).dtype == numpy.int8
    assert torch_np.zeros(1, dtype=numpy.int16).dtype is torch_np.int16
    assert torch_np.float32.is_floating_point and torch_np.complex64.is_complex and torch_np.float32.itemsize == 4
    import copy
    import pickle
    assert pickle.loads(pickle.dumps(torch_np.float64)) is torch_np.float64
    assert copy.deepcopy(torch_np.float64) is torch_np.float64


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(16, 64), (33, 47), (200, 130), (3, 40, 50), (40, 3, 50), (2, 3, 33, 17)])
def test_copies_between_layouts(dtype, shape):
    a = numpy.random.default_rng(0).integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    x = np.asarray(a)
    axes = [tuple(reversed(range(len(shape)))), (*range(1, len(shape)), 0), (len(shape) - 1, *range(len(shape) - 1))]
    for order in axes:
        view = numpy.transpose(a, order)
        assert (numpy.asarray(np.ascontiguousarray(np.transpose(x, order))) == view).all()
        out = np.zeros((*view.shape[:-1], view.shape[-1] + 5), a.dtype)
        out[..., 2:-3] = np.transpose(x, order)
        assert (numpy.asarray(out)[..., 2:-3] == view).all()
        assert not np.any(out[..., :2]) and not np.any(out[..., -3:])


def test_copying_a_matrix_onto_its_own_transpose():
    a = numpy.arange(2500.0).reshape(50, 50)
    x = np.asarray(a.copy())
    x[...] = x.T
    assert (numpy.asarray(x) == a.T).all()


def test_complex_numbers_do_not_fill_real_arrays():
    for xp in (np, numpy):
        with pytest.raises(TypeError, match="complex"):
            xp.zeros(3).fill(1j)
    with pytest.raises(RuntimeError, match="without overflow"):
        torch_np.zeros(3).fill_(1j)
    assert torch_np.zeros(2).fill_(complex(2)).tolist() == [2, 2]
    assert np.zeros(1, complex).tolist() == [0] and torch_np.zeros(1, dtype=torch_np.complex64).fill_(1j).tolist() == [1j]


def test_an_array_method_is_asked_for_the_copy():
    for xp in (numpy, np):
        kept, fresh = xp.zeros((3, 4)), xp.zeros((3, 4))

        class Asked:
            def __array__(self, dtype=None, copy=None):
                return fresh if copy else kept
        assert xp.array(Asked()) is fresh and xp.array(Asked(), copy=True, subok=True) is fresh
        assert xp.array(Asked(), copy=False) is kept and xp.array(Asked(), copy=None) is kept and xp.asarray(Asked()) is kept
        assert xp.array(Asked(), order="F") is not fresh and xp.array(Asked(), "f4").dtype == "f4"

        class Plain:
            def __array__(self, dtype=None):
                return kept
        with pytest.warns(DeprecationWarning, match="must implement 'dtype' and 'copy'"):
            assert not xp.shares_memory(xp.array(Plain()), kept)
        with pytest.warns(DeprecationWarning, match="'copy'"), pytest.raises(ValueError, match="Unable to avoid copy"):
            xp.array(Plain(), copy=False)

        class Failing:
            def __array__(self, dtype=None, copy=None):
                raise TypeError("another reason")
        with pytest.raises(TypeError, match="another reason"):
            xp.array(Failing())


def test_only_arrays_and_numbers_are_converted_by_astype():
    for xp in (numpy, np):
        with pytest.raises(TypeError, match="Input should be a NumPy array"):
            xp.astype([1, 2], "f4")
        assert type(xp.astype(numpy.int64(3), "f4")) is numpy.float32
