"""Operands that are dense along another dimension than the result: they are transposed tile by tile
(Note [Transposed operands])."""
import numpy
import pytest

import torch_np.numpy as np
from layouts import ours, theirs

SHAPES = [(64, 64), (16, 64), (15, 64), (63, 63), (65, 130), (130, 257), (300, 64), (64, 300), (33, 1000), (256, 256)]
DTYPES = ["f4", "f8", "f2", "i1", "i8", "c16", "?"]


def numbers(shape, dtype, seed=0):
    x = numpy.random.default_rng(seed).integers(0, 60, shape)
    return (x % 2).astype(dtype) if dtype == "?" else x.astype(dtype)


def same(got, expected, what):
    got = theirs(got)
    assert got.dtype == expected.dtype and got.strides == expected.strides, what
    numpy.testing.assert_array_equal(got, expected, err_msg=str(what))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_two_dimensions(shape, dtype):
    a, b = numbers(shape, dtype), numbers(shape[::-1], dtype, 1)
    row, wide = numbers(shape[1:], dtype, 2), numbers((shape[1] * 2, shape[0] + 3), dtype, 3)
    column = numbers((shape[0], 1), dtype, 4)
    for name, other in {"transposed": b.T, "with gaps": wide[::2, 1:-2].T, "backwards": b[::-1].T, "columns backwards": b[:, ::-1].T}.items():
        for call in (lambda x, y, r, c: x + y, lambda x, y, r, c: y + x, lambda x, y, r, c: x == y, lambda x, y, r, c: y * r, lambda x, y, r, c: c + y):
            same(call(ours(a), ours(other), ours(row), ours(column)), call(a, other, row, column), (name, shape))


@pytest.mark.parametrize("shape", [(64, 70), (130, 257)])
def test_casts_masks_and_outputs(shape):
    a, b, c = numbers(shape, "f8"), numbers(shape[::-1], "i4", 1), numbers(shape[::-1], "?", 2)
    same(ours(a) + ours(b).T, a + b.T, "cast")
    same(np.where(ours(c).T, ours(a), ours(b).T), numpy.where(c.T, a, b.T), "where")
    for out, mask in ((numpy.full(shape, 7.0), c.T), (numpy.full(shape[::-1], 7.0).T, c.T), (numpy.full(shape, 7.0), a > 30)):
        got = ours(out.copy(order="K"))
        numpy.add(a, b.T, out=out, where=mask)
        np.add(ours(a), ours(b).T, out=got, where=ours(mask))
        numpy.testing.assert_array_equal(theirs(got), out)
    unaligned = numpy.frombuffer(b"x" + b.astype("f8").tobytes(), "f8", offset=1).reshape(b.shape)
    same(np.asarray(a) * np.asarray(unaligned).T, a * unaligned.T, "unaligned")


def test_more_dimensions():
    a, b = numbers((5, 70, 3, 80), "f4"), numbers((80, 3, 5, 70), "f4", 1)
    for axes in ((2, 3, 1, 0), (3, 2, 1, 0)):
        y = numbers(tuple(numpy.array([5, 70, 3, 80])[numpy.argsort(axes)]), "f4", 1).transpose(axes)
        same(ours(a) + ours(y), a + y, axes)
    same(ours(a) - ours(b.transpose(2, 3, 1, 0)), a - b.transpose(2, 3, 1, 0), "batched")
    same(ours(a) * ours(b[:, :1].transpose(2, 3, 1, 0)), a * b[:, :1].transpose(2, 3, 1, 0), "repeated")


def test_with_itself_in_place():
    for n in (64, 100, 257):
        a = numbers((n, n), "f8")
        b = np.array(a)
        a += a.T
        b += b.T
        numpy.testing.assert_array_equal(theirs(b), a)


def test_complex_numbers_aligned_as_floats():
    x = numpy.arange(2 * 70 * 70 + 1, dtype="f4")[1:].view("c8").reshape(70, 70)
    same(ours(x) + ours(x).T, x + x.T, "complex64")
