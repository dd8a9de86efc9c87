"""Reductions and scans with dtype=, out= or initial=: values, dtypes and errors as NumPy's."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np
from same_as_numpy import agrees

DTYPES = ["?", "u1", "i1", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
INTEGERS = ["?", "u1", "i1", "u4", "i8"]


def samples(dtype):
    """Arrays whose sums are zero, wrap around or are exact in every dtype; with no, one and many
    elements, in several layouts."""
    rng = numpy.random.default_rng(0)
    for values in ([1, -1], [0.5, 0.25], [0, 0], [], [200, 100], [3, 0, 5, 1], rng.integers(0, 3, 300)):
        a = numpy.array(values).astype(dtype)
        yield a
        yield a[::-2]
    yield rng.integers(0, 3, (4, 6)).astype(dtype).T[::-1]
    yield numpy.array(2).astype(dtype)


@pytest.mark.parametrize("wanted", ["?", "u1", "i8"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "add.reduce", "multiply.reduce", "add.accumulate", "multiply.accumulate", "nansum"])
def test_sums_in_a_dtype_asked_for(name, dtype, wanted):
    def call(xp, a, **options):
        f = xp
        for part in name.split("."):
            f = getattr(f, part)
        return f(xp.asarray(a), dtype=wanted, **options)

    for a in samples(dtype):
        agrees(lambda xp: call(xp, a), f"{name} of {a.dtype} {a.shape}", exact=True)  # noqa: B023
        if a.ndim:
            agrees(lambda xp: call(xp, a, axis=-1), f"{name} of {a.dtype} {a.shape} along the last axis", exact=True)  # noqa: B023


@pytest.mark.parametrize("out", ["?", "u1", "i1", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "add.reduce", "add.accumulate", "max", "mean", "var", "std", "any"])
def test_sums_into_arrays_of_other_dtypes(name, dtype, out):
    def call(xp, a, **options):
        f = xp
        for part in name.split("."):
            f = getattr(f, part)
        shape = a.shape if "cum" in name or "accumulate" in name else ()
        target = xp.zeros(shape, dtype=out)
        assert f(xp.asarray(a), out=target, **options) is target
        return target

    for values in ([1, 2], [0, 4, 0], [5, 5, 5, 7], [0, 0]):
        a = numpy.array(values).astype(dtype)
        if name in ("mean", "var", "std") and (dtype == "f2" or dtype in ("f4", "c8") and out in ("f8", "c16")):
            continue  # NumPy sums in the dtype of the output, ours in float32
        agrees(lambda xp: call(xp, a), f"{name} of {a.dtype} into {out}", exact=out != "f4" and "f2" not in (dtype, out))  # noqa: B023
        if name in ("mean", "var"):
            agrees(lambda xp: call(xp, a, dtype="i8"), f"{name} of {a.dtype} by i8 into {out}")  # noqa: B023
        if name in ("sum", "cumsum"):
            agrees(lambda xp: call(xp, a, dtype="u1"), f"{name} of {a.dtype} by u1 into {out}", exact=True)  # noqa: B023


def test_reduceat_in_a_dtype_asked_for_and_into_arrays_of_others():
    a = numpy.array([1, -1, 0, 2, -2, 0])
    agrees(lambda xp: xp.add.reduceat(xp.asarray(a), [0, 2, 3], dtype=bool), exact=True)
    agrees(lambda xp: xp.add.reduceat(xp.asarray(a.astype(bool)), [0, 2, 3], out=xp.zeros(3, bool)), exact=True)
    agrees(lambda xp: xp.add.reduceat(xp.asarray(a), [0, 2, 3], out=xp.zeros(3, "i1")), exact=True)


STARTS = [2, -1, 300, True, -2.5, 2.9, float("nan"), float("inf"), 1j, 2**63, 2**64 - 1]


@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "add.reduce", "bitwise_or.reduce", "logical_or.reduce", "hypot.reduce", "nansum"])
def test_what_a_reduction_begins_with_becomes_an_element(name, dtype, start):
    def call(xp):
        f = xp
        for part in name.split("."):
            f = getattr(f, part)
        return f(xp.asarray(numpy.array([1, 0, 1]).astype(dtype)), initial=start)

    agrees(call, f"{name} of {dtype} from {start}")
    agrees(lambda xp: xp.add.reduce(xp.ones((2, 0), dtype=dtype), axis=1, initial=start), f"{dtype} from {start}")


@pytest.mark.parametrize("wanted", [*INTEGERS, "c8", "c16", "f4", "f8"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar", "nanstd"])
def test_means_in_a_dtype_asked_for(name, dtype, wanted):
    if name in ("nanvar", "nanstd") and dtype in ("f2", "f4", "c8") and wanted in ("f8", "c16"):
        pytest.skip("NumPy rounds the deviations to the dtype of the array")

    def call(xp, a, **options):
        return getattr(xp, name)(xp.asarray(a), dtype=wanted, **options)

    for values in ([2**31, 2**31], [1, 2, 4], [200, 100], [3], [[1, 2], [3, 5]]):
        a = numpy.array(values).astype(dtype)
        if not numpy.isfinite(a).all():
            continue
        agrees(lambda xp: call(xp, a), f"{name} of {a.tolist()}")  # noqa: B023
        agrees(lambda xp: call(xp, a, axis=0), f"{name} of {a.tolist()} along 0")  # noqa: B023
        agrees(lambda xp: call(xp, a, keepdims=True), f"{name} of {a.tolist()}, axes kept")  # noqa: B023
    if name.startswith("nan"):
        return
    a = numpy.array([[1, 2, 7], [3, 5, 8]]).astype(dtype)
    agrees(lambda xp: call(xp, a[::-1, ::2], where=xp.array([[True, False], [True, True]])), "with a mask")
    if name != "mean":
        if wanted != "u4":  # NumPy's loop converts NaN to 0 or 2^31 as an unsigned integer
            agrees(lambda xp: call(xp, a, ddof=1, axis=()), "with a correction, over no axis")
        agrees(lambda xp: call(xp, a, ddof=1), "with a correction")


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar", "median", "sum", "max", "any", "ptp", "argmax"])
def test_axes_of_scalars(name):
    for value in (3.0, 3):
        for axis in (0, -1, 1, (), None):
            agrees(lambda xp: getattr(xp, name)(xp.asarray(value), axis=axis), f"{name} of {value} along {axis}")  # noqa: B023


@pytest.mark.parametrize("name", ["logical_or", "logical_and", "logical_xor", "greater", "equal", "add", "maximum", "hypot"])
def test_folds_have_the_loops_of_their_ufunc(name):
    for dtype in ("?", "i4", "f8"):
        agrees(lambda xp: getattr(xp, name).reduce(xp.array([1, 0, 3]), dtype=dtype), f"{name} {dtype}")  # noqa: B023
        agrees(lambda xp: getattr(xp, name).accumulate(xp.array([1, 0, 3]), dtype=dtype), f"{name} {dtype}")  # noqa: B023
        agrees(lambda xp: getattr(xp, name).reduceat(xp.array([1, 0, 3]), [0], dtype=dtype), f"{name} {dtype}")  # noqa: B023


def test_folds_do_not_write_where_they_must_not():
    out = np.zeros(())
    out.flags.writeable = False
    for name in ("hypot", "add", "maximum"):
        with pytest.raises(ValueError):
            getattr(np, name).reduce(np.ones(3), out=out)


@pytest.mark.parametrize("wanted", ["c16", "f8"])
def test_gradients_of_means_in_a_dtype_asked_for(wanted):
    from torch_np.autograd import gradcheck
    x = np.array([1.0 + 2j, 3 - 1j, 0.5j], _requires_grad=True)
    assert gradcheck(lambda z: np.var(z, dtype=wanted).real, [x])
    assert gradcheck(lambda z: np.mean(z, dtype=wanted).real, [x])


def test_torchs_sums_of_bools():
    x = torch_np.tensor([0.5, -0.5])
    assert bool(x.sum(dtype=torch_np.bool)) and x.cumsum(0, dtype=torch_np.bool).tolist() == [True, True]


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
@pytest.mark.parametrize("dtype", ["i8", "u1", "?", "f8", "f4"])
def test_variances_around_a_given_mean(name, dtype):
    a = numpy.array([[0, 1, 1], [1, 3, 0]]).astype(dtype)
    for kwargs in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": 1, "ddof": 1}, {"axis": 0, "where": [[True], [True]]},
                   {"axis": 1, "correction": 1}):
        for mean in (2.0, 0.5, numpy.array([[1.5], [0.25]]) if kwargs.get("axis") == 1 else 1):
            ours, numpys = (getattr(xp, name)(xp.asarray(a), mean=mean, **kwargs) for xp in (np, numpy))
            numpy.testing.assert_allclose(numpy.asarray(ours), numpys, rtol=1e-6)
            assert ours.dtype == numpys.dtype
