"""torch_np.numpy.fft against NumPy."""
import inspect
import itertools

import numpy
import pytest
from same_as_numpy import agrees, random_array

import torch_np
import torch_np.numpy as np

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"]


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "complex128", "int32", "bool", "float16"])
def test_one_axis(name, dtype):
    for shape, n, axis in (((7,), None, -1), ((8,), None, -1), ((8,), 5, -1), ((8,), 13, -1), ((3, 8), None, 0), ((3, 8, 4), None, 1),
                           ((3, 8, 4), 6, 1), ((0, 3), None, 1), ((1,), None, -1), ((8,), None, 3), ((), None, -1)):
        x = random_array(shape, dtype)
        agrees(lambda xp: getattr(xp.fft, name)(xp.asarray(x), n, axis), f"{shape} {n} {axis}")
    x = random_array((8,), dtype)
    for norm in ("backward", "ortho", "forward", "nonsense"):
        agrees(lambda xp: getattr(xp.fft, name)(xp.asarray(x), norm=norm), norm)


@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft"])
def test_no_points_is_an_error(name):
    with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\) specified."):
        getattr(np.fft, name)(np.ones(4), 0)
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        getattr(np.fft, name)(np.ones((2, 0)))


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_several_axes(name, dtype):
    for shape, s, axes in (((4, 5, 6), None, None), ((4, 5, 6), None, (0, 1)), ((4, 5, 6), (3, 8), (0, 2)), ((4, 5, 6), (3, -1), (0, 2)),
                           ((4, 5, 6), None, (-1,)), ((4, 5), (3,), (0, 1)), ((4, 5, 6), None, (1, 1)), ((4,), None, None)):
        x = random_array(shape, dtype)
        keywords = {} if axes is None else {"axes": axes}
        agrees(lambda xp: getattr(xp.fft, name)(xp.asarray(x), s, **keywords), f"{shape} {s} {axes}")


def test_long_prime_and_strided_inputs():
    for x in (random_array((1000, 17), "float64"), random_array((10007,), "complex128"), random_array((10, 8), "float64")[::2, ::-1].T):
        agrees(lambda xp: xp.fft.fft(xp.asarray(x)))


def test_out_and_round_trip():
    x = random_array((6, 10), "float64")
    agrees(lambda xp: xp.fft.fft(xp.asarray(x), out=xp.zeros((6, 10), dtype=complex)))
    assert numpy.allclose(numpy.asarray(np.fft.irfft(np.fft.rfft(np.asarray(x)), 10)), x)
    a = np.asarray(x)
    np.fft.irfft(a)
    assert numpy.array_equal(numpy.asarray(a), x)


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_frequencies(n):
    agrees(lambda xp: xp.fft.fftfreq(n, 0.1))
    agrees(lambda xp: xp.fft.rfftfreq(n, 0.1))
    agrees(lambda xp: xp.fft.fftfreq(n + 0.5))


def test_shifts():
    x = random_array((4, 5), "float64")
    for axes in (None, 0, (0, 1), (-1,)):
        agrees(lambda xp: xp.fft.fftshift(xp.asarray(x), axes))
        agrees(lambda xp: xp.fft.ifftshift(xp.asarray(x), axes))


def test_torch_face():
    x = torch_np.arange(8, dtype=torch_np.float32)
    y = torch_np.fft.rfft(x, dim=-1)
    assert type(y) is torch_np.Tensor and y.dtype == torch_np.complex64 and y.shape == (5,)
    with pytest.raises(RuntimeError):
        torch_np.fft.fft(x, n=0)


@pytest.mark.parametrize("name", ONE + MANY)
def test_a_number_has_no_axis(name):
    number = torch_np.tensor(2.0)
    if name in ("fftn", "ifftn"):  # without axes, there is no transform
        made = getattr(torch_np.fft, name)(number)
        assert made.item() == 2 and made.dtype == torch_np.complex64
    else:
        with pytest.raises(IndexError):
            getattr(torch_np.fft, name)(number)
    with pytest.raises(IndexError):
        getattr(torch_np.fft, name)(number, None, 0)


@pytest.mark.parametrize("name", [n for n in dir(numpy.fft) if not n.startswith("_") and callable(getattr(numpy.fft, n)) and n != "test"])
def test_signatures_are_numpys(name):
    def shape(f):
        # fftfreq's dtype is from the array API standard
        return [(p.name, p.kind) for p in inspect.signature(f).parameters.values() if not p.name.startswith("_") and p.name != "dtype"]
    assert shape(getattr(np.fft, name)) == shape(getattr(numpy.fft, name))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?"])
@pytest.mark.parametrize("shape", [(1,), (2,), (5,), (8,), (3, 4), (4, 5), (5, 1), (4, 6, 7), (2, 3, 4, 5), (64, 501)])
def test_transforms_of_real_numbers_compute_half_of_the_frequencies(shape, dtype):
    x = (numpy.random.default_rng(0).standard_normal(shape) * 5).astype(dtype)
    tolerance = 1e-2 if dtype == "f4" else 1e-9
    for axis in range(len(shape)):
        for name in ("fft", "ifft"):
            ours, theirs = getattr(np.fft, name)(np.asarray(x), axis=axis), getattr(numpy.fft, name)(x, axis=axis)
            assert ours.dtype == theirs.dtype
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, atol=tolerance)
    for count in range(1, len(shape) + 1):
        for axes in itertools.product(range(len(shape)), repeat=count):
            for s in (None, [3] * count, [6] * count):
                ours, theirs = np.fft.fftn(np.asarray(x), s=s, axes=axes), numpy.fft.fftn(x, s=s, axes=axes)
                numpy.testing.assert_allclose(numpy.asarray(ours), theirs, atol=tolerance)


SIZES = [1, 2, 3, 4, 5, 8, 16, 31, 64, 97]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("rows", SIZES)
def test_every_size_along_either_axis(rows, dtype):
    tolerance = {"rtol": 0, "atol": (5e-4 if dtype in ("float32", "complex64") else 1e-11)}  # sums of up to 97 * 97 numbers
    for columns in SIZES:
        x = random_array((rows, columns), dtype)
        for name in ("fft", "ifft") + (() if "complex" in dtype else ("rfft",)):
            for axis in (0, 1):
                ours, theirs = getattr(np.fft, name)(np.asarray(x), axis=axis), getattr(numpy.fft, name)(x, axis=axis)
                numpy.testing.assert_allclose(numpy.asarray(ours), theirs, **tolerance)
        for name in ("fft2", "ifft2") + (("irfft2",) if columns > 1 else ()):
            for axes in ((0, 1), (1, 0)) if rows > 1 else ((0, 1),):
                ours, theirs = getattr(np.fft, name)(np.asarray(x), axes=axes), getattr(numpy.fft, name)(x, axes=axes)
                numpy.testing.assert_allclose(numpy.asarray(ours), theirs, **tolerance)


# Long enough to be divided among threads; (512, 512) and (256, 512) have rows that begin at
# multiples of a page.
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(512, 512), (512, 500), (257, 512), (401, 499), (7, 90, 300), (60, 64, 66), (3, 100_003)], ids=str)
def test_transforms_that_threads_share(shape, dtype):
    x = random_array(shape, dtype)
    before = x.copy()
    ours = np.asarray(x)
    names = ["fftn", "ifftn"] + ([] if "complex" in dtype else ["rfftn"]) + ["irfftn"]
    tolerance = 1e-5 if dtype in ("float32", "complex64") else 1e-13
    for name in names:
        if name == "irfftn" and numpy.prod(shape) > 300_000:
            continue
        for axes in (None, tuple(reversed(range(len(shape)))), (0,), (-1,), (len(shape) - 1, 0)):
            theirs = getattr(numpy.fft, name)(x, axes=axes)
            numpy.testing.assert_allclose(numpy.asarray(getattr(np.fft, name)(ours, axes=axes)), theirs, rtol=0,
                                          atol=tolerance * numpy.abs(theirs).max(), err_msg=f"{name} {axes}")
    assert numpy.array_equal(numpy.asarray(ours), before), "an input was written to"


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("s", [None, (3, 5), (8, 12), (3, 12), (9, 5), (4, 4)])
@pytest.mark.parametrize("name", MANY)
def test_trimming_and_padding_several_axes_of_views(name, s, norm, dtype):
    x = random_array((6, 9, 2), dtype)
    if name.startswith("rfft") and dtype == "complex64":
        dtype, x = "float32", x.real  # an error for complex numbers
    for view in (lambda a: a[..., 0], lambda a: a[::-1, ::-1, 0], lambda a: a[::2, 1:8, 1], lambda a: a[:, :, 0].T, lambda a: a[:1, :, 0]):
        for axes in ((0, 1), (1, 0), (-1, -2)):
            if s is None and name.startswith("irfft") and view(x).shape[axes[-1]] < 2:
                continue  # no points
            ours = getattr(np.fft, name)(view(np.asarray(x)), s, axes, norm)
            theirs = getattr(numpy.fft, name)(view(x), s, axes, norm)
            assert ours.dtype == theirs.dtype and ours.flags.c_contiguous
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, atol=1e-12 if dtype == "float64" else 1e-4)


def test_gradients_of_transforms_over_several_axes_do_not_share_workspaces():
    x = np.asarray(random_array((4, 6), "float64"))
    leaf = np.array(x, _requires_grad=True)
    for name in ("fft2", "ifft2", "rfft2"):
        recorded = getattr(np.fft, name)(leaf)
        assert numpy.allclose(numpy.asarray(recorded._detach()), numpy.asarray(getattr(np.fft, name)(x)))
        np.sum(np.abs(recorded) ** 2)._backward()
        scale = {"fft2": 2 * 24, "ifft2": 2 / 24}.get(name)  # Parseval's theorem
        if scale:
            assert numpy.allclose(numpy.asarray(leaf._grad), scale * numpy.asarray(x))
        leaf._grad = None


@pytest.mark.parametrize("n", [34, 74, 206, 278, 365, 596, 1517, 4156, 8760])
def test_lengths_with_large_prime_factors(n):
    """As accurate as other lengths: oneMKL's own transforms of these have errors of up to 150 times
    the precision of float64."""
    rng = numpy.random.default_rng(n)
    z = rng.standard_normal((3, n)) + 1j * rng.standard_normal((3, n))
    spectrum = numpy.fft.rfft(z.real)
    bound = 4 * numpy.finfo("float64").eps * (1 + numpy.log2(n))
    for call in (lambda f: f.fft(z), lambda f: f.ifft(z), lambda f: f.rfft(z.real), lambda f: f.irfft(spectrum, n), lambda f: f.fft(z.T, axis=0).T,
                 lambda f: f.hfft(spectrum, n), lambda f: f.ihfft(z.real), lambda f: f.fft2(z[:, None] + z[None])):
        got, expected = numpy.asarray(call(np.fft)), call(numpy.fft)
        assert got.shape == expected.shape and got.dtype == expected.dtype
        assert numpy.linalg.norm(got - expected) <= bound * numpy.linalg.norm(expected)
    single = numpy.asarray(np.fft.fft(np.asarray(z.astype("complex64"))))
    assert numpy.linalg.norm(single - numpy.fft.fft(z)) <= 1e-5 * numpy.linalg.norm(single)
