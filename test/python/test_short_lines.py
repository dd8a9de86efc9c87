"""Short innermost dimensions go in blocks: every length and every layout is compared with NumPy."""

import numpy
import pytest

import torch_np
import torch_np.numpy as np

LENGTHS = [*range(1, 36), 47, 48, 63, 64, 65, 70]


def values(shape, dtype="float32", seed=0):
    x = numpy.random.default_rng(seed).integers(-50, 50, shape).astype(dtype)
    return x / 8 if numpy.dtype(dtype).kind in "fc" else x


def layouts(n, dtype="float32"):
    """(name, array of shape (5, 60, n)) pairs: one operand each of a kind that a block takes in its own way."""
    x = values((5, 60, n), dtype)
    wide = values((10, 61, 2 * n + 3), dtype, 1)
    yield "contiguous", x
    yield "rows apart", wide[:5, 1:, 2:n + 2]
    yield "every second", wide[::2, :60, :2 * n:2]
    yield "reversed", x[:, :, ::-1]
    yield "rows reversed", x[::-1, ::-1]
    yield "columns", values((n, 60, 5), dtype, 2).T
    yield "line repeated", numpy.broadcast_to(x[:, :1], x.shape)
    yield "one line", numpy.broadcast_to(x[0, 0], x.shape)
    yield "one a line", numpy.broadcast_to(x[:, :, :1], x.shape)
    yield "one a plane", numpy.broadcast_to(x[:, :1, :1], x.shape)
    yield "constant", numpy.broadcast_to(x[0, 0, 0], x.shape)


@pytest.mark.parametrize("n", LENGTHS)
def test_every_pair_of_layouts(n):
    operands = list(layouts(n))
    for first, a in operands:
        for second, b in operands:
            result = numpy.asarray(np.subtract(np.asarray(a), np.asarray(b)))
            numpy.testing.assert_array_equal(result, a - b, err_msg=f"{first} - {second}")


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 16, 31, 40, 63])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "float16", "float64", "complex64", "complex128"])
def test_every_width_of_elements_and_casts(n, dtype):
    for name, a in layouts(n, dtype):
        b = values((60, 1), "float32")
        x = np.asarray(a)
        numpy.testing.assert_array_equal(numpy.asarray(~x if dtype == "bool" else -x), ~a if dtype == "bool" else -a, err_msg=name)
        numpy.testing.assert_array_equal(numpy.asarray(np.asarray(a) * np.asarray(b)), a * b, err_msg=name)


@pytest.mark.parametrize("n", [1, 3, 4, 7, 16, 30, 64])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_outputs_of_every_layout_with_and_without_a_mask(n, dtype):
    mask = numpy.random.default_rng(3).random((5, 60, n)) < 0.5
    places = {
        "rows apart": (slice(0, 5), slice(1, 61), slice(2, n + 2)),
        "every second": (slice(None, None, 2), slice(0, 60), slice(0, 2 * n, 2)),
        "reversed": (slice(5, 0, -1), slice(60, 0, -1), slice(n + 1, 1, -1)),
    }
    for place, piece in places.items():
        for kind, a in layouts(n):
            for where in (True, mask, mask[:1, :, :1], mask[0, :1]):
                want = values((10, 61, 2 * n + 3), dtype)
                got = np.array(want)
                numpy.add(a, 1, out=want[piece], where=where)
                np.add(np.asarray(a), 1, out=got[piece], where=where if where is True else np.asarray(where))
                numpy.testing.assert_array_equal(numpy.asarray(got), want, err_msg=f"{kind} into {place}")


@pytest.mark.parametrize("shape", [(3, 2, 200), (2, 3, 2, 3, 50), (40, 33, 31), (7, 1, 5, 300, 3)])
def test_several_short_dimensions(shape):
    rng = numpy.random.default_rng(sum(shape))
    x = values(shape)
    for _ in range(30):
        order = rng.permutation(len(shape))
        small = values([n if rng.random() < 0.5 else 1 for n in shape], "float64", 1)
        a, b = x.transpose(order), small.transpose(order)
        numpy.testing.assert_array_equal(numpy.asarray(np.asarray(a) - np.asarray(b)), a - b)


def test_inputs_that_overlap_the_output_are_read_first():
    want = values((300, 8))
    got = np.array(want)
    want[:, 3:6] += want[:, 2:5]
    got[:, 3:6] += got[:, 2:5]
    numpy.testing.assert_array_equal(numpy.asarray(got), want)
    want[1:, :3] -= want[:-1, :3]
    got[1:, :3] -= got[:-1, :3]
    numpy.testing.assert_array_equal(numpy.asarray(got), want)


def test_copyto_leaves_what_its_mask_excludes():
    want = values((300, 8))
    got = np.array(want)
    where = numpy.arange(900).reshape(300, 3) % 2 == 0
    numpy.copyto(want[:, 3:6], values((300, 1)), where=where)
    np.copyto(got[:, 3:6], np.asarray(values((300, 1))), where=np.asarray(where))
    numpy.testing.assert_array_equal(numpy.asarray(got), want)


def test_threads_share_blocks_without_a_difference():
    a, b = np.asarray(values((700, 16))), np.asarray(values((701, 16), seed=1))
    before = torch_np.get_num_threads()
    try:
        results = []
        for threads in (1, 4):
            torch_np.set_num_threads(threads)
            d = a[:, None] - b[None]
            results.append(numpy.asarray(d))
    finally:
        torch_np.set_num_threads(before)
    numpy.testing.assert_array_equal(results[0], results[1])
    numpy.testing.assert_array_equal(results[0], numpy.asarray(a)[:, None] - numpy.asarray(b)[None])
