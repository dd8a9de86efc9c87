"""Kernels that process whole registers: every length around that of a register, its remainder, and
blocks, compared with NumPy or exact sums. `make test-isa` runs this on each instruction set."""

import math

import numpy
import pytest

import torch_np.numpy as np

LENGTHS = [*range(1, 160), 255, 256, 257, 1000, 2047, 2048, 2049, 4096, 4100, 70_001]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_every_length(dtype):
    x = numpy.random.default_rng(0).standard_normal(LENGTHS[-1]).astype(dtype)
    for n in LENGTHS:
        for start in (0, 1):  # at any offset within a register
            part = x[start:n]
            exact = math.fsum(part)
            # Pairwise summation rounds log2(n) times, and each lane up to 32 times.
            bound = (math.log2(n) + 33) * numpy.finfo(dtype).eps * math.fsum(abs(part))
            assert abs(float(np.sum(np.asarray(part))) - exact) <= bound
            if len(part) > 1:
                mean = float(part.mean(dtype="float64"))
                squares = math.fsum((float(v) - mean) ** 2 for v in part)
                assert float(np.var(np.asarray(part))) * len(part) == pytest.approx(squares, rel=1e-4, abs=1e-6)


def test_whole_numbers_are_summed_exactly():
    for dtype in ("float32", "float64", "int64", "uint64", "int32", "uint8", "bool"):
        x = (numpy.arange(LENGTHS[-1]) % 7).astype(dtype)
        for n in LENGTHS:
            assert np.sum(np.asarray(x[:n])) == int(x[:n].astype("int64").sum())
            assert np.count_nonzero(np.asarray(x[:n])) == numpy.count_nonzero(x[:n])


def test_rows_of_every_length():
    x = (numpy.random.default_rng(1).integers(-50, 50, (9, 4200)) / 8).astype("float32")
    for n in LENGTHS[:-1]:
        rows = x[:, :n]
        assert (numpy.asarray(np.sum(np.asarray(rows), axis=1)) == rows.sum(axis=1, dtype="float64")).all()


def test_nothing_but_minus_zero_stays_minus_zero():
    for n in (1, 15, 16, 17, 100, 128, 129, 3000):
        x = np.full(n, -0.0, "float32")
        assert numpy.signbit(numpy.asarray(np.mean(x)))
        assert numpy.signbit(numpy.asarray(np.mean(x.reshape(1, n), axis=1))).all()
        x[n // 2] = 0.0
        assert not numpy.signbit(numpy.asarray(np.sum(x)))


def test_what_was_read_twice_is_not_added_twice():
    # The sum of two such numbers overflows, a single one does not: no overflow may be reported,
    # either.
    x = numpy.zeros(17, "float32")
    x[3] = numpy.finfo("float32").max
    with numpy.errstate(all="raise"):
        assert np.sum(np.asarray(x)) == x[3]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint32", "uint64", "int8", "float16"])
def test_the_first_extremum(dtype):
    rng = numpy.random.default_rng(2)
    for n in LENGTHS:
        for kinds in (2, 1000):
            x = rng.integers(0, min(kinds, 127), n).astype(dtype)
            assert np.argmax(np.asarray(x)) == numpy.argmax(x)
            assert np.argmin(np.asarray(x)) == numpy.argmin(x)
        lowest = numpy.full(n, -numpy.inf if numpy.dtype(dtype).kind == "f" else numpy.iinfo(dtype).min, dtype)
        assert np.argmax(np.asarray(lowest)) == 0
        lowest[n - 1] = 1
        assert np.argmax(np.asarray(lowest)) == n - 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_first_nan_is_the_extremum(dtype):
    for n in LENGTHS:
        for at in {0, n // 3, n - 1}:
            x = numpy.arange(n, dtype=dtype)
            x[at:] = numpy.nan
            assert np.argmax(np.asarray(x)) == np.argmin(np.asarray(x)) == at
    signed = numpy.array([-0.0, 0.0] * 40, dtype)
    assert np.argmax(np.asarray(signed)) == np.argmin(np.asarray(signed)) == 0


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("share", [0, 0.02, 0.3, 0.9, 1])
def test_nonzero_of_every_length(dtype, share):
    rng = numpy.random.default_rng(3)
    for n in [*LENGTHS, 16383, 16384, 16385]:
        x = (rng.random(n) < share).astype(dtype)
        assert (numpy.asarray(np.nonzero(np.asarray(x))[0]) == x.nonzero()[0]).all()
    matrix = (rng.random((301, 130)) < share).astype(dtype)
    for x in (matrix, matrix[:, 1:129], matrix[:, ::2], matrix.T, matrix[::-1, ::-1]):
        for ours, theirs in zip(np.nonzero(np.asarray(x)), x.nonzero(), strict=True):
            assert (numpy.asarray(ours) == theirs).all()


def test_nonzero_knows_minus_zero_nan_and_subnormal_numbers():
    for dtype in ("float16", "float32", "float64"):
        x = numpy.zeros(200, dtype)
        x[::3], x[1::9], x[2::9] = -0.0, numpy.nan, numpy.finfo(dtype).smallest_subnormal
        assert (numpy.asarray(np.nonzero(np.asarray(x))[0]) == x.nonzero()[0]).all()


def test_nonzero_of_foreign_bools():
    x = numpy.arange(256, dtype="uint8").view(bool)
    assert (numpy.asarray(np.nonzero(np.asarray(x))[0]) == numpy.arange(1, 256)).all()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex64", "complex128"])
def test_transposed_copies_of_every_shape(dtype):
    rng = numpy.random.default_rng(4)
    sides = [16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 255, 256, 300]
    for rows, columns in [*((a, b) for a in sides for b in sides[:5] + [129, 256]), (1024, 70), (70, 1024), (512, 512)]:
        x = rng.integers(0, 100, (rows, columns + 3)).astype(dtype)
        for view in (x[:, :columns], x):
            assert (numpy.asarray(np.ascontiguousarray(np.asarray(view).T)) == view.T).all()


def test_copies_from_and_to_every_byte():
    source = numpy.random.default_rng(5).integers(0, 256, 9000).astype("uint8")
    x = np.asarray(source)
    for n in (2000, 2047, 2048, 2049, 2080, 4096, 8000):
        for a in (*range(0, 34), 63, 64, 65):
            target = np.zeros(9000, "uint8")
            target[a:a + n] = x[7:7 + n]
            got = numpy.asarray(target)
            assert (got[a:a + n] == source[7:7 + n]).all() and not got[:a].any() and not got[a + n:].any()
    for step in (1, 5, 33, 1500):  # assignment to itself
        forth, back = np.array(x), np.array(x)
        forth[step:] = forth[:-step]
        back[:-step] = back[step:]
        assert (numpy.asarray(forth)[step:] == source[:-step]).all() and (numpy.asarray(back)[:-step] == source[step:]).all()


def test_counting_looks_for_negative_numbers_everywhere():
    for n in (1, 2, 9, 1000, 50_001):
        for at in {0, n // 2, n - 1}:
            x = numpy.arange(n) % 13
            assert (numpy.asarray(np.bincount(np.asarray(x))) == numpy.bincount(x)).all()
            x[at] = -1
            with pytest.raises(ValueError, match="negative"):
                np.bincount(np.asarray(x))
