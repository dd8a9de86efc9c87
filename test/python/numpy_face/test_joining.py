"""Joining, splitting and repeating, compared with NumPy, and the torch face's own forms."""

import math
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from layouts import DTYPES, LAYOUTS, agrees, layouts, ours, theirs
from ids import stable_text


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_joins(layout, dtype):
    x = layouts(dtype)[layout]
    for y in (x, x.astype("f8"), numpy.ones(3, "i1"), numpy.ones((1, 4, 5), "c8")):
        for axis in (None, -1, 0, 1, 5):
            agrees("concatenate", [x, y], axis)
        for axis in (-4, -1, 0, 1, 5):
            agrees("stack", [x, y], axis)
        for function in ("hstack", "vstack", "dstack", "column_stack"):
            agrees(function, [x, y])


def test_joins_of_numbers_lists_and_nothing():
    for function in ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"):
        agrees(function, [1, 2])
        agrees(function, [])
        agrees(function, [[1, 2], [3.5, 4]])
        agrees(function, numpy.arange(6).reshape(2, 3))
    agrees("concatenate", [[1], [[2]]])
    agrees("concatenate", [numpy.float32([3]), 2.5, 1], axis=None)
    agrees("concatenate", [numpy.int8([3]), 1], axis=None)


def test_joins_into_a_given_dtype_or_output():
    a, b = numpy.arange(3), numpy.arange(2.5)
    agrees("concatenate", [a, b], dtype="i4")
    agrees("concatenate", [a, b], dtype="i4", casting="unsafe")
    agrees("stack", [a, a], dtype="f4")
    out = np.zeros(6)
    assert np.concatenate([np.asarray(a), np.asarray(b)], out=out) is out
    numpy.testing.assert_array_equal(out, numpy.concatenate([a, b]))
    with pytest.raises(ValueError):
        np.concatenate([np.asarray(a)], out=np.zeros(5))
    with pytest.raises(TypeError):
        np.concatenate([np.asarray(b)], out=np.zeros(3, int))


def test_columns_first_stays_columns_first():
    f = numpy.asfortranarray(numpy.ones((3, 4)))
    agrees("concatenate", [f, f], 1, order=True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_splits(layout):
    x = layouts("int32")[layout]
    for sections in (1, 2, 3, 0, -1, [1, 2], [-1], [2, 1], [0, 10], []):
        for axis in (-1, 0, 1, 3):
            agrees("array_split", x, sections, axis)
            agrees("split", x, sections, axis)
        for function in ("hsplit", "vsplit", "dsplit"):
            agrees(function, x, sections)
    for axis in (-4, -1, 0, 1, 3):
        agrees("unstack", x, axis=axis)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=stable_text)
def test_repetitions(layout, dtype):
    x = layouts(dtype)[layout]
    for reps in (2, (2, 1), (1, 2, 3, 2), (), 0, 1, (1, 1, 1, 1), -1):
        agrees("tile", x, reps)
    agrees("repeat", x, 3)
    for axis in range(-4, 4):
        agrees("repeat", x, 2, axis)
        n = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
        agrees("repeat", x, numpy.arange(n) % 3, axis)
        agrees(None, x, 2, axis, method="repeat")


def test_repeat_refuses_other_counts():
    x = numpy.arange(2)
    for counts in ([1, 2, 3], -1, [[1, 2]], [-1, 2], [3], True, numpy.array([1.0, 2.0]), 10**18):
        agrees("repeat", x, counts)


def test_torch_joins_and_splits():
    t = torch_np.arange(6).reshape(2, 3)
    assert tuple(torch_np.cat([t, t], 1).shape) == (2, 6)
    assert tuple(torch_np.cat([torch_np.zeros(0), t], 0).shape) == (2, 3)
    assert [tuple(p.shape) for p in t.split(2, 1)] == [(2, 2), (2, 1)]
    assert [tuple(p.shape) for p in torch_np.split(t, [1, 2], 1)] == [(2, 1), (2, 2)]
    assert [tuple(p.shape) for p in t.chunk(2, 1)] == [(2, 2), (2, 1)]
    assert [tuple(p.shape) for p in t.unbind()] == [(3,), (3,)]
    assert isinstance(t.split(1), tuple)
    assert tuple(t.repeat(2, 1, 1).shape) == (2, 2, 3)
    assert t.repeat_interleave(2).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    with pytest.raises(ValueError):
        torch_np.cat([])
    for call in (lambda: torch_np.stack([t, t[0]]), lambda: t.split([1, 1], 1), lambda: t.repeat(2)):
        with pytest.raises(RuntimeError):
            call()


@pytest.mark.parametrize("width", [1, (1,), (1, 2), ((1, 2),), ((1,), (2,)), ((1, 2), (3, 4)), ((1,), (2,), (3,)), (1, 2, 3), [[[1]]], -1])
def test_pad_width_broadcasts_to_pairs_per_axis(width):
    for shape in ((2,), (2, 2), (2, 2, 2)):
        def outcome(xp):
            try:
                return xp.pad(xp.ones(shape), width).shape
            except ValueError:
                return ValueError
        assert outcome(np) == outcome(numpy), shape


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "f8", "c16"])
def test_repeat_of_many(dtype):
    x = numpy.arange(3 * 7000).reshape(3, 7000).astype(dtype)
    for times in (0, 1, 3, 10, 17):
        for axis in (None, 0, 1):
            agrees("repeat", x, times, axis)
            agrees("repeat", x[:, ::-2], times, axis)


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c8", "c16"])
def test_repeat_of_all_small_lengths(dtype):
    """Results are written as permuted registers, except for the remainder and for short arrays."""
    x = numpy.arange(3 * 300).reshape(3, 300).astype(dtype)
    for times in (2, 3, 4, 5, 7, 8, 12, 16, 31, 33, 64):
        for n in (*range(1, 40), *range(120, 150), 257):
            numpy.testing.assert_array_equal(theirs(np.repeat(ours(x[1, :n]), times)), numpy.repeat(x[1, :n], times))
        agrees("repeat", x[:, 3:], times, 1)


def both(call):
    """The results of `call` with NumPy and with ours: a value as (dtype, list), or the class of the
    error."""
    def outcome(xp):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                r = call(xp)
            except Exception as error:  # noqa: BLE001
                return type(error)
        return (r.dtype, r.shape, r.tolist()) if hasattr(r, "dtype") else r

    return outcome(np), outcome(numpy)


def assert_both(call, where=""):
    got, expected = both(call)
    if isinstance(expected, type) and isinstance(got, type):
        assert issubclass(got, expected), (where, got, expected)
    else:
        assert got == expected, where


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "?"])
def test_pad_with_a_ramp_rounds_down(dtype):
    for values in ([-5, 3], [7], [[1, -2], [3, 4], [9, -9]]):
        for width, options in ((2, {}), ((3, 1), {"end_values": 7}), (4, {"end_values": (1, -3)} if dtype[0] != "u" else {"end_values": 2})):
            assert_both(lambda xp: xp.pad(xp.array(values).astype(dtype)[::-1], width, "linear_ramp", **options), (dtype, values, width))  # noqa: B023


def test_pad_refuses_widths_that_are_none():
    itself = [1]
    itself.append(itself)
    for width in (itself, [[1, 2], [3]], 1.0, [1.5], True, [True, False], "a", None, [[1, 2, 3]], numpy.array([1], "u1"), [numpy.float64(1)], {0: 1, 1: (1, 2)}, {-1: 2}, {}):
        assert_both(lambda xp: xp.pad(xp.ones((2, 2)), width), repr(type(width)))  # noqa: B023


PLACES = [0, -1, 2, 3, [0], [-1], [2], [0, 1], [1, 1], [], [9], 9, -7, slice(0, 1), slice(0, 2), slice(None, None, -2), slice(5, 5),
          numpy.array([True, False, True]), numpy.array([False, True, False]), numpy.array(True), numpy.array([1], "u1"), [[1]], numpy.array(1), 1.0, [1.0], [0.0, 1.0]]
VALUES = [9, [7, 8], [7], [], [[7, 8]], [[7], [8]], [7, 8, 9], numpy.array([7.5, 8.5])]


@pytest.mark.parametrize("shape, axis", [((3,), None), ((3,), 0), ((3, 2), 0), ((2, 3), 1), ((3, 3), None), ((1,), 0), ((0,), None), ((), None), ((), 0), ((3,), 1)], ids=str)
def test_insert_everything_everywhere(shape, axis):
    for place in PLACES:
        for values in VALUES:
            assert_both(lambda xp: xp.insert(xp.arange(math.prod(shape)).reshape(shape), place, values, axis=axis), (place, values))  # noqa: B023


@pytest.mark.parametrize("name", ["packbits", "unpackbits"])
def test_bits_of_scalars_and_of_nothing(name):
    for value in (numpy.array(True), numpy.array(200, "u1"), numpy.array(3), 5, True, numpy.zeros(0, "u1"), numpy.zeros((2, 0), "u1"), numpy.zeros((0, 2), "u1"),
                  numpy.arange(10, dtype="u1")[::-3], numpy.array(1.0)):
        for options in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1}, {"axis": None}, {"bitorder": "little"}):
            assert_both(lambda xp: getattr(xp, name)(value if isinstance(value, (int, bool)) else xp.asarray(value), **options), (value, options))  # noqa: B023
    if name == "unpackbits":
        for count in (3, -3, 0, 8, 9, -9):
            assert_both(lambda xp: xp.unpackbits(xp.array(200, dtype="u1"), count=count), count)  # noqa: B023


def test_trim_zeros_of_anything():
    for value in (1.0, 0.0, [0, 1, 0], (0, 1, 0), [], numpy.array(1.0), numpy.array(0), numpy.zeros(0), numpy.zeros((2, 2)), numpy.zeros((0, 2)), numpy.eye(4)[:, 1:3]):
        for options in ({}, {"trim": "f"}, {"trim": "b"}, {"trim": "x"}, {"axis": 0}, {"axis": -1}, {"axis": 1}, {"axis": ()}, {"axis": (0,)}):
            assert_both(lambda xp: xp.trim_zeros(xp.asarray(value) if isinstance(value, numpy.ndarray) else value, **options), (value, options))  # noqa: B023


def test_arrays_have_no_concatenation_as_sequences():
    import operator
    for xp in (numpy, np):
        for a, b in ((xp.ones(2), xp.ones(2)), (xp.ones(2), [1]), ([1], xp.ones(2))):
            with pytest.raises(TypeError):
                operator.concat(a, b)
    assert ([1, 2] + np.ones(2)).tolist() == [2, 3]


@pytest.mark.parametrize("blocks", [[1, []], [[], 2], [[1], []], [[[1], [2]], [[]]]])
def test_depths_of_blocks_are_compared_before_empty_lists_are_found(blocks):
    for xp in (numpy, np):
        with pytest.raises(ValueError, match="empty" if [] not in (blocks if 1 in blocks or 2 in blocks else []) else "mismatched"):
            xp.block(blocks)


def test_a_table_holds_the_range_of_the_dtype_alone():
    for xp in (numpy, np):
        x, wide = xp.array([0, 1], "i2"), xp.array([-128, 127], "i1")
        assert xp.isin(x, wide).tolist() == [False, False] and xp.isin(x, wide.astype("i2"), kind="table").tolist() == [False, False]
        with pytest.raises(RuntimeError, match="exceed the maximum"):
            xp.isin(x, wide, kind="table")
