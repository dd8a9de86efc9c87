"""reduce, accumulate, reduceat and at of ufuncs without their own reduction, compared with NumPy:
ufuncs that may be combined in any order, and others."""
import numpy
import pytest
from same_as_numpy import agrees

import torch_np.numpy as np

LEFT_TO_RIGHT = ["subtract", "divide", "floor_divide", "copysign", "fmod", "remainder", "heaviside"]
ASSOCIATIVE = ["bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "gcd", "lcm", "fmax", "fmin", "hypot", "logaddexp"]
INTEGERS = {"bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"}


def numbers(name, shape, seed=0):
    random = numpy.random.RandomState(seed)
    if name in INTEGERS:
        return random.randint(1, 1 << 40, shape) if name != "lcm" else random.choice([1, 2, 3, 4, 6, 12], shape)
    x = random.choice([0.5, 1.0, 1.25, -2.0], shape)
    if name in ("fmax", "fmin"):
        x[random.rand(*shape) < 0.3] = numpy.nan
    return x


@pytest.mark.parametrize("name", LEFT_TO_RIGHT + ASSOCIATIVE)
def test_every_count_is_combined_in_numpys_order(name):
    for n in (1, 2, 3, 5, 8, 13, 31, 32, 33, 70):
        for shape, axis in (((n,), 0), ((n, 3), 0), ((3, n), 1), ((2, n, 3), 1)):
            x = numbers(name, shape, n)
            agrees(lambda xp: getattr(xp, name).reduce(xp.asarray(x), axis=axis), f"{n} {shape}")
            agrees(lambda xp: getattr(xp, name).reduce(xp.asarray(x)[..., ::-1], axis=axis, keepdims=True), f"{n} {shape}")
            agrees(lambda xp: getattr(xp, name).accumulate(xp.asarray(x), axis=axis), f"{n} {shape}")


@pytest.mark.parametrize("name", ["power", "arctan2"])
def test_where_numpys_vectors_run_ahead_of_themselves(name):
    """NumPy's loops of these two process several elements at once, including elements of the result
    that they still have to read."""
    x = abs(numbers(name, (40, 3)))
    expected = x[0]
    running = [expected]
    for row in x[1:]:
        expected = getattr(numpy, name)(expected, row)
        running.append(expected)
    numpy.testing.assert_allclose(numpy.asarray(getattr(np, name).reduce(np.asarray(x))), expected, rtol=1e-12)
    numpy.testing.assert_allclose(numpy.asarray(getattr(np, name).accumulate(np.asarray(x))), running, rtol=1e-12)
    numpy.testing.assert_allclose(numpy.asarray(getattr(np, name).reduceat(np.asarray(x), [0])), [expected], rtol=1e-12)


@pytest.mark.parametrize("name", ["hypot", "gcd"])
def test_one_negative_number_is_combined_with_the_identity(name):
    x = numpy.array([[-4, 3]]) if name == "gcd" else numpy.array([[-2.0, 0.5]])
    agrees(lambda xp: getattr(xp, name).reduce(xp.asarray(x)))
    agrees(lambda xp: getattr(xp, name).accumulate(xp.asarray(x)))
    agrees(lambda xp: getattr(xp, name).reduceat(xp.asarray(x), [0]))


@pytest.mark.parametrize("name", LEFT_TO_RIGHT + ASSOCIATIVE)
def test_masks_and_initial_values(name):
    random = numpy.random.RandomState(1)
    initial = 3 if name in INTEGERS else 1.5
    for n in (1, 2, 7, 40):
        x = numbers(name, (n, 3), n)
        for mask in (random.rand(n, 3) < 0.5, random.rand(n, 1) < 0.3, numpy.zeros((n, 3), bool), numpy.array([True, False, True])):
            agrees(lambda xp: getattr(xp, name).reduce(xp.asarray(x), where=xp.asarray(mask), initial=initial), f"{n}")
        agrees(lambda xp: getattr(xp, name).reduce(xp.asarray(x), initial=initial), f"{n}")


@pytest.mark.parametrize("name", ["bitwise_xor", "gcd", "hypot", "fmax"])
def test_several_axes_at_once(name):
    x = numbers(name, (4, 5, 6))
    for axis in (None, (0, 2), (1, 2), ()):
        agrees(lambda xp: getattr(xp, name).reduce(xp.asarray(x), axis=axis), str(axis))


@pytest.mark.parametrize("name", LEFT_TO_RIGHT + ASSOCIATIVE + ["add", "multiply", "maximum"])
def test_segments_of_every_length_and_order(name):
    x = numbers(name, (150, 2))
    for starts in ([0, 1, 3, 10, 60, 149], [0], [149], [7, 100], [5, 5, 5], [90, 3, 60, 0, 149, 120], [0, 0, 80], list(range(0, 150, 7))):
        agrees(lambda xp: getattr(xp, name).reduceat(xp.asarray(x), starts, axis=0), str(starts))
        agrees(lambda xp: getattr(xp, name).reduceat(xp.asarray(x).T, starts, axis=1), str(starts))


@pytest.mark.parametrize("name", LEFT_TO_RIGHT + ASSOCIATIVE + ["add", "multiply", "maximum"])
def test_places_that_are_named_often(name):
    random = numpy.random.RandomState(2)
    for size, n in ((1, 100), (4, 90), (50, 60)):  # runs of 100, of about 20, hardly any runs
        places, values = random.randint(-size, size, n), numbers(name, (n,), n)
        start = numbers(name, (size,), 5)

        def at(xp, dtype=None, a=start, values=values):
            result = xp.asarray(a if dtype is None else a.astype(dtype))
            if result is start:
                result = start.copy()
            getattr(xp, name).at(result, xp.asarray(places), xp.asarray(values))
            return result

        agrees(at, f"{size}")
        if name not in INTEGERS:
            agrees(lambda xp: at(xp, "i4", start * 8), f"{size}, cast back each time")  # noqa: B023
            agrees(lambda xp: at(xp, "f2"), f"{size}, rounded each time")  # noqa: B023


def test_strided_and_multidimensional_targets():
    places = numpy.random.RandomState(3).randint(0, 4, 80)

    def at(xp, view, index, name):
        base = xp.arange(48.0).reshape(8, 6)
        getattr(xp, name).at(view(base), index(xp), xp.asarray(numpy.arange(80.0) / 16))
        return base

    for name in ("subtract", "maximum", "add"):
        for view in (lambda a: a[::2], lambda a: a.T[:4, ::-1], lambda a: a[4:0:-1]):
            agrees(lambda xp: at(xp, view, lambda xp: (xp.asarray(places), xp.asarray(places[::-1])), name), name)  # noqa: B023
        agrees(lambda xp: at(xp, lambda a: a[:, 2], lambda xp: xp.asarray(places), name), name)  # noqa: B023


def test_unary_at_is_applied_as_often_as_a_place_is_named():
    def at(xp):
        x = xp.arange(5.0)
        xp.square.at(x, xp.asarray([2, 2, 2, 3, 0, -1, -1]))
        xp.negative.at(x, xp.asarray([2, 3, 3]))
        return x
    agrees(at)
