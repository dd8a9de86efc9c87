"""Linear algebra on a device other than the default: the CPU's results, in every layout of the
stack, and the CPU's errors."""
from device_processes import needs_device
from test_cuda import run

import pytest

pytestmark = [pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]


@needs_device
def test_factorisations_agree_with_the_cpu():
    run("""
        rng = numpy.random.default_rng(0)
        def stack(shape, dtype):
            a = rng.standard_normal(shape)
            return (a + 1j * rng.standard_normal(shape) if dtype[0] == "c" else a).astype(dtype)
        def close(gpu, cpu, tolerance):
            assert "cuda" in str(gpu._device), gpu._device
            got, expected = numpy.asarray(gpu._cpu()), numpy.asarray(cpu)
            assert got.dtype == expected.dtype and got.shape == expected.shape, (got.dtype, expected.dtype, got.shape, expected.shape)
            assert numpy.allclose(got, expected, rtol=tolerance, atol=tolerance), (got, expected)
        def compare(f, *arrays, tolerance):
            on_cpu = f(*(np.asarray(a) for a in arrays))
            on_gpu = f(*(np.asarray(a)._cuda() for a in arrays))
            for g, c in zip(on_gpu, on_cpu) if isinstance(on_cpu, tuple) else [(on_gpu, on_cpu)]:
                close(g, c, tolerance)
        H = lambda m: np.conj(np.matrix_transpose(m))
        for dtype in ("float32", "float64", "complex64", "complex128"):
            tolerance = 2e-4 if dtype in ("float32", "complex64") else 1e-9
            for shape in ((5, 5), (3, 5, 5), (2, 3, 4, 4), (1, 1), (40, 40)):
                a = stack(shape, dtype)
                for a in (a, numpy.swapaxes(a, -1, -2), a[..., ::-1, :]):
                    for name in ("inv", "det", "slogdet", "eigvalsh"):
                        compare(lambda x: getattr(np.linalg, name)(x), a, tolerance=tolerance)
                    p = a @ numpy.conj(numpy.swapaxes(a, -1, -2)) + shape[-1] * numpy.eye(shape[-1], dtype=dtype)
                    for upper in (False, True):
                        compare(lambda x: np.linalg.cholesky(x, upper=upper), p, tolerance=tolerance)
                    for uplo in "LU":
                        def rebuilt(x):
                            w, v = np.linalg.eigh(x, uplo)
                            return w, (v * w[..., None, :]) @ H(v)
                        compare(rebuilt, a, tolerance=tolerance)
                    def rotated(x):
                        w, v = np.linalg.eig(x)
                        return x @ v - v * w[..., None, :], np.sort(np.abs(w)), np.linalg.norm(v, axis=-2)
                    compare(rotated, a, tolerance=tolerance)
            for shape in ((6, 3), (3, 6), (2, 6, 3), (2, 3, 6), (4, 4)):
                a = stack(shape, dtype)
                for full in (False, True):
                    def products(x):
                        u, s, vh = np.linalg.svd(x, full)
                        k = s.shape[-1]
                        return s, (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], H(u) @ u, vh @ H(vh)
                    compare(products, a, tolerance=tolerance)
                for mode in ("reduced", "complete"):
                    compare(lambda x: tuple(np.linalg.qr(x, mode)), a, tolerance=tolerance)
                compare(lambda x: tuple(np.linalg.qr(x, "raw")), a, tolerance=tolerance)
                for f in (np.linalg.pinv, np.linalg.matrix_rank, lambda x: np.linalg.matrix_rank(x, 0.1), lambda x: np.linalg.matrix_rank(x, rtol=[0.1] if x.ndim > 2 else 0.1), np.linalg.cond, np.linalg.norm):
                    compare(f, a, tolerance=tolerance)
                if a.ndim == 2:
                    b = stack((shape[0], 2), dtype)
                    for right in (b, b[:, 0], b[:, :0]):
                        compare(lambda x, y: tuple(np.asarray(r) if not isinstance(r, int) else x[0, :0] for r in np.linalg.lstsq(x, y)), a, right, tolerance=tolerance)
    """)


@needs_device
def test_solving_takes_each_right_side_to_its_matrix():
    run("""
        rng = numpy.random.default_rng(1)
        for a, b in [((3, 3), (3, 2)), ((3, 3), (4, 3, 2)), ((4, 3, 3), (3, 2)), ((4, 1, 3, 3), (1, 5, 3, 2)), ((1, 5, 3, 3), (4, 1, 3, 2)),
                     ((4, 1, 2, 3, 3), (5, 1, 3, 2)), ((2, 1, 3, 3), (5, 2, 4, 3, 1)), ((20, 3, 3), (20, 3, 2)), ((0, 3, 3), (3, 2)),
                     ((1, 3, 3), (0, 3, 2)), ((3, 3), (3, 0)), ((2, 0, 0), (0, 4))]:
            x, y = rng.standard_normal(a), rng.standard_normal(b)
            same(np.linalg.solve(np.asarray(x)._cuda(), np.asarray(y)._cuda()), np.linalg.solve(np.asarray(x), np.asarray(y)))
    """)


@needs_device
def test_errors_are_those_of_the_cpu():
    run("""
        E = np.linalg.LinAlgError
        ones, nan = np.ones((2, 2))._cuda(), np.full((2, 2), np.nan)._cuda()
        raises(E, lambda: np.linalg.solve(ones, ones), "Singular matrix")
        raises(E, lambda: np.linalg.inv(np.stack([np.eye(2)._cuda()] * 3 + [ones])), "Singular matrix")
        raises(E, lambda: np.linalg.cholesky(-ones), "Matrix is not positive definite")
        raises(E, lambda: np.linalg.svd(nan), "SVD did not converge")
        raises(E, lambda: np.linalg.eig(nan), "Array must not contain infs or NaNs")
        raises(E, lambda: np.linalg.lstsq(nan, ones), "SVD did not converge in Linear Least Squares")
        raises(E, lambda: np.linalg.det(np.ones((2, 3))._cuda()), "must be square")
        raises(ValueError, lambda: np.linalg.solve(ones, np.ones((3, 2))._cuda()), "core dimension 0")
        raises(TypeError, lambda: np.linalg.inv(np.ones((2, 2), dtype=np.float16)._cuda()), "float16 is unsupported in linalg")
        raises(RuntimeError, lambda: np.linalg.solve(ones, np.ones((2, 2))), "cuda")
        same(np.linalg.det(ones), 0.0)
        sign, log = np.linalg.slogdet(ones)
        same(sign, 0.0), same(log, -np.inf)
    """)


@needs_device
def test_determinants_do_not_overflow_on_the_way():
    run("""
        for n in (3, 200, 500):
            d = numpy.resize([1e200, 1e-200, -1.5], n)
            d[-1] = 1.0 if n % 2 else d[-1]
            a = np.asarray(numpy.diag(d)) * 1.0
            same(np.linalg.det(a._cuda()), np.linalg.det(a))
            for got, expected in zip(np.linalg.slogdet(a._cuda()), np.linalg.slogdet(a)):
                same(got, expected)
    """)


@needs_device
def test_gradients_stay_on_the_device_of_their_leaf():
    run("""
        rng = numpy.random.default_rng(2)
        a = rng.standard_normal((4, 4)) + 4 * numpy.eye(4)
        functions = [torch_np.linalg.inv, torch_np.linalg.det, lambda x: torch_np.linalg.slogdet(x)[1], torch_np.linalg.svdvals,
                     lambda x: torch_np.linalg.cholesky(x @ x.T), lambda x: torch_np.linalg.eigvalsh(x + x.T), lambda x: torch_np.linalg.qr(x)[1],
                     lambda x: torch_np.linalg.solve(x, x * x), lambda x: torch_np.linalg.eigvals(x).abs()]
        for f in functions:
            grads = []
            for device in ("cpu", "cuda"):
                x = torch_np.tensor(a.tolist(), dtype=torch_np.float64, device=device, requires_grad=True)
                (f(x) ** 2).sum().backward()
                assert str(x.grad.device).startswith(device)
                grads.append(numpy.asarray(x.grad.cpu()))
            assert numpy.allclose(*grads, rtol=1e-8, atol=1e-8), grads
    """)


@needs_device
def test_polynomials_stay_where_their_coefficients_are():
    run("""
        p, q = numpy.array([1.0, -2.0, 3.0, 0.0]), numpy.array([2.0, 1.0])
        matrix = numpy.arange(9.0).reshape(3, 3)
        for f in (lambda p, q: np.roots(p), lambda p, q: np.roots(p[:0]), lambda p, q: np.poly(p), lambda p, q: np.polyadd(p, q), np.polysub, np.polymul,
                  lambda p, q: np.polydiv(p, q)[0], lambda p, q: np.polydiv(p, q)[1], lambda p, q: np.polyder(p), lambda p, q: np.polyint(p, 2),
                  lambda p, q: np.polyint(p, 2, 3), np.polyval, lambda p, q: np.polyfit(p, p * p, 1)):
            on_cpu, on_gpu = f(np.asarray(p), np.asarray(q)), f(np.asarray(p)._cuda(), np.asarray(q)._cuda())
            assert "cuda" in str(on_gpu._device)
            assert numpy.allclose(numpy.asarray(on_gpu._cpu()), numpy.asarray(on_cpu))
        same(np.poly(np.asarray(matrix)._cuda()), np.poly(np.asarray(matrix)))
    """)


@needs_device
def test_symmetric_and_hermitian_factors_are_those_of_the_cpu():
    run("""
        rng = numpy.random.default_rng(3)
        linalg = torch_np.linalg
        for dtype in ("float32", "float64", "complex64", "complex128"):
            tolerance = 2e-3 if dtype in ("float32", "complex64") else 1e-9
            for shape in ((1, 1), (2, 2), (5, 5), (2, 3, 7, 7), (40, 40), (300, 300), (0, 3, 3), (2, 0, 0)):
                if shape[-1] == 300 and dtype != "complex128":
                    continue
                for hermitian in (False, True):
                    a = rng.standard_normal(shape)
                    a = a + 1j * rng.standard_normal(shape) if dtype[0] == "c" else a
                    a = (a + (a.conj() if hermitian else a).swapaxes(-1, -2)).astype(dtype)
                    numpy.einsum("...ii->...i", a)[..., ::2] = 0  # pivots of two rows, and exchanges
                    cpu = linalg.ldl_factor_ex(torch_np.from_numpy(a), hermitian=hermitian)
                    gpu = linalg.ldl_factor_ex(torch_np.from_numpy(a).cuda(), hermitian=hermitian)
                    assert shape[-1] < 40 or (numpy.asarray(cpu[1]) < 0).any()
                    for ours, theirs in zip(gpu, cpu):
                        got, expected = numpy.asarray(ours.cpu()), numpy.asarray(theirs)
                        assert got.dtype == expected.dtype and got.shape == expected.shape
                        scale = max(abs(expected).max(), 1) if expected.size else 1
                        assert numpy.abs(got - expected).max(initial=0) <= tolerance * scale, (dtype, shape, hermitian)
                    b = rng.standard_normal((*shape[:-1], 3)).astype(dtype)
                    x = linalg.ldl_solve(*gpu[:2], torch_np.from_numpy(b).cuda(), hermitian=hermitian)
                    y = linalg.ldl_solve(*cpu[:2], torch_np.from_numpy(b), hermitian=hermitian)
                    x, y = numpy.asarray(x.cpu()), numpy.asarray(y)
                    if (numpy.asarray(cpu[2]) == 0).all():
                        assert numpy.abs(x - y).max(initial=0) <= 30 * tolerance * max(abs(y).max(initial=0), 1), (dtype, shape, hermitian)
        for device in ("cpu", "cuda"):
            zero = torch_np.zeros(3, 3, dtype=torch_np.complex128, device=device)
            raises(RuntimeError, lambda: linalg.ldl_factor(zero, hermitian=True), "singular")
            for pivots in ([0, 1, 2], [4, 1, 2], [-1, -2, 3], [1, 2, -3]):  # the last one is half of a pair
                raises(RuntimeError, lambda: linalg.ldl_solve(zero, torch_np.tensor(pivots, device=device), zero), "pivots")
    """)


@needs_device
def test_lu_without_exchanges():
    run("""
        rng = numpy.random.default_rng(4)
        for dtype in ("float32", "float64", "complex64", "complex128"):
            for shape in ((1, 1), (4, 4), (3, 5), (5, 3), (2, 3, 4, 4), (20, 3, 3), (0, 3, 3)):
                a = rng.standard_normal(shape) + 4 * numpy.eye(*shape[-2:])
                a = torch_np.from_numpy(a.astype(dtype)).cuda()
                lu, pivots = torch_np.linalg.lu_factor(a, pivot=False)
                k = min(shape[-2:])
                assert pivots.dtype == torch_np.int32 and pivots.tolist() == torch_np.arange(1, k + 1).expand(*shape[:-2], k).tolist()
                p, l, u = torch_np.linalg.lu(a, pivot=False)
                assert p.numel() == 0 and l.shape[-1] == u.shape[-2] == k
                same(l @ u, a.cpu())
                same(l.tril(-1), lu.tril(-1)[..., :k].cpu())
        # a pivot of zero, which an exchange of rows would avoid
        a = torch_np.tensor([[0.0, 1.0], [1.0, 0.0]], device="cuda")
        assert torch_np.linalg.lu_factor_ex(a, pivot=False).info.item() == 1 and torch_np.linalg.lu_factor_ex(a).info.item() == 0
        raises(RuntimeError, lambda: torch_np.linalg.lu_factor(a, pivot=False), "singular")
        raises(RuntimeError, lambda: torch_np.linalg.lu_factor(a.cpu(), pivot=False), "GPU")
        x = torch_np.tensor(numpy.eye(3) * 4 + rng.standard_normal((3, 3)), device="cuda", requires_grad=True)
        l, u = torch_np.linalg.lu(x, pivot=False)[1:]
        (torch_np.cos(l @ u) * 1.0).sum().backward()
        same(x.grad, -numpy.sin(numpy.asarray(x.detach().cpu())))
    """)
