"""x[mask] and x[mask] = values for masks of full shape: every element size, density and length,
compared with NumPy."""
import numpy
import pytest

import torch_np.numpy as np

LENGTHS = [0, 1, 7, 8, 9, 39, 40, 41, 8191, 8192, 8193, 40_000]
DENSITIES = [0.0, 0.001, 0.1, 0.5, 0.9, 0.999, 1.0]


def mask_of(n, density, seed=0):
    return numpy.random.default_rng(seed).random(n) < density


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "f8", "c8", "c16"])
def test_elements_of_every_width(dtype, density):
    for n in LENGTHS:
        x, m = numpy.arange(n).astype(dtype), mask_of(n, density)
        ours, mask = np.array(x), np.array(m)
        assert ours[mask].tolist() == x[m].tolist()
        values = (numpy.arange(m.sum()) + 1).astype(dtype)
        x[m] = values
        ours[mask] = np.array(values)
        assert ours.tolist() == x.tolist()


@pytest.mark.parametrize("density", DENSITIES)
def test_rows_and_masks_of_several_axes(density):
    x, m = numpy.arange(6000.0).reshape(40, 50, 3), mask_of(2000, density).reshape(40, 50)
    ours, mask = np.array(x), np.array(m)
    numpy.testing.assert_array_equal(numpy.asarray(ours[mask]), x[m])
    values = -numpy.arange(3.0 * m.sum()).reshape(-1, 3)
    x[m] = values
    ours[mask] = np.array(values)
    numpy.testing.assert_array_equal(numpy.asarray(ours), x)
    whole = mask_of(6000, density, 1).reshape(40, 50, 3)
    numpy.testing.assert_array_equal(numpy.asarray(ours[np.array(whole)]), x[whole])


def test_values_that_are_cast_broadcast_or_part_of_the_array():
    x, m = numpy.arange(100.0), mask_of(100, 0.5)
    ours, mask = np.array(x), np.array(m)
    for values in (numpy.arange(m.sum()), 7.5, [3], numpy.arange(2.0 * m.sum())[::2]):
        x[m] = values
        ours[mask] = np.array(values) if isinstance(values, numpy.ndarray) else values
        assert ours.tolist() == x.tolist()
    x[m] = x[: m.sum()].copy()  # NumPy reads elements that it has already written
    ours[mask] = ours[: int(m.sum())]
    assert ours.tolist() == x.tolist()


@pytest.mark.parametrize("wrong", [3, 51, 0])
def test_another_number_of_values_raises_and_writes_nothing(wrong):
    x, m = np.arange(100.0), np.arange(100) % 2 == 0
    with pytest.raises(ValueError, match="shape mismatch"):
        x[m] = np.zeros(wrong)
    assert x.tolist() == list(range(100))


def test_bytes_of_a_mask_other_than_0_and_1_are_true():
    m = numpy.array([0, 1, 2, 255, 128, 0, 64, 0, 3, 0], "u1").view("?")
    assert np.arange(10)[np.asarray(m)].tolist() == numpy.arange(10)[m].tolist() == [1, 2, 3, 4, 6, 8]


def test_reads_and_writes_that_gradients_go_through():
    x = np.arange(10.0)
    x._requires_grad = True
    m = np.arange(10) % 3 == 0
    y = x * 1
    y[m] = np.arange(4.0)
    (y[m].sum() + (x[m] * 2).sum() + y.sum())._backward()
    assert x._grad.tolist() == [2.0 if i % 3 == 0 else 1.0 for i in range(10)]
