"""Systems of linear equations with sparse matrices, against torch_np.linalg.solve of dense ones."""
import numpy
import pytest
import torch_np
from torch_np.autograd import gradcheck, gradgradcheck

CLOSE = {"float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "complex128": 1e-10}


def system(n, dtype, k, seed=0, density=0.1):
    """A matrix whose diagonal has zeros, and a right side."""
    rng = numpy.random.default_rng(seed)
    dense = rng.standard_normal((n, n)) * (rng.random((n, n)) < density)
    dense[numpy.arange(n), rng.permutation(n)] += 3
    b = rng.standard_normal((n, k))
    if "complex" in dtype:
        dense, b = dense * (1 + 0.5j), b * (1 - 2j)
    kind = getattr(torch_np, dtype)
    return torch_np.tensor(dense).to(kind), torch_np.tensor(b).to(kind)


@pytest.mark.parametrize("dtype", list(CLOSE))
@pytest.mark.parametrize("n, k", [(0, 2), (1, 1), (2, 0), (7, 3), (120, 2)])
def test_systems(n, k, dtype):
    a, b = system(n, dtype, k)
    expected = torch_np.linalg.solve(a, b)
    for layout in (torch_np.sparse_csr, torch_np.sparse_csc, torch_np.sparse_coo):
        sparse = a.to_sparse(layout=layout)
        torch_np.testing.assert_close(torch_np.sparse.spsolve(sparse, b), expected, rtol=CLOSE[dtype], atol=CLOSE[dtype])
        if k:
            torch_np.testing.assert_close(torch_np.linalg.solve(sparse, b[:, 0]), expected[:, 0], rtol=CLOSE[dtype], atol=CLOSE[dtype])
    with pytest.raises(RuntimeError):
        torch_np.sparse.spsolve(a, b)


def test_a_grid():
    """The matrix of the Laplace operator on a grid of 60 x 60 points."""
    n = 60
    line = torch_np.arange(n * n)
    right, below = line[line % n != n - 1], line[:-n]
    row = torch_np.cat((line, right, right + 1, below, below + n))
    col = torch_np.cat((line, right + 1, right, below + n, below))
    values = torch_np.cat((torch_np.full((n * n,), 4.0), -torch_np.ones(row.shape[0] - n * n))).double()
    a = torch_np.sparse_coo_tensor(torch_np.stack((row, col)), values, (n * n, n * n)).to_sparse_csr()
    x = torch_np.rand(n * n, dtype=torch_np.float64)
    torch_np.testing.assert_close(torch_np.sparse.spsolve(a, a @ x), x)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients(dtype):
    a, b = system(5, dtype, 2)
    sparse = a.to_sparse_csr()
    crow, col, values = sparse.crow_indices(), sparse.col_indices(), sparse.values().detach().clone().requires_grad_()
    b.requires_grad_()

    def solve(v, right):
        return torch_np.sparse.spsolve(torch_np.sparse_csr_tensor(crow, col, v, (5, 5)), right)
    assert gradcheck(solve, (values, b)) and gradgradcheck(solve, (values, b))


def test_singular_matrices():
    for dense in (torch_np.zeros(2, 2), torch_np.ones(2, 2), torch_np.tensor([[0.0, 1.0], [0.0, 2.0]])):
        with pytest.raises(RuntimeError, match=r"(?i)singular"):
            torch_np.sparse.spsolve(dense.to_sparse_csr(), torch_np.ones(2))


@pytest.mark.parametrize("call, error", [
    (lambda a, b: torch_np.sparse.spsolve(a, b[:2]), RuntimeError), (lambda a, b: torch_np.sparse.spsolve(a, b.double()), RuntimeError),
    (lambda a, b: torch_np.sparse.spsolve(a.to_dense()[:2].to_sparse_csr(), b), RuntimeError),
    (lambda a, b: torch_np.sparse.spsolve(a, b, left=False), NotImplementedError),
    (lambda a, b: torch_np.linalg.solve(a, a), NotImplementedError), (lambda a, b: torch_np.sparse.spsolve(a, b.reshape(1, 3, 1)), NotImplementedError)])
def test_systems_that_are_refused(call, error):
    with pytest.raises(error):
        call(torch_np.eye(3).to_sparse_csr(), torch_np.ones(3))


@pytest.mark.parametrize("index", [torch_np.int32, torch_np.int64])
@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_a_large_triangle(dtype, index):
    a, b = system(90, "complex128" if "complex" in dtype else "float64", 5)
    a += 4 * torch_np.eye(90)
    kind = getattr(torch_np, dtype)
    for upper in (True, False):
        for transpose in (True, False):
            triangle = torch_np.triu(a) if upper else torch_np.tril(a)
            s = a.to(kind).to_sparse_csr()
            s = torch_np.sparse_csr_tensor(s.crow_indices().to(index), s.col_indices().to(index), s.values(), (90, 90))
            found = torch_np.triangular_solve(b.to(kind), s, upper=upper, transpose=transpose)[0]
            expected = torch_np.linalg.solve(triangle.mT if transpose else triangle, b)
            near = 0.05 if dtype == "float16" else 1e-3
            torch_np.testing.assert_close(found.to(expected.dtype), expected, rtol=near, atol=near)
