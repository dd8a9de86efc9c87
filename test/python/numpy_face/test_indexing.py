"""x[key] and x[key] = value on both faces, compared with NumPy; and the functions that select
elements by index."""
import numpy
import pytest
from hypothesis import given, settings, strategies as st

import torch_np
import torch_np.numpy as np
from ids import stable_text

SHAPES = [(), (0,), (1,), (5,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 3, 1, 2)]


def numbered(shape, dtype="int64"):
    return numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def outcome(call):
    """The value as a NumPy array, or the exception's class."""
    try:
        return numpy.asarray(call())
    except Exception as e:  # noqa: BLE001  (the class is what is compared)
        return type(e)


def same(ours, theirs, what):
    if isinstance(theirs, type):
        assert ours is theirs, what
    else:
        assert not isinstance(ours, type), (what, ours)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, what
        numpy.testing.assert_array_equal(ours, theirs, err_msg=str(what))


def ours_of(key):
    """The key with our arrays instead of NumPy's."""
    if isinstance(key, tuple):
        return tuple(ours_of(k) for k in key)
    return np.array(key) if isinstance(key, numpy.ndarray) else key


KEYS = [
    0, -1, 4, 5, -6, slice(None), slice(1, None), slice(None, None, -1), slice(4, 0, -2), slice(10, 20), slice(-3, -1), ..., None,
    (), True, False, (0,), (0, 1), (0, ...), (..., 0), (None, 0), (0, None), (slice(None), 0), (slice(None, None, 2), slice(1, 3)),
    (..., slice(None, None, -1)), (slice(None), None, slice(None, None, -1)), [0], [0, -1], [], [[0, 1], [1, 0]], [True, False, True],
    numpy.array([2, 0, 2]), numpy.array(1), numpy.array([[0], [1]]), numpy.array([0, 1], "uint8"), numpy.array([0.0]), "a", 1.0, 1j,
    numpy.float64(1), numpy.int8(1), numpy.bool_(True), (0, [1, 2]), ([0, 1], [1, 2]), ([0, 1], slice(None), [0, 1]),
    (slice(None), [0, 1]), (slice(None), [0, 1], [1, 0]), (0, slice(None), [0, 1]), ([0, 1], None, [0, 1]), ([0, 1], ..., [0, 1]),
    (None, [0, 1]), ([0], [0, 1, 2]), ([0, 1], [0, 1, 2]), (slice(None), [[0], [1]], [0, 1]), ([5], 0), (0, 0, 0, 0, 0), (..., ...),
    (True, 0), (0, True), numpy.array([], dtype=bool), numpy.zeros((3, 0), bool), (True, [0, 1]), (False, [0]), (slice(None), True), (numpy.array([True, False, True]), 0),
    (slice(None), numpy.array([True, False, True, True])), numpy.array([[True, False, True, True]] * 3), numpy.array([True] * 4),
    (numpy.array([True, False, True]), [0, 1]), (numpy.array([True, False, True]), [0, 1, 2]), numpy.array(True), range(2),
    slice(None, None, 0), slice(1.0, 2), slice("a"), {}, {1}, 2**70, object(), [[0, 1], [1]], ["a"], [1.5], [None], (0, "a"),
    (slice(None), slice(None), [1, 0]), (..., None, 0), (None, ..., None), (slice(1, 2), ..., [0, 1]), b"x", numpy.str_("a"),
]


@pytest.mark.parametrize("shape", SHAPES, ids=stable_text)
@pytest.mark.parametrize("key", KEYS, ids=stable_text)
def test_get_agrees_with_numpy(shape, key):
    a = numbered(shape)
    same(outcome(lambda: np.array(a)[ours_of(key)]), outcome(lambda: a[key]), (shape, key))


@pytest.mark.parametrize("shape", SHAPES, ids=stable_text)
@pytest.mark.parametrize("key", KEYS, ids=stable_text)
@pytest.mark.parametrize("value", ["number", "row"])
def test_set_agrees_with_numpy_and_an_error_changes_nothing(shape, key, value):
    a = numbered(shape)
    x, before = np.array(a), a.copy()
    v = -1 if value == "number" else numpy.array([-1, -2, -3])

    def assign(array, key):
        array[key] = v
        return array

    theirs, ours = outcome(lambda: assign(a, key)), outcome(lambda: assign(x, ours_of(key)))
    same(ours, theirs, (shape, key, value))
    if isinstance(ours, type):
        numpy.testing.assert_array_equal(numpy.asarray(x), before)


sizes = st.lists(st.integers(0, 4), min_size=0, max_size=4).map(tuple)


@st.composite
def array_and_key(draw):
    shape = draw(sizes)
    items, axis = [], 0
    arrays = draw(st.sampled_from([(), (2,), (3, 1), (2, 3), (0,)]))
    ellipsis = False
    while axis < len(shape) and draw(st.integers(0, 5)) > 0:
        n = shape[axis]
        kind = draw(st.sampled_from(["int", "slice", "none", "ellipsis", "array", "mask", "truth"]))
        if kind == "int":
            items.append(draw(st.integers(-n - 1, n)))
            axis += 1
        elif kind == "slice":
            bound = st.none() | st.integers(-6, 6)
            items.append(slice(draw(bound), draw(bound), draw(st.none() | st.integers(-3, 3).filter(bool))))
            axis += 1
        elif kind == "none":
            items.append(None)
        elif kind == "ellipsis" and not ellipsis:
            items.append(...)
            ellipsis = True
        elif kind == "array":
            values = draw(st.lists(st.integers(-n, max(n - 1, -n)), min_size=int(numpy.prod(arrays)), max_size=int(numpy.prod(arrays))))
            items.append(numpy.array(values, dtype="int64").reshape(arrays))
            axis += 1
        elif kind == "mask" and axis < len(shape):
            dims = draw(st.integers(1, min(2, len(shape) - axis)))
            mask_shape = shape[axis:axis + dims]
            bits = draw(st.lists(st.booleans(), min_size=int(numpy.prod(mask_shape)), max_size=int(numpy.prod(mask_shape))))
            items.append(numpy.array(bits, dtype=bool).reshape(mask_shape))
            axis += dims
        elif kind == "truth":
            items.append(draw(st.booleans()))
    return shape, tuple(items)


@settings(max_examples=400, deadline=None)
@given(array_and_key())
def test_any_key_agrees_with_numpy(case):
    shape, key = case
    a = numbered(shape)
    ours, theirs = outcome(lambda: np.array(a)[ours_of(key)]), outcome(lambda: a[key])
    same(ours, theirs, case)
    if isinstance(theirs, type):
        return
    x, value = np.array(a), -1 - numpy.arange(theirs.size).reshape(theirs.shape)
    x[ours_of(key)] = value
    a[key] = value
    numpy.testing.assert_array_equal(numpy.asarray(x), a)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float32", "float64", "complex64", "complex128"])
def test_every_element_size_is_gathered_and_scattered(dtype):
    a = numbered((4, 5), dtype)
    x = np.array(a)
    key = (slice(None, None, -1), numpy.array([4, 0, 2]))
    numpy.testing.assert_array_equal(numpy.asarray(x[ours_of(key)]), a[key])
    x[ours_of(key)] = a[:, :3]
    a[key] = a[:, :3].copy()
    numpy.testing.assert_array_equal(numpy.asarray(x), a)


def test_slices_are_views_and_arrays_are_copies():
    x = np.zeros((3, 4))
    x[1, ::-2][0] = 5
    assert x[1, 3].item() == 5
    x[[0, 1]][:] = 7
    assert x[0, 0].item() == 0


def test_an_element_is_a_scalar():
    x = np.arange(3)
    assert type(x[1]) is numpy.int64 and x[1] == 1 and [10, 20, 30][x[1]] == 20


@pytest.mark.parametrize("target, source", [
    (slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None)), (slice(None), slice(None, None, -1)),
])
def test_assignment_between_overlapping_views(target, source):
    a = numpy.arange(10000)
    x = np.array(a)
    a[target] = a[source].copy()
    x[target] = x[source]
    numpy.testing.assert_array_equal(numpy.asarray(x), a)


def test_assignment_through_its_own_index():
    a = numpy.array([2, 0, 1])
    x = np.array(a)
    x[x] = x[::-1]
    a[a.copy()] = a[::-1].copy()
    assert x.tolist() == a.tolist()


def test_the_last_of_several_values_for_one_element_stays():
    x = np.zeros(3)
    x[[0, 0, 1]] = [1, 2, 3]
    assert x.tolist() == [2, 3, 0]


@pytest.mark.parametrize("dtype, value", [
    ("int64", 3.7), ("int64", -3.7), ("float32", True), ("bool", 2.5), ("complex64", 1j), ("uint8", 255), ("int8", numpy.float32(2.9)),
    ("int64", "12"), ("float64", None), ("float64", "1e3"), ("uint8", 256), ("int8", -129), ("uint64", -1), ("int64", float("nan")),
    ("int64", float("inf")), ("int64", 1e30), ("float64", 1j), ("int64", 1j), ("float64", "a"), ("int64", None), ("float64", object()),
    ("float64", [1, 2]), ("int64", 2**63), ("float64", 2**70), ("float64", []), ("float64", [3.0]), ("float64", [[1], [2, 3]]),
])
def test_assigned_values_are_cast_as_numpy_casts(dtype, value):
    a = numpy.zeros(3, dtype)

    def assign(array):
        array[0] = value
        return array

    theirs = outcome(lambda: assign(a))
    ours = outcome(lambda: assign(np.zeros(3, dtype)))
    if isinstance(theirs, type):
        assert isinstance(ours, type) and (issubclass(ours, theirs) or issubclass(theirs, ours)), (ours, theirs)
    else:
        same(ours, theirs, (dtype, value))


def test_complex_values_for_a_real_array_warn():
    x = np.zeros(2)
    with pytest.warns(numpy.exceptions.ComplexWarning):
        x[:] = np.array([1 + 1j, 2])
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize("call, message", [
    (lambda x: x[5], "index 5 is out of bounds for axis 0 with size 3"),
    (lambda x: x[0, -3], "index -3 is out of bounds for axis 1 with size 2"),
    (lambda x: x[[0, 3]], "index 3 is out of bounds for axis 0 with size 3"),
    (lambda x: x[0, 0, 0], "too many indices for array: array is 2-dimensional, but 3 were indexed"),
    (lambda x: x[np.array([True] * 4)], "boolean index did not match indexed array along axis 0; size of axis is 3 but size of "
                                        "corresponding boolean axis is 4"),
    (lambda x: x["a"], "only integers, slices"),
    (lambda x: x[[1.0]], "arrays used as indices must be of integer"),
    (lambda x: x[..., ...], "single ellipsis"),
    (lambda x: x[[0, 1], [0, 1, 0]], "shape mismatch: indexing arrays could not be broadcast together"),
])
def test_messages_of_index_errors(call, message):
    with pytest.raises(IndexError) as error:
        call(np.zeros((3, 2)))
    assert message in str(error.value)


@pytest.mark.parametrize("key, value, message", [
    (slice(None), [1, 2, 3], "could not broadcast input array from shape (3,) into shape (3,2)"),
    ([0, 1], [1, 2, 3], "shape mismatch: value array of shape (3,)"),
])
def test_messages_of_values_that_do_not_fit(key, value, message):
    with pytest.raises(ValueError) as error:
        np.zeros((3, 2))[key] = value
    assert message.replace(" ", "") in str(error.value).replace(" ", "")


def test_read_only_arrays_are_not_assigned_to():
    x = np.broadcast_to(np.zeros(2), (3, 2))
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="cannot delete array elements"):
        del np.zeros(2)[0]


# --- torch_np

def test_torch_integers_beside_arrays_are_basic():
    t = torch_np.arange(24).reshape(2, 3, 4)
    assert tuple(t[0, :, [1, 2]].shape) == (3, 2)  # np: (2, 3)
    assert tuple(t._np_compat()[0, :, [1, 2]].shape) == (2, 3)


@pytest.mark.parametrize("key", [slice(None, None, -1), slice(None, None, 0)])
def test_torch_steps_must_be_positive(key):
    with pytest.raises(ValueError):
        torch_np.arange(3)[key]


def test_torch_masks_and_index_put():
    t = torch_np.arange(6).reshape(2, 3)
    assert t[t > 2].tolist() == [3, 4, 5]
    assert t[torch_np.tensor([1, 0], dtype=torch_np.uint8)].tolist() == [[0, 1, 2]]
    t[t > 4] = 0
    assert t.tolist() == [[0, 1, 2], [3, 4, 0]]
    z = torch_np.zeros(3)
    z.index_put_((torch_np.tensor([0, 0, 2]),), torch_np.ones(3), accumulate=True)
    assert z.tolist() == [2, 0, 1]


def test_torch_gather_and_index_select():
    t = torch_np.arange(6).reshape(2, 3)
    assert torch_np.gather(t, 1, torch_np.tensor([[2, 0], [1, 1]])).tolist() == [[2, 0], [4, 4]]
    assert torch_np.gather(t, 0, torch_np.tensor([[1]])).tolist() == [[3]]
    assert torch_np.index_select(t, 1, torch_np.tensor([2, 2])).tolist() == [[2, 2], [5, 5]]
    assert torch_np.masked_select(t, t > 3).tolist() == [4, 5]


# --- gradients

@pytest.mark.parametrize("key", [
    0, (1, 2), slice(None, None, -1), (slice(None), slice(3, 0, -2)), None, (..., 0), [0, 0, 1], (slice(None), [0, 2, 2]), ([0, 1, 0], [1, 1, 1]),
    (0, slice(None)), ([[0], [1]], slice(1, 3)), numpy.array([True, False, True]), ...,
], ids=stable_text)
def test_gradient_of_an_index_counts_how_often_each_element_was_taken(key):
    x = np.ones((3, 4), _requires_grad=True)
    counts = numpy.zeros((3, 4))
    numpy.add.at(counts, key, 1)
    y = x[ours_of(key)]
    (y * y).sum()._backward()
    numpy.testing.assert_array_equal(numpy.asarray(x._grad), 2 * counts)


@pytest.mark.parametrize("key", [0, (1, 2), slice(None, None, -2), [0, 2], (slice(None), [1, 3]), numpy.array([True, False, True])], ids=stable_text)
def test_gradient_of_an_assignment_goes_to_the_value_and_not_to_what_it_replaced(key):
    x = np.ones((3, 4), _requires_grad=True)
    shape = numpy.zeros((3, 4))[key].shape
    value = np.ones(shape, _requires_grad=True)
    y = x * 3
    y[ours_of(key)] = value * 5
    y.sum()._backward()
    expected = numpy.full((3, 4), 3.0)
    expected[key] = 0
    numpy.testing.assert_array_equal(numpy.asarray(x._grad), expected)
    numpy.testing.assert_array_equal(numpy.asarray(value._grad), numpy.full(shape, 5.0))


def test_assignment_to_a_leaf_that_requires_grad_is_an_error():
    x = np.ones(3, _requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 2
    assert x._detach().tolist() == [1, 1, 1]


def test_second_derivative_through_an_index():
    x = np.array([1.0, 2.0, 3.0])
    x._requires_grad = True
    y = (x[[0, 0, 2]] ** 3).sum()
    (g,) = torch_np.autograd.grad(y, x, create_graph=True)
    (g[[2, 0]] ** 2).sum()._backward()
    numpy.testing.assert_allclose(numpy.asarray(x._grad), [2 * 6 * 12, 0, 2 * 27 * 18])


# --- functions

@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("indices", [0, [1, 2], [[0, 1], [-1, 0]], [5, -7]], ids=stable_text)
def test_take_agrees_with_numpy(mode, axis, indices):
    a = numbered((3, 4), "float64")
    same(outcome(lambda: np.take(np.array(a), indices, axis=axis, mode=mode)),
         outcome(lambda: numpy.take(a, indices, axis=axis, mode=mode)), (mode, axis, indices))


@pytest.mark.parametrize("call", [
    lambda xp, a: xp.take(a, xp.array([0.5])), lambda xp, a: xp.take(a, []), lambda xp, a: xp.take(a, [0], mode="x"), lambda xp, a: xp.take(a, [True, False]),
    lambda xp, a: xp.take(a[:0], [0], axis=0), lambda xp, a: xp.take(5, 0), lambda xp, a: a.take([1], 1),
    lambda xp, a: xp.compress([0, 1, 1], a, axis=0), lambda xp, a: xp.compress([True, False, True], a), lambda xp, a: a.compress([1, 0, 1], 1),
    lambda xp, a: xp.compress([0, 0, 0, 0, 1], a, axis=0), lambda xp, a: xp.compress([[1]], a), lambda xp, a: xp.extract(a > 4, a),
    lambda xp, a: xp.take_along_axis(a, xp.argsort(-a, axis=1), axis=1), lambda xp, a: xp.take_along_axis(a, xp.array([[0], [1], [2]]), 1),
    lambda xp, a: xp.take_along_axis(a, xp.array([11, 0]), None), lambda xp, a: xp.take_along_axis(a, xp.array([1]), 0),
    lambda xp, a: xp.take_along_axis(a, xp.array([[1.0]]), 0), lambda xp, a: xp.take_along_axis(a, xp.array([[9]]), 0),
])
def test_functions_that_choose_agree_with_numpy(call):
    a = numbered((3, 4), "float64")
    same(outcome(lambda: call(np, np.array(a))), outcome(lambda: call(numpy, a)), "")


@pytest.mark.parametrize("call", [
    lambda xp, a: xp.put(a, [0, 5], [-1, -2]), lambda xp, a: xp.put(a, [0, 1, 2], -1), lambda xp, a: xp.put(a, [[1, 2], [3, 4]], [-1, -2, -3]),
    lambda xp, a: xp.put(a, 99, 0), lambda xp, a: xp.put(a, [99, -99], [1, 2], mode="clip"), lambda xp, a: xp.put(a, 13, -1, mode="wrap"),
    lambda xp, a: xp.put(a.T, [1, 2], [-1, -2]), lambda xp, a: a.put([1], [-9]), lambda xp, a: xp.put(a, xp.array([1.5]), 0), lambda xp, a: xp.put(a, [], []),
    lambda xp, a: xp.put_along_axis(a, xp.array([[1], [0], [3]]), -1, axis=1), lambda xp, a: xp.put_along_axis(a, xp.array([[4]]), -1, axis=1),
    lambda xp, a: xp.put_along_axis(a, xp.array([3, 1]), xp.array([-3.0, -1.0]), None),
])
def test_functions_that_write_agree_with_numpy(call):
    a = numbered((3, 4), "float64")
    x = np.array(a)

    def run(xp, array):
        assert call(xp, array) is None
        return array

    same(outcome(lambda: run(np, x)), outcome(lambda: run(numpy, a)), "")
    numpy.testing.assert_array_equal(numpy.asarray(x), a)


# --- Python code that runs while a key or a value is read

class Reshaping:
    """An index that changes the shape of the array being indexed."""

    def __init__(self, array, shape, value=0):
        self.array, self.shape, self.value = array, shape, value

    def __index__(self):
        self.array.shape = self.shape
        return self.value


class ReshapingValue(Reshaping):
    """A value that changes the shape of the array being assigned to."""

    def __array__(self, dtype=None, copy=None):
        self.array.shape = self.shape
        return numpy.zeros(1)


DEEP, FLAT = (2,) * 14, (2**14,)


@pytest.mark.parametrize("key", [
    lambda i: (slice(i, None),) + (slice(None),) * 13, lambda i: (slice(i, None),) + (slice(None),) * 12 + (slice(0, 1),),
    lambda i: (i,) + (0,) * 13, lambda i: (0,) * 13 + (i,), lambda i: (slice(None),) * 13 + (i,),
    lambda i: ([0, 1], slice(i, None)) + (slice(None),) * 12, lambda i: (None, slice(i, None)) + (slice(None),) * 13,
])
def test_a_key_that_changes_the_shape_is_compared_with_the_new_one(key):
    for write in (False, True):
        x = np.arange(2**14).reshape(DEEP)
        with pytest.raises(IndexError):
            if write:
                x[key(Reshaping(x, FLAT))] = 7
            else:
                x[key(Reshaping(x, FLAT))]
        assert x.shape == FLAT and x.tolist() == list(range(2**14))
    x = np.arange(2**14).reshape(DEEP)
    t = x._torch()
    with pytest.raises(IndexError):
        t[key(Reshaping(x, FLAT))]


def test_a_slice_that_changes_the_shape_and_fits_the_new_one():
    x = np.arange(6).reshape(2, 3)
    assert x[Reshaping(x, (3, 2)):].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert x[Reshaping(x, (2, 3), 1):, 1:].tolist() == [[4, 5]]


@pytest.mark.parametrize("key", [(slice(None),) * 13 + (1,), (0,) * 14, ([0, 1],) + (slice(None),) * 13])
def test_a_value_that_changes_the_shape(key):
    x = np.arange(2**14).reshape(DEEP)
    with pytest.raises(IndexError):
        x[key] = ReshapingValue(x, FLAT)
    assert x.tolist() == list(range(2**14))


def test_ufunc_at_with_an_index_that_shrinks_the_array():
    x = np.arange(10**6)

    class Shrinking:
        def __index__(self):
            x.resize((1,), refcheck=False)
            return 999_999

    try:
        np.add.at(x, (Shrinking(),), 1)
    except IndexError:
        pass
    np.negative.at(np.arange(3), [0, 0])


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (64,), (1000,), (33, 17), (3, 5, 64), (2, 1, 3, 9), (0, 4)])
@pytest.mark.parametrize("density", [0, 0.003, 0.1, 0.5, 1])
def test_masks_of_every_density(shape, density):
    rng = numpy.random.default_rng(7)
    a = rng.random(shape)
    for dims in range(1, len(shape) + 1):
        mask = rng.random(shape[:dims]) < density
        for mask in (mask, numpy.asfortranarray(mask), mask[::-1]):
            x, m, target = np.array(a), np.asarray(mask), a.copy()
            numpy.testing.assert_array_equal(numpy.asarray(x[m]), a[mask])
            numpy.testing.assert_array_equal(numpy.asarray(x.T[m.T]) if dims == len(shape) else 0, a.T[mask.T] if dims == len(shape) else 0)
            for value in (2.5, a[mask] * 3, a[:1] * 0 if dims == 1 and shape[0] else 1):
                if numpy.ndim(value) > len(shape):
                    continue
                x[m] = np.asarray(value) if isinstance(value, numpy.ndarray) else value
                target[mask] = value
                numpy.testing.assert_array_equal(numpy.asarray(x), target)
            assert [i.tolist() for i in np.nonzero(m)] == [i.tolist() for i in numpy.nonzero(mask)]
    if shape[0] > 1:
        with pytest.raises(ValueError):
            np.array(a)[np.ones(shape, bool)] = np.ones(a.size + 1)


def test_bytes_of_masks_may_be_any():
    mask = numpy.array([0, 1, 2, 128, 255, 0, 0, 3] * 40, dtype="u1").view(bool)
    a = numpy.arange(320.0)
    numpy.testing.assert_array_equal(numpy.asarray(np.asarray(a)[np.asarray(mask)]), a[numpy.asarray(mask.view("u1") != 0)])
