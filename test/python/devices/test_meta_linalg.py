"""Linear algebra and Fourier transforms of tensors without data: shape, dtype and strides of a real
run, and its errors."""
import itertools

import numpy
import pytest

import torch_np.numpy as np

rng = numpy.random.default_rng(0)
DTYPES = ["float32", "float64", "complex64", "complex128", "int32"]


def positive(a):
    """A positive definite matrix of the same shape and dtype."""
    product = a @ numpy.conj(numpy.swapaxes(a, -1, -2))
    return (product + 10 * numpy.eye(a.shape[-1])).astype(a.dtype)


def array(shape, dtype):
    a = 10 * rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dtype[0] == "c" else a).astype(dtype)


def described(results):
    results = results if isinstance(results, (tuple, list)) else (results,)
    results = [np.asarray(r) if isinstance(r, numpy.generic) else r for r in results]
    return [(r.shape, r.dtype, r.strides if r.size else None) if isinstance(r, np.ndarray) else type(r) for r in results]


def on_meta(a):
    """The array's shape, dtype and strides."""
    if not isinstance(a, numpy.ndarray):
        return a
    axes = sorted(range(a.ndim), key=lambda d: -a.strides[d])
    dense = np.zeros([a.shape[d] for d in axes], a.dtype, _device="meta")
    result = dense.transpose([axes.index(d) for d in range(a.ndim)])
    assert result.shape == a.shape and (a.size == 0 or all(n == 1 or x == y for n, x, y in zip(a.shape, a.strides, result.strides)))
    return result


def agrees(function, *arrays):
    expected = function(*(np.asarray(a) if isinstance(a, numpy.ndarray) else a for a in arrays))
    got = function(*(on_meta(a) for a in arrays))
    for r in got if isinstance(got, (tuple, list)) else (got,):
        assert str(r._device) == "meta"
    assert described(got) == described(expected)


SQUARE = [np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.eigvalsh, np.linalg.eigh, lambda x: np.linalg.eigh(x, "U"),
          np.linalg.cholesky, lambda x: np.linalg.cholesky(x, upper=True), lambda x: np.linalg.matrix_power(x, -3), np.linalg.cond,
          lambda x: np.linalg.svd(x, hermitian=True), lambda x: np.linalg.cond(x, 1)]
ANY = [np.linalg.svd, lambda x: np.linalg.svd(x, False), np.linalg.svdvals, np.linalg.qr, lambda x: np.linalg.qr(x, "complete"),
       lambda x: np.linalg.qr(x, "r"), lambda x: np.linalg.qr(x, "raw"), np.linalg.pinv, np.linalg.matrix_rank,
       lambda x: np.linalg.matrix_rank(x, rtol=0.1), lambda x: np.linalg.norm(x, axis=-1), np.linalg.norm,
       lambda x: np.linalg.norm(x, "nuc", axis=(-2, -1)), lambda x: np.linalg.matrix_norm(x, ord=1, keepdims=True)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", range(len(SQUARE)))
def test_square_matrices(index, dtype):
    for shape in ((4, 4), (2, 3, 4, 4), (1, 1)):
        a = positive(array(shape, dtype))
        for x in (a, numpy.swapaxes(a, -1, -2)):
            agrees(SQUARE[index], x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", range(len(ANY)))
def test_matrices(index, dtype):
    for shape in ((5, 3), (3, 5), (2, 4, 4), (2, 6, 3)):
        a = array(shape, dtype)
        for x in (a, numpy.swapaxes(a, -1, -2)):
            agrees(ANY[index], x)


@pytest.mark.parametrize("function", [np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.eigh, np.linalg.svd, np.linalg.qr])
def test_empty_matrices(function):
    for shape in ((2, 0, 0), (0, 3, 3)):
        agrees(function, numpy.ones(shape))


@pytest.mark.parametrize("dtypes", list(itertools.product(["float32", "complex128"], ["float32", "int64", "complex64"])))
def test_solving(dtypes):
    for a, b in (((3, 3), (3,)), ((3, 3), (3, 2)), ((3, 3), (3, 1)), ((3, 3), (3, 0)), ((2, 3, 3), (3, 2)), ((3, 3), (4, 3, 2)), ((5, 1, 3, 3), (4, 3, 2)),
                 ((1, 1), (1, 4))):
        agrees(np.linalg.solve, positive(array(a, dtypes[0])), array(b, dtypes[1]))
    agrees(np.linalg.tensorsolve, positive(array((6, 6), dtypes[0])).reshape(2, 3, 2, 3), array((2, 3), dtypes[1]))
    agrees(lambda *x: np.linalg.multi_dot(x), array((3, 4), dtypes[0]), array((4, 2), dtypes[1]), array((2, 5), dtypes[0]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares_of_wide_matrices(dtype):
    for a, b in (((3, 3), (3,)), ((3, 5), (3, 2)), ((3, 5), (3, 0))):
        agrees(np.linalg.lstsq, array(a, dtype), array(b, dtype))


def test_what_numbers_decide_is_not_implemented():
    tall = np.zeros((5, 3), _device="meta")
    square = np.zeros((3, 3), _device="meta")
    for call in (lambda: np.linalg.lstsq(tall, tall), lambda: np.linalg.eig(square), lambda: np.linalg.eigvals(square),
                 lambda: np.linalg.matrix_rank(tall[0])):
        with pytest.raises(NotImplementedError, match="reads values, and a tensor on the device 'meta' has none"):
            call()
    agrees(np.linalg.eig, array((2, 3, 3), "complex64"))
    agrees(np.linalg.eigvals, array((3, 3), "complex128"))


@pytest.mark.parametrize("call", [
    lambda x: np.linalg.inv(x[0]), lambda x: np.linalg.inv(x), lambda x: np.linalg.det(x), lambda x: np.linalg.cholesky(x), lambda x: np.linalg.eigh(x),
    lambda x: np.linalg.svd(x[0]), lambda x: np.linalg.qr(x[0]), lambda x: np.linalg.solve(x, x), lambda x: np.linalg.solve(x[:2], x[0]),
    lambda x: np.linalg.lstsq(x, x[0]), lambda x: np.linalg.inv(x[:2].astype("float16")), lambda x: np.fft.fft(x, 0), lambda x: np.fft.fft(x, axis=3),
    lambda x: np.fft.rfft(x * 1j), lambda x: np.fft.irfft(x, norm="none")])
def test_errors_are_those_of_a_run(call):
    x = numpy.ones((2, 3))
    with pytest.raises(Exception) as expected:
        call(np.asarray(x))
    with pytest.raises(type(expected.value)) as got:
        call(on_meta(x))
    assert str(got.value) == str(expected.value)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "bool"])
def test_transforms_of_one_axis(name, dtype):
    if name in ("rfft", "ihfft") and dtype[0] == "c":
        return
    for shape, n, axis in (((7,), None, -1), ((8,), 5, -1), ((8,), 13, -1), ((3, 8), None, 0), ((3, 8, 4), 6, 1), ((3, 1), 1, -1), ((0, 3), None, 1)):
        a = array(shape, dtype)
        for x in (a, numpy.asfortranarray(a)):
            agrees(lambda x: getattr(np.fft, name)(x, n, axis), x)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_transforms_of_several_axes(name, dtype):
    if name.startswith("rfft") and dtype[0] == "c":
        return
    for shape, s, axes in (((4, 5, 6), None, (0, 1)), ((4, 5, 6), (3, 8), (0, 2)), ((4, 5, 6), None, (0, 1, 2)), ((4, 5, 6), None, (-1,)), ((4, 5, 512), None, (1, 2))):
        a = array(shape, dtype)
        for x in (a, a.transpose(1, 0, 2)):
            agrees(lambda x: getattr(np.fft, name)(x, s, axes), x)
    agrees(np.fft.fftshift, array((4, 5), dtype))


def test_gradients_have_the_shape_of_their_leaf():
    def loss(x):
        hermitian = x + np.conj(np.swapaxes(x, -1, -2))
        parts = [np.linalg.solve(x, x[..., :2]), np.linalg.inv(x), np.linalg.det(x), np.linalg.slogdet(x)[1], np.linalg.cholesky(hermitian),
                 *np.linalg.qr(x), *np.linalg.svd(x, False), *np.linalg.eigh(hermitian), np.fft.fft(x), np.fft.rfft(x), np.fft.irfft(x), np.fft.fft2(x),
                 np.linalg.pinv(x), np.linalg.norm(x)]
        return sum(np.sum(np.abs(p)) for p in parts)

    x = np.zeros((2, 3, 3), _device="meta")._torch()
    x.requires_grad = True
    loss(x._np_compat())._torch().backward()
    assert x.grad.shape == (2, 3, 3) and str(x.grad.device) == "meta" and x.grad.dtype == x.dtype


def test_no_memory_is_asked_for():
    x = np.zeros((1 << 29, 1 << 29), _device="meta")
    assert np.linalg.inv(x).shape == x.shape and np.fft.rfft(x).shape == (1 << 29, (1 << 28) + 1)
