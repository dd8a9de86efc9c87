"""torch_np.numpy.linalg compared with NumPy."""
import inspect
import math

import numpy
import pytest
from same_as_numpy import agrees, outcome, positive_definite, random_array

import torch_np
import torch_np.numpy as np

DTYPES = ["float64", "float32", "complex64", "complex128", "int32", "float16"]
SQUARE = [(3, 3), (4, 3, 3), (0, 0), (1, 1), (0, 3, 3), (2, 3), (3,)]


def square(shape, dtype):
    if len(shape) > 1 and shape[-1] == shape[-2]:
        return positive_definite(shape[-1], dtype, shape[:-2])
    return random_array(shape, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("a, b", [((3, 3), (3,)), ((3, 3), (3, 2)), ((4, 3, 3), (3, 2)), ((4, 3, 3), (4, 3, 2)), ((3, 3), (4, 3, 2)),
                                  ((4, 1, 3, 3), (5, 3, 2)), ((0, 0), (0,)), ((0, 3, 3), (3,)), ((2, 3), (2,)), ((3,), (3,)),
                                  ((2, 2, 3, 3), (3,))], ids=str)
def test_solve(dtype, a, b):
    x, y = square(a, dtype), random_array(b, dtype)
    agrees(lambda xp: xp.linalg.solve(xp.asarray(x), xp.asarray(y)))


def test_solve_of_sizes_that_do_not_fit():
    agrees(lambda xp: xp.linalg.solve(xp.ones((3, 3)), xp.ones(4)))
    agrees(lambda xp: xp.linalg.solve(xp.ones((3, 3)), xp.ones((4, 4))))


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigvalsh"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_functions_of_square_matrices(name, dtype, shape):
    a = square(shape, dtype)
    agrees(lambda xp: getattr(xp.linalg, name)(xp.asarray(a)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_eigen_decompositions_give_the_matrix_back(dtype, shape):
    a = square(shape, dtype)

    def from_eigh(xp):
        w, v = xp.linalg.eigh(xp.asarray(a))
        return w, (v * w[..., None, :]) @ xp.conj(xp.matrix_transpose(v))
    agrees(from_eigh)
    agrees(lambda xp: xp.linalg.cholesky(xp.asarray(a), upper=True))
    agrees(lambda xp: xp.sort(xp.linalg.eigvals(xp.asarray(a)).real))
    if len(shape) > 1 and shape[-1] == shape[-2] and dtype != "float16":
        w, v = np.linalg.eig(np.asarray(a))
        assert numpy.allclose(numpy.asarray(np.asarray(a) @ v), numpy.asarray(v * w[..., None, :]), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3), (2, 4, 3), (0, 3), (3, 0), (2, 0, 3), (3,)], ids=str)
def test_orthogonal_factorisations_give_the_matrix_back(dtype, shape):
    a = random_array(shape, dtype)
    for mode in ("reduced", "complete"):
        def from_qr(xp, mode=mode):
            q, r = xp.linalg.qr(xp.asarray(a), mode)
            return q @ r, xp.abs(r)
        agrees(from_qr, mode)
    agrees(lambda xp: xp.abs(xp.linalg.qr(xp.asarray(a), "r")))
    for full in (True, False):
        def from_svd(xp, full=full):
            u, s, vh = xp.linalg.svd(xp.asarray(a), full)
            k = s.shape[-1]
            return s, (u[..., :, :k] * s[..., None, :]) @ vh[..., :k, :], xp.zeros(u.shape), xp.zeros(vh.shape)
        agrees(from_svd, full)
    agrees(lambda xp: xp.linalg.svd(xp.asarray(a), compute_uv=False))
    if dtype not in ("int32",):
        agrees(lambda xp: xp.linalg.pinv(xp.asarray(a)))
        agrees(lambda xp: xp.linalg.matrix_rank(xp.asarray(a)))
    if len(shape) == 2:
        b = random_array((shape[0], 2), dtype, 1)
        if dtype != "int32":
            agrees(lambda xp: xp.linalg.lstsq(xp.asarray(a), xp.asarray(b)))
            agrees(lambda xp: xp.linalg.lstsq(xp.asarray(a), xp.asarray(b[:, 0])))


@pytest.mark.parametrize("order", [None, 0, 1, -1, 2, -2, math.inf, -math.inf, 3, 0.5, -3, "fro", "nuc", "bad"])
@pytest.mark.parametrize("shape, axis", [((4,), None), ((3, 4), None), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), (0, 1)), ((2, 3, 4), (2, 0)),
                                         ((2, 3, 4), None), ((2, 3, 4), 1), ((3, 4), (0, 0)), ((3, 4), 5)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm(order, shape, axis, keepdims):
    for dtype in ("float64", "complex64", "int32"):
        a = random_array(shape, dtype) + numpy.asarray(1, dtype)
        agrees(lambda xp: xp.linalg.norm(xp.asarray(a), order, axis, keepdims), dtype)


def test_powers_condition_numbers_and_chains():
    a = positive_definite(3, "float64")
    for n in (0, 1, 2, 3, 5, -1, -2, 1.5):
        agrees(lambda xp, n=n: xp.linalg.matrix_power(xp.asarray(a), n))
    for p in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro"):
        agrees(lambda xp, p=p: xp.linalg.cond(xp.asarray(a), p))
    chain = [random_array(s, "float64") for s in ((2, 3), (3, 4), (4, 2), (2, 5))]
    agrees(lambda xp: xp.linalg.multi_dot([xp.asarray(m) for m in chain]))
    agrees(lambda xp: xp.linalg.multi_dot([xp.asarray(m) for m in chain[:2]]))
    agrees(lambda xp: xp.linalg.multi_dot([xp.asarray(chain[0][0]), *[xp.asarray(m) for m in chain[1:3]], xp.asarray(chain[3][:, 0])]))
    t = random_array((4, 6, 8, 3), "float64")
    agrees(lambda xp: xp.linalg.tensorinv(xp.asarray(t)))
    t = random_array((6, 4, 2, 3, 4), "float64")
    agrees(lambda xp: xp.linalg.tensorsolve(xp.asarray(t), xp.asarray(t[:, :, 0, 0, 0])))
    agrees(lambda xp: xp.linalg.svd(xp.asarray(a), hermitian=True).S)
    agrees(lambda xp: xp.linalg.pinv(xp.asarray(a), hermitian=True))


@pytest.mark.parametrize("a", [numpy.ones((2, 2)), numpy.zeros((2, 2)), -numpy.eye(2)], ids=["ones", "zeros", "negative"])
def test_matrices_that_have_no_answer(a):
    for name in ("inv", "det", "slogdet", "cholesky", "pinv", "matrix_rank"):
        agrees(lambda xp, name=name: getattr(xp.linalg, name)(xp.asarray(a)), name)
    agrees(lambda xp: xp.linalg.solve(xp.asarray(a), xp.asarray(a)))
    # The smallest singular value of a singular matrix is 0 or a rounding error, which differs
    # between processors.
    ours, numpys = (float(xp.linalg.cond(xp.asarray(a))) for xp in (np, numpy))
    limit = 1 / numpy.finfo(float).eps
    assert ours == numpys or numpy.isnan(ours) == numpy.isnan(numpys) and ours > limit < numpys


def test_nan_is_no_crash():
    a = numpy.array([[numpy.nan, 1], [1, 2]])
    for name in ("svd", "eig", "eigvals", "pinv", "cond", "matrix_rank"):
        agrees(lambda xp, name=name: getattr(xp.linalg, name)(xp.asarray(a)), name)
    for name in ("inv", "det", "slogdet", "eigh", "qr", "norm"):
        outcome(lambda xp, name=name: getattr(xp.linalg, name)(xp.asarray(a)), np)


def test_errors_are_linalg_errors_of_both_faces():
    assert np.linalg.LinAlgError is numpy.linalg.LinAlgError
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        np.linalg.inv(np.ones((2, 2)))
    with pytest.raises(torch_np.linalg.LinAlgError, match="Singular matrix"):
        torch_np.linalg.inv(torch_np.ones(2, 2))
    with pytest.raises(np.linalg.LinAlgError, match="Last 2 dimensions of the array must be square"):
        np.linalg.det(np.ones((2, 3)))
    with pytest.raises(TypeError, match="array type float16 is unsupported in linalg"):
        np.linalg.inv(np.ones((2, 2), dtype=np.float16))


def test_results_are_named():
    assert np.linalg.svd(np.eye(2)).S.shape == (2,)
    assert np.linalg.eigh(np.eye(2)).eigenvectors.shape == (2, 2)
    assert np.linalg.qr(np.eye(2)).Q.shape == (2, 2)
    assert np.linalg.slogdet(np.eye(2)).sign == 1
    assert torch_np.linalg.svd(torch_np.eye(2)).Vh.shape == (2, 2)


def test_torch_linalg():
    a = torch_np.tensor([[2.0, 1.0], [1.0, 3.0]])
    b = torch_np.tensor([1.0, 2.0])
    assert numpy.allclose((a @ torch_np.linalg.solve(a, b)).tolist(), [1, 2], atol=1e-6)
    stack = torch_np.stack([a, 2 * a])
    assert torch_np.linalg.solve(stack, torch_np.stack([b, b])).shape == (2, 2)
    assert float(torch_np.linalg.norm(a)) == pytest.approx(math.sqrt(15))
    assert float(torch_np.linalg.matrix_norm(a, 1)) == 4
    assert torch_np.linalg.vector_norm(a, dim=1).shape == (2,)
    assert torch_np.linalg.matrix_power(a, 2).dtype == torch_np.float32
    assert torch_np.linalg.norm(a, dim=0, keepdim=True).shape == (1, 2)


@pytest.mark.parametrize("name", [n for n in numpy.linalg.__all__ if n != "LinAlgError"])
def test_signatures_are_numpys(name):
    def shape(f):
        return [(p.name, p.kind) for p in inspect.signature(f).parameters.values() if not p.name.startswith("_")]
    assert shape(getattr(np.linalg, name)) == shape(getattr(numpy.linalg, name))


def test_messages_give_the_public_name():
    for call in (lambda: np.linalg.eig(np.full((2, 2), np.nan)), lambda: np.linalg.solve(np.zeros((2, 2)), np.ones(2))):
        with pytest.raises(np.linalg.LinAlgError) as error:
            call()
        assert not str(error.value).startswith("_")
    with pytest.raises(ValueError, match=r"^einsum\(\)"):
        np.einsum("ij,jk->ik", np.ones((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 8, 16, 17])
def test_small_systems_are_solved_with_pivoting(n, dtype):
    rng = numpy.random.default_rng(n)
    a = rng.standard_normal((50, n, n)).astype(dtype)
    if n > 1:
        a[:, 0, 0] = 0
    b = rng.standard_normal((50, n, 3)).astype(dtype)
    x = numpy.asarray(np.linalg.solve(np.asarray(a), np.asarray(b)))
    residual = numpy.abs(a @ x - b).max(axis=(1, 2))
    scale = numpy.abs(a).max(axis=(1, 2)) * numpy.abs(x).max(axis=(1, 2))
    assert (residual <= 20 * n * numpy.finfo(dtype).eps * scale).all()
    a[7] = 0
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        np.linalg.solve(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 16, 31, 32, 33, 64, 97, 128, 130, 257, 300])
def test_inverse_of_every_size_needs_pivots(n, dtype):
    rng = numpy.random.default_rng(n)
    a = rng.standard_normal((n, n)).astype(dtype)
    if "complex" in dtype:
        a = a + 1j * rng.standard_normal((n, n)).astype(a.real.dtype)
    if n > 1:
        a[0, 0] = 0
    for given in (a, a[::-1], a.T, numpy.ascontiguousarray(a[:, ::-1])[:, ::-1]):
        ours = np.linalg.inv(np.asarray(given))
        assert ours.dtype == dtype and ours.flags.c_contiguous
        inverse = numpy.asarray(ours).astype("complex128")
        # Higham, Accuracy and Stability, 14.1: |A X - I| <= c n eps |A| |X| column by column, from
        # the residual of LU.
        bound = 10 * n * numpy.finfo(dtype).eps * numpy.linalg.norm(given, 1) * numpy.linalg.norm(inverse, 1)
        assert numpy.linalg.norm(given @ inverse - numpy.eye(n), 1) <= bound
        assert numpy.linalg.norm(inverse @ given - numpy.eye(n), 1) <= bound


@pytest.mark.parametrize("n", [2, 33, 200])
def test_singular_matrices_have_no_inverse(n):
    a = numpy.random.default_rng(n).standard_normal((n, n))
    a[:, n // 2] = 0
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        np.linalg.inv(np.asarray(a))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        np.linalg.inv(np.stack([np.eye(n), np.asarray(a)]))


def test_a_singular_matrix_leaves_what_other_threads_compute_alone():
    # One thread meets the error while another is within the library, whose own tasks end the
    # process if they are cancelled.
    a = numpy.random.default_rng(0).standard_normal((200, 200))
    a[:, 100] = 0
    singular = np.asarray(a)
    stack = np.stack([np.eye(200), singular])
    for _ in range(50):
        for given in singular, stack:
            with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
                np.linalg.inv(given)
    assert np.array_equal(np.linalg.inv(stack[:1])[0], np.eye(200))


def test_inverses_of_a_stack():
    a = numpy.random.default_rng(0).standard_normal((3, 2, 40, 40))
    assert numpy.allclose(numpy.asarray(np.linalg.inv(np.asarray(a))), numpy.linalg.inv(a))
    assert np.array_equal(np.linalg.inv(np.eye(70)[::-1]), np.eye(70)[::-1])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 3, 17, 40])
@pytest.mark.parametrize("UPLO", ["L", "U"])
def test_eigh_reads_one_triangle(UPLO, n, dtype):
    a = random_array((3, n, n), dtype)  # other numbers in the other triangle
    tolerance = 1e-3 if dtype in ("float32", "complex64") else 1e-10
    for given in (a, a.swapaxes(-1, -2), a[::-1, ::-1]):
        w, v = (numpy.asarray(t) for t in np.linalg.eigh(np.asarray(given), UPLO))
        theirs = numpy.linalg.eigh(given, UPLO)
        assert w.dtype == theirs.eigenvalues.dtype and v.dtype == theirs.eigenvectors.dtype and v.flags.c_contiguous
        numpy.testing.assert_allclose(w, theirs.eigenvalues, atol=tolerance * n)
        numpy.testing.assert_allclose(numpy.asarray(np.linalg.eigvalsh(np.asarray(given), UPLO)), theirs.eigenvalues, atol=tolerance * n)
        triangle = numpy.tril(given, -1) if UPLO == "L" else numpy.triu(given, 1)
        real = numpy.real(numpy.diagonal(given, axis1=-2, axis2=-1))[..., None] * numpy.eye(n)
        whole = triangle + numpy.conj(triangle.swapaxes(-1, -2)) + real
        numpy.testing.assert_allclose(whole @ v, v * w[:, None, :], atol=tolerance * n * n)


NOT_FINITE = {
    "NaN": [[numpy.nan]], "infinity": [[numpy.inf]], "infinity and 1": [[numpy.inf, 0], [0, 1]], "NaN above": [[1, numpy.nan], [0, 1]], "NaN below": [[1, 0], [numpy.nan, 1]],
    "infinity within": [[1, 2, 3], [4, numpy.inf, 6], [7, 8, 9]], "NaN at the end": [[1, 2, 3], [4, 5, 6], [7, 8, numpy.nan]], "both infinities": [[-numpy.inf, numpy.inf]] * 2,
    "tall": [[1, 2], [3, numpy.nan], [5, 6]], "wide": [[1, numpy.inf, 2], [3, 4, 5]], "stack": [[[1, 2], [3, 4]], [[1, numpy.inf], [1, 1]]],
    "large": numpy.where(numpy.arange(1600) == 77, numpy.inf, 1.0).reshape(40, 40), "large with NaN": numpy.where(numpy.arange(1600) == 77, numpy.nan, 1.0).reshape(40, 40),
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("what", NOT_FINITE)
def test_matrices_that_are_not_finite(what, dtype, capfd):
    """The same errors as NumPy's. Where NumPy's singular values or condition numbers are NaN, so
    are ours. Nothing is printed."""
    a = numpy.array(NOT_FINITE[what], dtype)
    for name in ("svdvals", "cond", "matrix_rank", "norm"):
        def call(xp):
            result = xp.linalg.norm(xp.asarray(a), 2, axis=(-2, -1)) if name == "norm" else getattr(xp.linalg, name)(xp.asarray(a))  # noqa: B023
            return xp.isnan(result)
        agrees(call, name, exact=True)
    for name in ("svd", "pinv", "eig", "eigvals"):
        ours, theirs = (outcome(lambda xp: getattr(xp.linalg, name)(xp.asarray(a)), xp)[1] for xp in (np, numpy))  # noqa: B023
        assert (ours is None) == (theirs is None) and isinstance(ours, type(theirs)), name
    for name in ("eigh", "eigvalsh", "qr", "inv", "cholesky", "slogdet", "solve"):
        outcome(lambda xp: getattr(xp.linalg, name)(xp.asarray(a), *([xp.asarray(a)] if name == "solve" else [])), np)  # noqa: B023
    if a.ndim == 2:
        agrees(lambda xp: xp.linalg.lstsq(xp.asarray(a), xp.ones(len(a)), rcond=None)[2], "lstsq")
        side = numpy.ones((len(a), 3), dtype)
        side[:, 1] = a[:, 0]
        square = numpy.eye(len(a), dtype=dtype)
        x, _, rank, s = np.linalg.lstsq(np.asarray(square), np.asarray(side), rcond=None)
        assert rank == len(a) and numpy.isfinite(numpy.asarray(s)).all()
        assert numpy.isfinite(numpy.asarray(x)[:, ::2]).all() and numpy.isnan(numpy.asarray(x)[:, 1]).all() == (not numpy.isfinite(a[:, 0]).all())
    printed = capfd.readouterr()  # NumPy's LAPACK prints, too
    assert "oneMKL" not in printed.out + printed.err


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (2, 3, 1), (40, 1)])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_singular_vectors_have_numpys_signs(shape, dtype):
    """For one column all LAPACKs agree: vh = 1."""
    rng = numpy.random.default_rng(5)
    for _ in range(10):
        a = rng.standard_normal(shape).astype(dtype)
        if dtype == "c16":
            a += 1j * rng.standard_normal(shape)
        for ours, theirs in zip(np.linalg.svd(np.asarray(a), full_matrices=False), numpy.linalg.svd(a, full_matrices=False)):
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, atol=1e-10)


@pytest.fixture
def set_threads():
    before = torch_np.get_num_threads()
    yield torch_np.set_num_threads
    torch_np.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [255, 256, 257, 320, 333, 450])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_large_systems_by_panels(n, dtype, threads, set_threads):
    """Note [LU by panels]: residuals of solutions, a singular matrix, and a matrix that needs all
    rows exchanged."""
    set_threads(threads)
    rng = numpy.random.default_rng(n)
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if dtype.startswith("c") else 0)
    tolerance = 1e-2 if dtype in ("float32", "complex64") else 1e-9
    for matrix in (a, a[::-1].copy(), numpy.roll(numpy.eye(n), n // 3, 0) + 1e-3 * a):
        matrix, b = matrix.astype(dtype), a[:, :3].astype(dtype)
        x = numpy.asarray(np.linalg.solve(np.asarray(matrix), np.asarray(b)))
        numpy.testing.assert_allclose(matrix @ x, b, atol=tolerance * max(1, abs(x).max()))
        numpy.testing.assert_allclose(matrix @ numpy.asarray(np.linalg.inv(np.asarray(matrix))), numpy.eye(n), atol=tolerance * 10)
        for got, expected in zip(np.linalg.slogdet(np.asarray(matrix)), numpy.linalg.slogdet(matrix), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=tolerance)
    singular = a.astype(dtype)
    singular[:, n // 2] = 0
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        np.linalg.solve(np.asarray(singular), np.asarray(a[:, :1].astype(dtype)))
    assert np.linalg.det(np.asarray(singular)) == 0


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_panels_have_the_same_bits_on_two_and_three_threads(dtype, set_threads):
    rng = numpy.random.default_rng(0)
    matrices = [np.asarray(rng.standard_normal((n, n)).astype(dtype)) for n in (256, 400, 450)]
    results = []
    for threads in (2, 3, 2):
        set_threads(threads)
        results.append([numpy.asarray(part) for a in matrices for part in np.linalg.slogdet(a)])
    assert results[0] == results[1] == results[2]
    a = matrices[1]
    missing = a.copy()
    missing[300, 3] = numpy.nan
    assert numpy.isnan(numpy.asarray(np.linalg.slogdet(missing)[1]))


def test_the_exponent_of_a_power_may_be_the_least_integer():
    eye = torch_np.eye(2, dtype=torch_np.float64)
    half_turn = torch_np.tensor([[-1.0, 0.0], [0.0, 1.0]], dtype=torch_np.float64)
    for power in (torch_np.matrix_power, torch_np.linalg.matrix_power):
        for n in (-2 ** 63, -2 ** 63 + 1, 2 ** 63 - 1):
            assert torch_np.equal(power(eye, n), eye)
            assert torch_np.equal(power(half_turn, n), half_turn if n % 2 else eye)
    for n in (-2 ** 63, 2 ** 63 - 1, 2 ** 100, -2 ** 100 + 1):  # NumPy takes 64 bits of it
        assert np.linalg.matrix_power(half_turn._np_compat(), n).tolist() == [[-1.0 if n % 2 else 1.0, 0.0], [0.0, 1.0]]
