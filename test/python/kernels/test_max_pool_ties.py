"""Max pooling by loops: the first of equal elements wins, and the last NaN."""
import itertools

import numpy
import pytest

import torch_np as torch

RANDOM = numpy.random.default_rng(0)


def pooled(plane, windows):
    """The largest element of each window and its place. `windows`: for each axis, the inputs of each output."""
    out = tuple(map(len, windows))
    values, places = numpy.empty(out, plane.dtype), numpy.empty(out, numpy.int64)
    for o in itertools.product(*map(range, out)):
        best = None
        for i in itertools.product(*(w[n] for w, n in zip(windows, o))):
            x = plane[i]
            if best is None or x > plane[best] or x != x:
                best = i
        values[o], places[o] = plane[best], numpy.ravel_multi_index(best, plane.shape)
    return values, places


def sliding(size, kernel, stride, padding, dilation):
    count = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    taps = [range(o * stride - padding, o * stride - padding + dilation * kernel, dilation) for o in range(count)]
    return [[i for i in t if 0 <= i < size] for t in taps]


def data(shape, dtype):
    a = RANDOM.integers(0, 4, shape).astype(dtype)  # many are equal
    if a.dtype.kind == "f":
        a[RANDOM.random(shape) < 0.1] = numpy.nan
    return a


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "int8"])
@pytest.mark.parametrize("kernel, stride, padding, dilation", [((3,), (2,), (1,), (1,)), ((2, 3), (1, 2), (1, 0), (1, 2)), ((3, 3), (2, 2), (1, 1), (1, 1)),
                                                               ((2, 2, 3), (2, 1, 2), (1, 0, 1), (1, 1, 1))])
def test_windows(dtype, kernel, stride, padding, dilation):
    dims = len(kernel)
    a = data((1, 2, *(9, 7, 8)[:dims]), dtype)
    values, places = getattr(torch.nn.functional, f"max_pool{dims}d")(torch.tensor(a), kernel, stride, padding, dilation, return_indices=True)
    for channel in range(2):
        windows = [sliding(*x) for x in zip(a.shape[2:], kernel, stride, padding, dilation)]
        expected, where = pooled(a[0, channel], windows)
        numpy.testing.assert_array_equal(values[0, channel].cpu().numpy(), expected)
        numpy.testing.assert_array_equal(places[0, channel].cpu().numpy(), where)


@pytest.mark.parametrize("size", [(9, 8), (6, 7, 9)])
def test_fractional_windows(size):
    dims, kernel = len(size), (2, 3, 2)[:len(size)]
    a, samples = data((1, 2, *size), "float64"), RANDOM.random((1, 2, dims))
    values, places = getattr(torch.nn.functional, f"fractional_max_pool{dims}d")(
        torch.tensor(a), kernel, (3,) * dims, return_indices=True, _random_samples=torch.tensor(samples))
    for channel in range(2):
        windows = []
        for axis in range(dims):
            u = samples[0, channel, dims - 1 - axis if dims == 2 else axis]
            alpha = (size[axis] - kernel[axis]) / 2
            starts = [int((o + u) * alpha) - int(u * alpha) for o in range(2)] + [size[axis] - kernel[axis]]
            windows.append([range(s, s + kernel[axis]) for s in starts])
        expected, where = pooled(a[0, channel], windows)
        numpy.testing.assert_array_equal(values[0, channel].cpu().numpy(), expected)
        numpy.testing.assert_array_equal(places[0, channel].cpu().numpy(), where)
