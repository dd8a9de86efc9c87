"""Transposed convolutions and gradients of inputs, which are computed phase by phase of the stride (Note [Phases]), against the definition:
the element i of the input adds its products with the weight to the places i * stride - padding + k."""
import itertools

import numpy
import pytest

import torch_np
import torch_np.nn.functional as F

RNG = numpy.random.default_rng(7)
FUNCTIONS = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
# sizes, kernel, stride, padding, output padding, dilation
CASES = [
    ((9,), (4,), (2,), (1,), (0,), (1,)), ((9,), (2,), (3,), (0,), (2,), (1,)), ((9,), (5,), (1,), (4,), (0,), (1,)), ((9,), (1,), (4,), (0,), (3,), (1,)),
    ((3,), (7,), (2,), (5,), (1,), (1,)), ((9,), (3,), (2,), (2,), (1,), (2,)), ((1,), (3,), (2,), (1,), (0,), (1,)),
    ((6, 7), (3, 4), (2, 1), (1, 2), (1, 0), (1, 1)), ((6, 7), (3, 3), (2, 2), (0, 0), (0, 0), (1, 1)), ((6, 7), (2, 5), (3, 3), (1, 1), (2, 0), (1, 1)),
    ((6, 7), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1)), ((6, 7), (4, 4), (1, 1), (3, 3), (0, 0), (1, 1)), ((6, 7), (3, 2), (4, 3), (0, 1), (0, 0), (1, 1)),
    ((4, 5, 6), (3, 5, 2), (2, 1, 1), (0, 4, 2), (0, 0, 0), (1, 1, 1)), ((4, 5, 6), (3, 2, 3), (2, 2, 2), (1, 1, 0), (1, 0, 1), (1, 1, 1)),
    ((3, 4, 5), (2, 2, 2), (3, 3, 3), (0, 0, 0), (0, 1, 2), (1, 1, 1)),
]


def transposed(x, weight, bias, stride, padding, output_padding, dilation):
    """The definition. x (n, channels, ...), weight (channels, outputs, ...)."""
    kernel = weight.shape[2:]
    full = [(n - 1) * s + d * (k - 1) + 1 + p for n, s, d, k, p in zip(x.shape[2:], stride, dilation, kernel, output_padding)]
    out = numpy.zeros((x.shape[0], weight.shape[1], *full))
    for tap in itertools.product(*map(range, kernel)):
        places = tuple(slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in zip(tap, dilation, x.shape[2:], stride))
        out[(slice(None), slice(None), *places)] += numpy.einsum("nc...,co->no...", x, weight[(slice(None), slice(None), *tap)])
    inside = tuple(slice(p, size - p) for p, size in zip(padding, full))
    return out[(slice(None), slice(None), *inside)] + bias.reshape(-1, *[1] * len(kernel))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("channels", [(2, 3), (16, 33)])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_are_those_of_the_definition(case, channels, dtype):
    sizes, kernel, stride, padding, output_padding, dilation = case
    x, weight, bias = (RNG.normal(size=shape) for shape in ((3, channels[0], *sizes), (*channels, *kernel), channels[1:]))
    expected = transposed(x, weight, bias, stride, padding, output_padding, dilation)
    a, w, b = (torch_np.tensor(v, dtype=getattr(torch_np, dtype)) for v in (x, weight, bias))
    got = FUNCTIONS[len(sizes)](a, w, b, stride, padding, output_padding, 1, dilation)
    numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=0, atol=3e-5 * numpy.abs(expected).max() if dtype == "float32" else 1e-11)
    if len(sizes) > 1:
        last = torch_np.channels_last if len(sizes) == 2 else torch_np.channels_last_3d
        same = FUNCTIONS[len(sizes)](a.to(memory_format=last), w, b, stride, padding, output_padding, 1, dilation)
        numpy.testing.assert_allclose(numpy.asarray(same), numpy.asarray(got), rtol=0, atol=1e-3 if dtype == "float32" else 1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", [c for c in CASES if c[5] == (1,) * len(c[5])], ids=str)
def test_gradients_of_inputs_are_transposed_convolutions(case, dtype):
    sizes, kernel, stride, padding, output_padding, dilation = case
    grad, weight = RNG.normal(size=(2, 6, *sizes)), RNG.normal(size=(6, 5, *kernel))
    expected = transposed(grad, weight, numpy.zeros(5), stride, padding, output_padding, dilation)
    x = torch_np.zeros(*expected.shape, dtype=getattr(torch_np, dtype)).requires_grad_()
    convolved = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[len(sizes)](x, torch_np.tensor(weight, dtype=x.dtype), None, stride, padding)
    (got,) = torch_np.autograd.grad(convolved, x, torch_np.tensor(grad, dtype=x.dtype))
    numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=0, atol=3e-5 * numpy.abs(expected).max() if dtype == "float32" else 1e-11)
