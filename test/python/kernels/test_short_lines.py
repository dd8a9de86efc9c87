"""Short dimensions: pointwise operators process them in blocks, and reductions transpose them.
Every length and every layout is compared with NumPy."""

import numpy
import pytest

import torch_np
import torch_np.numpy as np

LENGTHS = [*range(1, 36), 47, 48, 63, 64, 65, 70]


def values(shape, dtype="float32", seed=0):
    x = numpy.random.default_rng(seed).integers(-50, 50, shape).astype(dtype)
    return x / 8 if numpy.dtype(dtype).kind in "fc" else x


def layouts(n, dtype="float32"):
    """(name, array of shape (5, 60, n)) pairs: one operand for each way in which a block reads its
    operands."""
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
            results.append((numpy.asarray(d), numpy.asarray((d / 3).sum(-1)), numpy.asarray((d / 3).sum(0))))
    finally:
        torch_np.set_num_threads(before)
    for one, four in zip(*results):
        numpy.testing.assert_array_equal(one, four)
    numpy.testing.assert_array_equal(results[0][0], numpy.asarray(a)[:, None] - numpy.asarray(b)[None])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 63, 64, 65])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "complex64", "int16"])
@pytest.mark.parametrize("op", ["sum", "max", "min", "argmax", "argmin", "any", "mean", "var"])
def test_reductions_of_short_rows(op, dtype, n):
    for name, x in layouts(n, dtype):
        for axis in (-1, (0, -1)) if not op.startswith("arg") else (-1,):
            want = getattr(numpy, op)(x, axis=axis)
            got = numpy.asarray(getattr(np, op)(np.asarray(x), axis=axis))
            assert got.dtype == want.dtype
            numpy.testing.assert_allclose(got, want, rtol=2e-5 if got.dtype.itemsize <= 8 else 1e-13, atol=1e-4, err_msg=name)
    windows = numpy.lib.stride_tricks.sliding_window_view(values((99,), dtype), n)
    want, got = getattr(numpy, op)(windows, axis=1), numpy.asarray(getattr(np, op)(np.asarray(windows), axis=1))
    numpy.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-4)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("op", ["max", "min", "argmax", "argmin", "sum"])
def test_a_nan_anywhere_in_a_short_row_is_found(op, n):
    for dtype in ("float32", "float64"):
        x = values((n + 1, n), dtype)
        x[numpy.arange(n), numpy.arange(n)] = numpy.nan   # at another position in each row, and none in the last rows
        numpy.testing.assert_array_equal(numpy.asarray(getattr(np, op)(np.asarray(x), axis=1)), getattr(numpy, op)(x, axis=1))
        numpy.testing.assert_array_equal(numpy.asarray(getattr(np, op)(np.asarray(x), axis=0)), getattr(numpy, op)(x, axis=0))


@pytest.mark.parametrize("n", [1, 3, 15, 16, 17, 31, 63, 64, 65, 100, 127, 128, 129, 500])
def test_the_extremum_may_be_anywhere_in_a_row(n):
    for dtype in ("float32", "float64"):
        x = -numpy.ones((n, n), dtype) + 3 * numpy.eye(n, dtype=dtype)
        for sign in (1, -1):
            rows = np.asarray(sign * x)
            numpy.testing.assert_array_equal(numpy.asarray((np.max if sign > 0 else np.min)(rows, axis=1)), numpy.full(n, 2 * sign))
            numpy.testing.assert_array_equal(numpy.asarray((np.argmax if sign > 0 else np.argmin)(rows, axis=1)), numpy.arange(n))
            # the surrounding elements are larger
            inside = np.asarray(sign * numpy.pad(x, 1, constant_values=9))[1:-1, 1:-1]
            numpy.testing.assert_array_equal(numpy.asarray((np.max if sign > 0 else np.min)(inside, axis=1)), numpy.full(n, 2 * sign))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 20, 64])
def test_initial_where_and_out_of_short_rows(n):
    x = values((60, n))
    mask = numpy.random.default_rng(0).random(x.shape) < 0.5
    numpy.testing.assert_array_equal(numpy.asarray(np.max(np.asarray(x), axis=1, initial=2)), numpy.max(x, axis=1, initial=2))
    numpy.testing.assert_array_equal(numpy.asarray(np.sum(np.asarray(x), axis=1, initial=2)), numpy.sum(x, axis=1, initial=2))
    numpy.testing.assert_array_equal(numpy.asarray(np.sum(np.asarray(x), axis=1, where=np.asarray(mask))), numpy.sum(x, axis=1, where=mask))
    for dtype in ("float32", "float64"):
        out, want = np.zeros((120, 2), dtype=dtype), numpy.zeros((120, 2), dtype)
        np.sum(np.asarray(x), axis=1, out=out[::-2, 1])
        numpy.sum(x, axis=1, out=want[::-2, 1])
        numpy.testing.assert_array_equal(numpy.asarray(out), want)


@pytest.mark.parametrize("n", [5, 8, 16, 17, 23, 40, 47, 63, 64])
@pytest.mark.parametrize("axis", [0, 1])
def test_short_sums_are_as_accurate_as_numpys(axis, n):
    x = numpy.random.default_rng(n).random((20_000, n)).astype("float32")
    x = x if axis else numpy.ascontiguousarray(x.T)
    exact = x.astype("float64").sum(axis)
    def error(total):
        return numpy.sqrt(((total - exact) ** 2).mean())
    # 3%: 20,000 random rows differ by that much between the two orders of summation. Worse orders
    # are off by 10% or more.
    assert error(numpy.asarray(np.sum(np.asarray(x), axis=axis))) <= 1.03 * error(numpy.sum(x, axis=axis))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 12, 31, 32, 33, 64])
@pytest.mark.parametrize("rows", [1, 2, 7, 8, 41, 128, 1000, 70_001])
def test_reductions_over_rows_of_few_columns(rows, n):
    x = values((rows, n))
    x[rows // 2, n // 2] = 9
    for op in ("sum", "max", "min", "argmax", "var", "any", "count_nonzero"):
        for array in (x, x[::-1], x.astype("int32"), x[:, ::-1]):
            # In float64, since NumPy adds rows one after the other, with an error beyond the
            # tolerance.
            want, got = getattr(numpy, op)(array.astype("float64"), axis=0), numpy.asarray(getattr(np, op)(np.asarray(array), axis=0))
            numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-2 if op == "sum" else 0, err_msg=op)
    x[-1, -1] = numpy.nan
    numpy.testing.assert_array_equal(numpy.asarray(np.max(np.asarray(x), axis=0)), numpy.max(x, axis=0))
    numpy.testing.assert_array_equal(numpy.asarray(np.sum(np.asarray(x), axis=0)), numpy.sum(x, axis=0))
