"""Arrays with the alignment that NumPy allows: complex numbers at addresses aligned for their parts
only."""
import numpy
import pytest

import torch_np
import torch_np.numpy as np
from same_as_numpy import agrees

PARTS = {"complex64": "float32", "complex128": "float64"}


@pytest.fixture(params=PARTS)
def z(request):
    """Twenty complex numbers in NumPy's memory, shifted by the size of one part."""
    parts = numpy.zeros(48, PARTS[request.param])
    first = 1 if parts.ctypes.data % (2 * parts.itemsize) == 0 else 2
    parts = parts[first:first + 40]
    parts[:] = numpy.random.default_rng(1).uniform(0.25, 2, 40)
    z = parts.view(request.param)
    assert z.ctypes.data % z.itemsize == z.itemsize // 2 and z.flags.aligned
    return z


UNARY = [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).nin == 1]
BINARY = [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).nin == 2 and name not in ("gcd", "lcm")]
STEPS = [1, 2, -1]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(z, name, step):
    agrees(lambda xp: getattr(xp, name)(xp.asarray(z)[::step]))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arrays(z, name, step):
    agrees(lambda xp: getattr(xp, name)(xp.asarray(z)[::step], xp.asarray(z)[::-step]))
    agrees(lambda xp: getattr(xp, name)(xp.asarray(z)[::step], 2))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min", "argmax", "argmin", "any", "all", "count_nonzero", "cumsum",
                                  "cumprod", "sort", "argsort", "median", "nansum", "ptp"])
def test_reductions(z, name, axis):
    agrees(lambda xp: getattr(xp, name)(xp.asarray(z).reshape(4, 5), axis=axis))


@pytest.mark.parametrize("call", [
    lambda xp, z: z.astype("c8"), lambda xp, z: z.astype("c16"), lambda xp, z: z.astype("f4"), lambda xp, z: z[::3].copy(),
    lambda xp, z: z.tolist(), lambda xp, z: z[3], lambda xp, z: z[[3, 1, 1]], lambda xp, z: z[z.real > 1], lambda xp, z: xp.where(z.real > 1, z, 0),
    lambda xp, z: xp.concatenate([z, z[::-1]]), lambda xp, z: z @ z, lambda xp, z: xp.fft.fft(z), lambda xp, z: xp.fft.ifft(z[::-1]),
    lambda xp, z: xp.dot(z[:16].reshape(4, 4), z[4:].reshape(4, 4)), lambda xp, z: xp.linalg.det(z[:16].reshape(4, 4)),
    lambda xp, z: xp.einsum("i,j->ij", z, z), lambda xp, z: xp.repeat(z, 2), lambda xp, z: xp.unique(z), lambda xp, z: xp.searchsorted(xp.sort(z), z),
    lambda xp, z: xp.add.reduceat(z, [0, 5, 9]), lambda xp, z: xp.add.outer(z, z), lambda xp, z: xp.clip(z, 0, 1), lambda xp, z: xp.nonzero(z)[0],
    lambda xp, z: xp.roll(z, 3), lambda xp, z: z.real.copy(), lambda xp, z: xp.array(z, order="F"), lambda xp, z: z.flags.aligned,
])
def test_other_functions(z, call):
    agrees(lambda xp: call(xp, xp.asarray(z)))


@pytest.mark.parametrize("write", [
    lambda xp, z: xp.add.at(z, [1, 1], 1), lambda xp, z: z.__setitem__([0, 2], [1j, 2]), lambda xp, z: z.__setitem__(slice(None, None, 2), 3),
    lambda xp, z: z.__iadd__(1), lambda xp, z: z.__imul__(z[::-1]), lambda xp, z: z.sort(), lambda xp, z: z.fill(2j), lambda xp, z: xp.put(z, [1], 5),
    lambda xp, z: xp.copyto(z, 1j, where=z.real > 1), lambda xp, z: xp.exp(z[:5], out=z[5:10]), lambda xp, z: xp.cumsum(z, out=z),
])
def test_writing(z, write):
    def run(xp):
        x = xp.asarray(z[...].view())
        x = x if xp is np else z
        saved = z.copy()
        write(xp, x)
        result = numpy.array(x)
        z[...] = saved
        return result
    numpy.testing.assert_allclose(run(np), run(numpy), rtol=1e-5)


def test_views_of_real_numbers_as_complex_ones_begin_where_numpys_may():
    for kind, parts in PARTS.items():
        x = np.arange(41, dtype=parts)
        assert np.asarray(x[1:].view(kind)).tolist() == numpy.arange(41, dtype=parts)[1:].view(kind).tolist()
        assert x[1:].view(kind).flags.aligned


def test_an_interleaved_record_behind_a_header():
    data = numpy.arange(41.0).tobytes()
    x = np.frombuffer(data, "c16", offset=8, count=20)
    y = np.ndarray((20,), "c16", buffer=bytearray(data), offset=8)
    expected = numpy.cumsum(numpy.frombuffer(data, "c16", offset=8, count=20))
    assert np.cumsum(x).tolist() == np.cumsum(y).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype, offset", [("f8", 3), ("i4", 2), ("c16", 4), ("u2", 1)])
def test_a_buffer_that_is_not_aligned_is_viewed(dtype, offset):
    buffer = bytearray(100)
    with np._fallback("raise"):
        x = np.ndarray((4,), dtype, buffer=buffer, offset=offset)
    assert type(x) is np.ndarray and not x.flags.aligned
    x[...] = 7
    assert np.sum(x) == 28 and numpy.ndarray((4,), dtype, buffer, offset).tolist() == [7] * 4
    assert np.ndarray((0,), dtype, buffer=bytearray(100), offset=offset).shape == (0,)


def test_dlpack_at_half_a_complex_number(z):
    assert np.from_dlpack(z).tolist() == z.tolist()
    assert torch_np.from_dlpack(z).tolist() == z.tolist()


def test_complex_parts_viewed_as_one_number_are_not_aligned():
    parts = np.zeros(9, "f4")
    z = parts[1:].view("c8")
    assert numpy.asarray(parts).ctypes.data % 8 == 0
    assert type(z.view("f8")) is np.ndarray and z.view("f8").tolist() == numpy.asarray(z).view("f8").tolist()
    assert not z.view("f8").flags.aligned
    assert z.view("c8").shape == (4,)
