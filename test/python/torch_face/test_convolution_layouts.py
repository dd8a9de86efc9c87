"""Convolutions with sizes for all code paths: float32 uses oneDNN if installed; float64 uses our
own loops, by columns or direct sums. Both must agree with products of patches, in every layout."""
import pytest

import torch_np
import torch_np.nn.functional as F

SHAPES = [  # input, weight, stride, padding, dilation, groups
    ((3, 16, 19, 23), (24, 16, 3, 3), 1, 1, 1, 1),
    ((2, 40, 30, 30), (32, 40, 1, 1), 1, 0, 1, 1),
    ((2, 12, 33, 17), (12, 1, 3, 3), 2, 1, 1, 12),
    ((2, 12, 20, 20), (24, 1, 5, 5), 1, 2, 1, 12),
    ((2, 3, 150, 70), (3, 1, 3, 3), 1, 1, 2, 3),  # planes of several bands
    ((1, 2, 130, 90), (4, 1, 4, 3), 3, 2, 1, 2),
    ((5, 6, 3, 5), (6, 1, 3, 3), 1, 1, 1, 6),  # rows shorter than a register
    ((2, 40, 9, 8), (38, 20, 1, 1), 1, 0, 1, 2),
    ((2, 8, 21, 20), (6, 4, 3, 2), 2, 2, 2, 2),
    ((1, 3, 64, 64), (16, 3, 7, 7), 2, 3, 1, 1),
]


def numbers(*shape, seed, dtype):
    torch_np.manual_seed(seed)
    return torch_np.randn(*shape, dtype=torch_np.float64).to(dtype)


def by_patches(x, w, stride, padding, dilation, groups):
    """The convolution as products of the weight and patches, one group at a time."""
    patches = F.unfold(x, w.shape[2:], dilation, padding, stride)
    parts = []
    for g in range(groups):
        rows = patches.shape[1] // groups
        own = w.reshape(groups, -1, rows)[g]
        parts.append(own @ patches[:, g * rows:(g + 1) * rows])
    out = torch_np.cat(parts, 1)
    size = [(n + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], w.shape[2:])]
    return out.reshape(x.shape[0], w.shape[0], *size)


# Tolerances of sums of up to 400 products of normal numbers: float32 rounds each to 6e-8 of about
# 20.
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-11), ("float32", 3e-4)])
@pytest.mark.parametrize("last", [False, True], ids=["rows", "channels_last"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_and_gradients_are_those_of_products_of_patches(shape, last, dtype, tolerance):
    sizes, weights, *options = shape
    dtype = getattr(torch_np, dtype)
    x, w = numbers(*sizes, seed=1, dtype=dtype), numbers(*weights, seed=2, dtype=dtype)
    leaves = [x.to(memory_format=torch_np.channels_last) if last else x, w]
    expected = [x.to(torch_np.float64), w.to(torch_np.float64)]
    for t in leaves + expected:
        t.requires_grad = True
    result, wanted = F.conv2d(leaves[0], w, None, *options), by_patches(*expected, *options)
    assert result.is_contiguous(memory_format=torch_np.channels_last) == last
    scale = wanted.abs().max().item()
    assert (result - wanted).abs().max().item() < tolerance * scale
    above = numbers(*wanted.shape, seed=3, dtype=dtype)
    result.backward(above)
    wanted.backward(above.to(torch_np.float64))
    for got, exact in zip(leaves, expected):
        assert (got.grad - exact.grad).abs().max().item() < tolerance * exact.grad.abs().max().item()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_infinity_reaches_the_taps_that_meet_it_alone(dtype):
    x = torch_np.zeros(1, 2, 6, 5, dtype=getattr(torch_np, dtype))
    x[0, 1, 0, 4] = torch_np.inf  # a corner: of a 2 x 2 kernel without padding, only the upper right tap reads it
    w = torch_np.zeros(2, 1, 2, 2, dtype=x.dtype, requires_grad=True)
    y = F.conv2d(x, w, groups=2)
    y.backward(torch_np.ones_like(y))
    assert w.grad.tolist() == [[[[0, 0], [0, 0]]], [[[0, torch_np.inf], [0, 0]]]]


def test_transposed_is_the_transpose():
    """<conv(x), y> = <x, conv_transpose(y)> for all x and y."""
    x, w, y = (numbers(*s, seed=i, dtype=torch_np.float64) for i, s in enumerate([(2, 6, 15, 16), (8, 3, 3, 4), (2, 8, 8, 8)]))
    forward = F.conv2d(x, w, None, 2, (1, 1), 1, 2)
    back = F.conv_transpose2d(y, w, None, 2, (1, 1), (0, 0), 2)
    assert forward.shape == y.shape and back.shape == x.shape
    assert abs((forward * y).sum().item() - (x * back).sum().item()) < 1e-9


def test_results_do_not_depend_on_the_number_of_threads():
    x, w = numbers(4, 16, 32, 32, seed=4, dtype=torch_np.float64), numbers(16, 16, 3, 3, seed=5, dtype=torch_np.float64)
    before = torch_np.get_num_threads()
    try:
        results = []
        for threads in (1, before):
            torch_np.set_num_threads(threads)
            results.append(F.max_pool2d(F.conv2d(x, w, padding=1), 2))
    finally:
        torch_np.set_num_threads(before)
    assert (results[0] - results[1]).abs().max().item() < 1e-12


@pytest.mark.parametrize("pool", [lambda x: F.max_pool2d(x, 2), lambda x: F.max_pool2d(x, 3, 2, 1), lambda x: F.avg_pool2d(x, 3, 1, 1),
                                  lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), lambda x: F.pad(x, (1, 2, 3, 1), "reflect")])
def test_channels_last_pixels_give_the_same_numbers(pool):
    x = numbers(3, 70, 33, 31, seed=6, dtype=torch_np.float32)
    last = pool(x.to(memory_format=torch_np.channels_last))
    assert last.is_contiguous(memory_format=torch_np.channels_last)
    assert (last - pool(x)).abs().max().item() < 1e-6


BIASED = [  # channels in and out, groups
    (1, 1, 1), (1, 3, 1), (3, 1, 1), (3, 3, 1), (3, 4, 1), (16, 16, 1), (16, 32, 1), (32, 16, 1), (4, 4, 2), (6, 6, 3), (8, 8, 8), (32, 32, 2),
]
STEPS = [(1, 0, 1), (2, 1, 1), (1, 1, 2), (3, 2, 2)]  # stride, padding, dilation


def whole_numbers(shape, seed, dtype, most):
    """Integers, few enough that their sums of products are exact in every dtype, including those
    with 8 bits of precision."""
    torch_np.manual_seed(seed)
    return (torch_np.randint(-most, most + 1, shape) * (torch_np.rand(shape) < 0.25)).to(dtype)


@pytest.mark.parametrize("last", [False, True], ids=["rows", "channels_last"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("name", ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"])
def test_a_bias_is_added_to_every_channel(name, dtype, last):
    dims, dtype, transposed = int(name[-2]), getattr(torch_np, dtype), "transpose" in name
    formats = {2: torch_np.channels_last, 3: torch_np.channels_last_3d}
    if last and dims not in formats:
        pytest.skip("one spatial axis has one layout")
    f = getattr(F, name)
    for channels, out, groups in BIASED:
        lead = (channels, out // groups) if transposed else (out, channels // groups)
        for sizes, taps in (((5, 4, 6)[:dims], (3, 2, 3)[:dims]), ((1,) * dims, (1,) * dims)):
            x, w = whole_numbers((2, channels, *sizes), 1, dtype, 2), whole_numbers((*lead, *taps), 2, dtype, 1)
            b = torch_np.arange(out).to(dtype) - 1
            x = x.to(memory_format=formats[dims]) if last else x
            for stride, padding, dilation in STEPS if sizes[0] > 1 else [(1, 0, 1)]:
                options = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
                if all(n + 2 * padding > dilation * (k - 1) for n, k in zip(sizes, taps)):
                    without = f(x.double(), w.double(), **options)
                    assert without.abs().max() < 200  # exact in bfloat16
                    expected = (without + b.double().reshape(1, out, *[1] * dims)).to(dtype)
                    assert torch_np.equal(f(x, w, b, **options), expected), (channels, out, groups, options)


@pytest.mark.parametrize("dtype, whole", [("bfloat16", 256.0), ("float16", 2048.0)])
@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
def test_a_sum_of_16_bit_floats_and_a_bias_is_rounded_once(name, dtype, whole):
    dtype = getattr(torch_np, dtype)
    x = torch_np.zeros(2, 16, 5, 5, dtype=dtype)
    x[:, 0], x[:, 1] = whole, 1
    result = getattr(F, name)(x, torch_np.ones(16, 16, 1, 1, dtype=dtype), torch_np.ones(16, dtype=dtype))
    assert (result == whole + 2).all()  # whole + 1 is not representable in the dtype


@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
def test_the_gradient_of_a_bias_is_the_sum_over_its_channel(name):
    x, w = numbers(2, 3, 5, 5, seed=1, dtype=torch_np.float32), numbers(3, 3, 3, 3, seed=2, dtype=torch_np.float32)
    b = torch_np.zeros(3, requires_grad=True)
    y = getattr(F, name)(x, w, b)
    y.sum().backward()
    assert b.grad.tolist() == [y[:, 0].numel()] * 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"])
@pytest.mark.parametrize("channels, groups", [(1, 1), (16, 1), (4, 4)])
def test_the_stride_of_one_place_and_the_dilation_of_one_tap_may_be_as_large_as_an_integer_can_be(name, channels, groups, dtype):
    dims, dtype, transposed = int(name[-2]), getattr(torch_np, dtype), "transpose" in name
    for size, taps, options in ((1 if transposed else 5, 3, "stride"), (5, 1, "dilation")):
        results = []
        for number in (7, 2 ** 62, 2 ** 63 - 1):
            x, w = whole_numbers((2, channels) + (size,) * dims, 1, dtype, 2), whole_numbers((channels, channels // groups) + (taps,) * dims, 2, dtype, 1)
            x.requires_grad, w.requires_grad = True, True
            y = getattr(F, name)(x, w, groups=groups, **{options: number})
            y.backward(torch_np.ones_like(y))
            results.append((y, x.grad, w.grad))
        for other in results[1:]:
            assert all(torch_np.equal(a, b) for a, b in zip(results[0], other)), (options, size)
