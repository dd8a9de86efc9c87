"""The libraries of linear algebra, and our own loops for products: each computes everything that it
supports if TORCH_NP_BLAS names it, on our threads."""
import importlib.metadata
import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.same_on_devices("starts processes, which test linear algebra on the CPU"),
              pytest.mark.same_when_pending("starts processes, which test linear algebra on the CPU")]

PRELUDE = """
import ctypes, os, numpy, torch_np, torch_np.numpy as np
rng = numpy.random.default_rng(0)
def matrix(dtype, *shape):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)
def mapped(part):
    return sorted({line.split()[-1] for line in open("/proc/self/maps", errors="surrogateescape") if part in line})
"""


def installed():
    try:
        importlib.metadata.version("scipy-openblas64")
    except importlib.metadata.PackageNotFoundError:
        return False
    return "is not the name of" not in run("", "openblas").stderr  # not part of this build, or not found at run time


def run(code, library, **environment):
    environment = os.environ | environment | {"TORCH_NP_BLAS": library}
    code = PRELUDE + "torch_np.ones(9, 9) @ torch_np.ones(9, 9)\n" + code
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(params=["mkl", "openblas", "loops"])
def library(request):
    if request.param == "openblas" and not installed():
        pytest.skip("OpenBLAS is not here")
    if request.param != "openblas" and "is not the name of" in run("", request.param).stderr:
        pytest.skip(f"{request.param}: not in this build")  # loops: compiled for AVX2 and AVX-512
    return request.param


@pytest.fixture(params=["avx2", "avx512"])
def capability(request, library):
    if "is not the name of" in run("", library, TORCH_NP_CPU_CAPABILITY=request.param).stderr:
        pytest.skip(f"loops for {request.param} are not in this build")
    return request.param


@pytest.fixture
def openblas():
    if not installed():
        pytest.skip("OpenBLAS is not here")
    return "openblas"


def test_products_of_all_shapes(library):
    """Sizes above and below the limit for threads, with partial tiles and transposed operands."""
    run("""
for dtype in ("float32", "float64", "complex64", "complex128"):
    for m, k, n in ((1, 1, 1), (2, 3, 4), (17, 5, 3), (64, 64, 64), (70, 300, 90), (129, 130, 131), (257, 40, 513), (3, 20_000, 5), (400, 2, 700),
                    (1, 900, 500), (500, 900, 1), (200_000, 3, 1), (1, 200_000, 3), (3, 200_000, 1), (1, 100_000, 1)):
        a, b = matrix(dtype, m, k), matrix(dtype, k, n)
        exact = a.astype("complex128") @ b.astype("complex128")
        bound = 4 * numpy.finfo(dtype).eps * (abs(a).astype("float64") @ abs(b).astype("float64")) * numpy.sqrt(k + 16)
        for x in (a, numpy.asfortranarray(a)):
            for y in (b, numpy.asfortranarray(b)):
                assert (abs(numpy.asarray(np.asarray(x) @ np.asarray(y)) - exact) <= bound).all(), (dtype, m, k, n)
        vector = b[:, 0]
        assert (abs(numpy.asarray(np.asarray(a) @ np.asarray(vector)) - exact[:, 0]) <= bound[:, 0]).all()
        assert (abs(numpy.asarray(np.asarray(a[0]) @ np.asarray(b)) - exact[0]) <= bound[0]).all()
""", library)


def test_factorisations_leave_small_residuals(library):
    run("""
def small(residual, a):
    assert abs(numpy.asarray(residual)).max() <= 40 * len(a) * numpy.finfo(a.dtype).eps * abs(numpy.asarray(a)).max(), (a.dtype, a.shape)
for dtype in ("float32", "float64", "complex64", "complex128"):
    for n in (1, 5, 33, 150, 300):
        a = np.asarray(matrix(dtype, n, n))
        adjoint = lambda x: np.conj(x.T)
        hermitian, identity = a + adjoint(a), np.eye(n, dtype=a.dtype)
        positive = a @ adjoint(a) + n * identity
        q, r = np.linalg.qr(a)
        small(q @ r - a, a), small(adjoint(q) @ q - identity, identity)
        u, s, vh = np.linalg.svd(a)
        small((u * s) @ vh - a, a), small(adjoint(u) @ u - identity, identity)
        w, v = np.linalg.eigh(hermitian)
        small(hermitian @ v - v * w, hermitian)
        small(np.linalg.eigvalsh(hermitian) - w, hermitian)
        w, v = np.linalg.eig(a)
        small(a @ v - v * w, a)
        low = np.linalg.cholesky(positive)
        small(low @ adjoint(low) - positive, positive)
        small(positive @ np.linalg.solve(positive, a) - a, positive), small(positive @ np.linalg.inv(positive) - identity, positive)
        x = np.linalg.lstsq(positive, a, rcond=None)[0]
        small(positive @ x - a, positive)
        sign, log = np.linalg.slogdet(positive)
        assert abs(log - np.log(np.abs(np.diag(low))).sum() * 2) <= 1e-3 and abs(sign - 1) <= 1e-4
""", library)


def test_errors_of_products_are_reported(library):
    """Errors are reported through the processor's flags or by a check of the results, depending on
    the library's threads."""
    run("""
import warnings
for n in (3, 40, 130, 300):
    for dtype in ("float32", "float64"):
        a = np.full((n, n), numpy.finfo(dtype).max, dtype=dtype)
        for x, y in ((a, a), (a, a[0]), (a[0], a), (a[0], a[0])):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                x @ y
            assert [str(w.message) for w in seen] == ["overflow encountered in matmul"], (n, dtype, x.ndim, y.ndim, seen)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.ones((n, n), dtype=dtype) @ np.full((n, n), 0.1, dtype=dtype)
""", library)


@pytest.mark.parametrize("library", ["openblas", "loops"], indirect=True)
def test_bits_do_not_depend_on_the_number_of_threads(library):
    code = """
import hashlib
hashes = []
for dtype in ("float32", "float64", "complex128"):
    for m, k, n in ((128, 128, 128), (500, 700, 300), (1000, 30, 1000), (3, 5000, 900), (8, 700, 2500), (1000, 1000, 1), (1, 1000, 1000), (1, 100_000, 4), (1, 300_000, 1)):
        product = numpy.asarray(np.asarray(matrix(dtype, m, k)) @ np.asarray(matrix(dtype, k, n)))
        hashes.append(hashlib.sha1(product.tobytes()).hexdigest()[:8])
    if os.environ["TORCH_NP_BLAS"] == "openblas":
        values, vectors = np.linalg.eigh(np.asarray(matrix(dtype, 450, 450)))
        hashes.append(hashlib.sha1(numpy.asarray(values).tobytes() + numpy.asarray(vectors).tobytes()).hexdigest()[:8])
print(hashes)
"""
    of_one, of_two, of_seven = (run(code, library, TORCH_NP_NUM_THREADS=n).stdout for n in ("1", "2", "7"))
    assert of_one == of_two == of_seven


@pytest.mark.parametrize("library", ["loops"], indirect=True)
def test_loops_give_an_element_the_same_bits_wherever_it_lies(library, capability):
    run("""
for dtype in ("float32", "float64"):
    a, b = np.asarray(matrix(dtype, 61, 700)), np.asarray(matrix(dtype, 700, 171))
    whole = numpy.asarray(a @ b)
    assert numpy.allclose(whole, numpy.asarray(a).astype("float64") @ numpy.asarray(b), atol=1e-3 if dtype == "float32" else 1e-11)
    for rows, cols in ((slice(3, 50), slice(None)), (slice(None), slice(7, 100)), (slice(5, 9), slice(1, 171, 2)), (slice(60, 2, -3), slice(90, 2, -1))):
        assert (numpy.asarray(a[rows] @ b[:, cols]) == whole[rows, cols]).all(), (dtype, rows, cols)
""", library, TORCH_NP_CPU_CAPABILITY=capability)


@pytest.mark.parametrize("library", ["loops"], indirect=True)
def test_products_of_few_rows_have_the_bits_of_others(library, capability):
    """A large second operand selects special loops: partial strips, sums of one to four products."""
    run("""
for dtype in ("float32", "float64"):
    for k, n in ((1100, 1003), (1537, 700), (7, 160_000)):
        a, b = np.asarray(matrix(dtype, 40, k)), np.asarray(matrix(dtype, k, n))
        whole = numpy.asarray(a @ b)
        exact = numpy.asarray(a).astype("float64") @ numpy.asarray(b)
        assert numpy.allclose(whole, exact, rtol=0, atol=1e-3 if dtype == "float32" else 1e-11)
        for rows in (slice(0, 2), slice(3, 6), slice(1, 17), slice(39, 8, -3), slice(0, 40, 5)):
            few = a[rows]
            for left in (few, np.asarray(numpy.asfortranarray(numpy.asarray(few)))):
                assert (numpy.asarray(left @ b) == whole[rows]).all(), (dtype, k, n, rows)
        assert (numpy.asarray(a[:5] @ b[:, 3:]) == whole[:5, 3:]).all()
        assert (numpy.asarray(a[:5] @ b[::-1]) == numpy.asarray(a @ b[::-1])[:5]).all()
""", library, TORCH_NP_CPU_CAPABILITY=capability)


def test_eigenvectors_in_parts(library):
    """Divide and conquer: odd and even sizes, eigenvalues that are close, equal or decoupled,
    scaled matrices."""
    run("""
wilkinson = numpy.diag(numpy.abs(numpy.arange(-10, 11.0))) + numpy.diag(numpy.ones(20), 1) + numpy.diag(numpy.ones(20), -1)
glued = numpy.kron(numpy.eye(15), wilkinson)
for k in range(21, 315, 21):
    glued[k, k - 1] = glued[k - 1, k] = 1e-8
for dtype in ("float32", "float64", "complex64", "complex128"):
    random = [numpy.asarray(matrix(dtype, n, n)) for n in (200, 201, 450)]
    eps = numpy.finfo(dtype).eps
    for q in [a + a.conj().T for a in random] + [glued, numpy.ones((300, 300)), numpy.eye(250), numpy.zeros((220, 220)), glued * 1e30, glued * 1e-30]:
        q = q.astype(dtype)
        for triangle in "LU":
            w, v = (numpy.asarray(t) for t in np.linalg.eigh(np.asarray(q), UPLO=triangle))
            size = numpy.abs(w).max() + numpy.finfo(dtype).tiny
            assert (numpy.diff(w) >= 0).all() and w.dtype == numpy.asarray(q.real).dtype
            assert numpy.abs((q / size) @ v - v * (w / size)).max() <= 100 * eps
            assert numpy.abs(v.conj().T @ v - numpy.eye(len(q))).max() <= 100 * eps
    w = np.linalg.eigvalsh(np.asarray(random[2] + random[2].conj().T))
    full = np.linalg.eigh(np.asarray(random[2] + random[2].conj().T))[0]
    assert numpy.abs(numpy.asarray(w - full)).max() <= 100 * eps * numpy.abs(numpy.asarray(w)).max()
""", library)


def test_numpys_openblas_keeps_its_threads(openblas):
    """torch_np loads another copy of OpenBLAS, which it limits to one thread."""
    run("""
def threads(path):
    return ctypes.CDLL(path).scipy_openblas_get_num_threads64_()
[ours] = mapped("/libscipy_openblas64_.so")
assert threads(ours) == 1
for path in mapped("/libscipy_openblas64_-"):
    expected = threads(path)
    np.linalg.svd(np.ones((50, 50)))
    assert threads(path) == expected == min(3, len(__import__("os").sched_getaffinity(0)))
""", openblas, OPENBLAS_NUM_THREADS="3")


def test_an_unknown_library_is_reported_and_ignored():
    assert run("", "atlas").stderr == "torch_np: TORCH_NP_BLAS is 'atlas', which is not the name of an available BLAS library; it is ignored\n"
