"""Positions in flattened arrays, and elements that numbers or masks select, against loops and NumPy."""
import itertools

import numpy
import pytest

import torch_np.numpy as np

SHAPES = [(5,), (3, 4), (2, 3, 4), (1, 7, 1, 2)]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_coordinates_of_positions_and_back(shape, order):
    size = numpy.prod(shape)
    positions = numpy.arange(size).reshape(-1, 1)[::-1]
    coordinates = np.unravel_index(np.asarray(positions), shape, order)
    numbered = numpy.arange(size).reshape(shape, order=order)
    assert type(coordinates) is tuple and all(type(c) is np.ndarray and c.shape == positions.shape for c in coordinates)
    assert numbered[tuple(map(numpy.asarray, coordinates))].tolist() == positions.tolist()
    assert np.ravel_multi_index(coordinates, shape, order=order).tolist() == positions.tolist()


@pytest.mark.parametrize("modes", list(itertools.product(["wrap", "clip"], repeat=2)), ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_modes_of_coordinates(modes, order):
    rows, columns = numpy.arange(-9, 10), numpy.arange(-20, 18, 2)
    expected = []
    for i, j in zip(rows.tolist(), columns.tolist()):
        i = i % 3 if modes[0] == "wrap" else min(max(i, 0), 2)
        j = j % 4 if modes[1] == "wrap" else min(max(j, 0), 3)
        expected.append(4 * i + j if order == "C" else i + 3 * j)
    found = np.ravel_multi_index((np.asarray(rows), np.asarray(columns)), (3, 4), mode=modes, order=order)
    assert found.tolist() == expected


def test_coordinates_broadcast_and_narrow_integers_are_cast():
    found = np.ravel_multi_index((np.arange(3, dtype=np.uint8)[:, None], np.arange(4, dtype=np.int16)), (3, 4))
    assert found.dtype == np.int64 and found.tolist() == numpy.arange(12).reshape(3, 4).tolist()
    assert type(np.ravel_multi_index((2, 3), (3, 4))) is numpy.int64


@pytest.mark.parametrize("bad", [-1, 12, 2**63])
def test_positions_out_of_bounds(bad):
    with pytest.raises(ValueError, match="out of bounds for array with size 12"):
        np.unravel_index(np.asarray([0, 3, bad], dtype=np.uint64 if bad > 12 else None), (3, 4))


def test_coordinates_out_of_bounds():
    for bad in (-1, 4):
        with pytest.raises(ValueError, match="invalid entry in coordinates array"):
            np.ravel_multi_index((np.array([0, 1]), np.array([1, bad])), (3, 4))
    with pytest.raises(ValueError, match="sequence of length 2"):
        np.ravel_multi_index((np.array([0, 1]),), (3, 4))
    with pytest.raises(ValueError, match="clipmode"):
        np.ravel_multi_index((1, 2), (3, 4), mode="bounce")


@pytest.mark.parametrize("dtype", ["bool", "float16", "int32", "float64", "complex128"])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_choose_of_each_size_of_element(dtype, count):
    random = numpy.random.default_rng(count)
    index = random.integers(0, count, (4, 1, 3))
    choices = [numpy.ones((5, 3), dtype)] + [(random.standard_normal((5, 1)) * 9).astype(dtype) for _ in range(count - 1)]
    expected = numpy.empty((4, 5, 3), dtype)
    for at in numpy.ndindex(4, 5, 3):
        expected[at] = numpy.broadcast_to(choices[index[at[0], 0, at[2]]], (5, 3))[at[1:]]
    found = np.choose(np.asarray(index), [np.asarray(c) for c in choices])
    assert found.dtype == dtype and found.tolist() == expected.tolist()


def test_modes_of_choose():
    index, choices = np.arange(-5, 6), np.array([[10], [20], [30]])
    assert np.choose(index, choices, mode="wrap").tolist() == [10 * (i % 3 + 1) for i in range(-5, 6)]
    assert np.choose(index, choices, mode="clip").tolist() == [10 * (min(max(i, 0), 2) + 1) for i in range(-5, 6)]
    with pytest.raises(ValueError, match="invalid entry in choice array"):
        np.choose(index, choices)


def test_choose_passes_gradients():
    a, b = np.array([1.0, 2.0, 3.0], _requires_grad=True), np.array(5.0, _requires_grad=True)
    np.choose(np.array([0, 1, 0]), [a, b]).sum()._backward()
    assert a._grad.tolist() == [1, 0, 1] and b._grad.tolist() == 1


@pytest.mark.parametrize("values", [[7], [1, 2, 3], [1, 2, 3, 4, 5, 6], 9], ids=str)
def test_putmask_and_place_repeat_values(values):
    for make in (lambda: np.arange(6).reshape(2, 3), lambda: np.arange(12).reshape(3, 4).T[::2]):
        mask = np.asarray(make() % 2 == 0)
        flat, chosen = numpy.asarray(make()).ravel().tolist(), numpy.asarray(mask).ravel().tolist()
        cycle = [values] if isinstance(values, int) else values
        a, b = make(), make()
        np.putmask(a, mask, values)
        np.place(b, mask, values)
        assert a.ravel().tolist() == [cycle[i % len(cycle)] if m else x for i, (x, m) in enumerate(zip(flat, chosen))]
        taken = itertools.cycle(cycle)
        assert b.ravel().tolist() == [next(taken) if m else x for x, m in zip(flat, chosen)]


def test_putmask_and_place_refuse():
    a = np.arange(4)
    for write in (np.putmask, np.place):
        with pytest.raises(ValueError, match="same size"):
            write(a, np.ones(3, dtype=bool), [1])
        frozen = np.arange(4)
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            write(frozen, np.ones(4, dtype=bool), [1])
    with pytest.raises(ValueError, match="empty array"):
        np.place(a, a > 1, [])
    with pytest.raises(TypeError, match="Cannot cast"):
        np.putmask(a, a > 1, np.array([1.5]))
    np.putmask(a, a > 1, [])
    assert a.tolist() == [0, 1, 2, 3]
