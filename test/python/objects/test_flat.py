"""a.flat: elements in row-major order, without copies of the array; iteration, indexing, assignment, as NumPy's."""

import numpy
import pytest

import torch_np.numpy as np

ARRAYS = {
    "contiguous": lambda a: a, "transposed": lambda a: a.T, "sliced": lambda a: a[:, ::2], "reversed": lambda a: a[::-1, ::-1],
    "row": lambda a: a[1], "column": lambda a: a[:, 1], "0d": lambda a: a[1, 1, ...], "empty": lambda a: a[:0],
}
KEYS = [0, -1, 5, slice(None), slice(1, 5), slice(None, None, -2), slice(4, 1), [1, 0, 1], [[0], [2]], (2,), ..., (), (1, 2), 100, -100]


def both(layout):
    return [ARRAYS[layout](xp.arange(20.0).reshape(4, 5)) for xp in (numpy, np)]


def outcome(function):
    try:
        result = function()
        return result.tolist() if hasattr(result, "tolist") else result
    except (IndexError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("layout", ARRAYS)
def test_iteration(layout):
    theirs, ours = both(layout)
    assert [float(x) for x in ours.flat] == [float(x) for x in theirs.flat]
    flat = ours.flat
    if len(flat):
        assert float(next(flat)) == float(theirs.flat[0]) and flat.index == 1


@pytest.mark.parametrize("layout", ARRAYS)
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing_and_assignment(layout, key):
    theirs, ours = both(layout)
    assert outcome(lambda: ours.flat[key]) == outcome(lambda: theirs.flat[key])
    for value in (7.0, [1.0, 2.0]):
        def assign(a, value=value):
            a.flat[key] = value
            return a
        assert outcome(lambda: assign(ours)) == outcome(lambda: assign(theirs))


def test_masks():
    """NumPy refuses masks that are lists for now, since they had another meaning before."""
    ours, mask = np.arange(20.0).reshape(4, 5).T, [i % 3 == 0 for i in range(20)]
    with pytest.raises(IndexError, match="boolean indices for iterators are not supported"):
        ours.flat[mask]
    assert ours.flat[np.array(mask)].tolist() == ours.ravel()[mask].tolist()
    expected = np.where(np.array(mask), -1.0, ours.ravel()).tolist()
    ours.flat[np.array(mask)] = -1.0
    assert ours.ravel().tolist() == expected


def test_elements_are_no_views_and_have_gradients():
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    element = x.T.flat[1]
    x[1, 0] = 9.0
    assert float(element) == 3.0
    x._requires_grad = True
    (x.T.flat[1] * 2 + x.flat[[0, 0]].sum())._backward()
    assert x._grad.tolist() == [[2.0, 0.0], [2.0, 0.0]]


def test_broadcast_objects_are_joined_and_know_their_arrays():
    for xp in (numpy, np):
        arrays = [xp.empty((6, 7)), xp.empty((5, 6, 1)), xp.empty(7), xp.empty((5, 1, 7))]
        for it in (xp.broadcast(*arrays), xp.broadcast(xp.broadcast(*arrays[:0]), xp.broadcast(*arrays)),
                   xp.broadcast(arrays[0], xp.broadcast(*arrays[1:-1]), arrays[-1])):
            assert it.shape == (5, 6, 7) and it.numiter == 4
            assert all(a is i.base and len(list(i)) == 210 for a, i in zip(arrays, it.iters))
        for wrong in (lambda: xp.broadcast(1, x=1), lambda: xp.broadcast(xp.broadcast(*range(40)), *range(40))):
            with pytest.raises(ValueError):
                wrong()


def test_as_an_array_it_is_a_view_where_there_is_one():
    for xp in (np, numpy):
        a = xp.arange(20.0).reshape(4, 5)
        a.flat.__array__()[0] = 7
        assert a[0, 0] == 7 and not a[::2, ::2].flat.__array__().flags.writeable
        a.flags.writeable = False
        assert not a.flat.__array__().flags.writeable
