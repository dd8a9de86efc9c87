"""torch_np.lobpcg: eigenvalues, residuals, gradients, and the errors of its arguments."""
import pytest

import torch_np as torch


def matrix(m, *batch, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    a = torch.randn(*batch, m, m, dtype=dtype, generator=generator)
    return a @ a.mT + torch.eye(m, dtype=dtype)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("m, n, k", [(9, 3, 1), (9, 2, 2), (60, 8, 4)])
def test_eigenvalues_are_those_of_eigh(m, n, k, batch, largest):
    a = matrix(m, *batch)
    values, vectors = torch.lobpcg(a, k=k, n=n, largest=largest, tol=1e-9)
    expected = torch.linalg.eigvalsh(a)
    expected = expected.flip(-1)[..., :k] if largest else expected[..., :k]
    assert values.shape == (*batch, k) and vectors.shape == (*batch, m, k)
    assert torch.allclose(values, expected, rtol=1e-7)
    assert torch.allclose(a @ vectors, vectors * values.unsqueeze(-2), atol=1e-5)
    assert torch.allclose(vectors.mT @ vectors, torch.eye(k, dtype=a.dtype).expand(*batch, k, k), atol=1e-9)


@pytest.mark.parametrize("largest", [True, False])
def test_generalised_problems(largest):
    a, b = matrix(20), matrix(20, seed=1)
    values, vectors = torch.lobpcg(a, k=2, n=4, B=b, largest=largest, tol=1e-9)
    lower = torch.linalg.cholesky(b)
    inner = torch.linalg.solve_triangular(lower, torch.linalg.solve_triangular(lower, a, upper=False).mT, upper=False)
    expected = torch.linalg.eigvalsh(inner)
    assert torch.allclose(values, expected.flip(0)[:2] if largest else expected[:2], rtol=1e-6)
    assert torch.allclose(a @ vectors, b @ vectors * values, atol=1e-4)
    assert torch.allclose(vectors.mT @ b @ vectors, torch.eye(2, dtype=a.dtype), atol=1e-8)


def test_sparse_matrices_and_preconditioners():
    m = 200  # the second difference, whose eigenvalues are known
    i = torch.arange(m)
    places = torch.cat([torch.stack([i, i]), torch.stack([i[:-1], i[1:]]), torch.stack([i[1:], i[:-1]])], 1)
    numbers = torch.cat([torch.full((m,), 2.0, dtype=torch.float64), torch.full((2 * m - 2,), -1.0, dtype=torch.float64)])
    a = torch.sparse_coo_tensor(places, numbers, (m, m))
    expected = 2 - 2 * torch.cos(torch.pi * torch.arange(1, 4, dtype=torch.float64) / (m + 1))
    steps = []

    def track(worker):
        steps.append((worker.ivars["istep"], worker.ivars["converged_count"], worker.X.shape, worker.R.shape))
    inverse = torch.linalg.inv(a.to_dense())
    values, _ = torch.lobpcg(a, k=3, n=6, largest=False, iK=inverse, tol=1e-10, tracker=track)
    assert torch.allclose(values, expected, rtol=1e-8)
    assert [s[0] for s in steps] == list(range(len(steps))) and len(steps) < 30 and steps[-1][1] >= 3
    assert steps[0][2] == steps[0][3] == (m, 6)


def test_first_vectors_and_the_number_of_steps():
    a = matrix(30)
    values, vectors = torch.linalg.eigh(a)
    found, _ = torch.lobpcg(a, X=vectors[:, -2:].flip(1), niter=0)
    assert torch.allclose(found, values[-2:].flip(0))
    seen = []
    torch.lobpcg(a, niter=3, tol=0.0, tracker=lambda w: seen.append(w.ivars["istep"]))
    assert seen == [0, 1, 2, 3]

    def stop(worker):
        worker.bvars["force_stop"] = True
        seen.append("stopped")
    torch.lobpcg(a, niter=-1, tol=0.0, tracker=stop)
    assert seen[4:] == ["stopped"]


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_gradients(k, largest, batch):
    a = torch.randn(*batch, 6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(3)).requires_grad_()
    start = torch.eye(6, k, dtype=a.dtype)
    start = start.expand(*batch, 6, k)

    def f(a):
        values, vectors = torch.lobpcg(a, X=start, largest=largest, tol=1e-13)
        return values, vectors * vectors.sum(-2, keepdim=True).sign()
    assert torch.autograd.gradcheck(f, a)
    if not batch:
        assert torch.autograd.gradgradcheck(f, a, atol=1e-4)
    values, vectors = f(a)
    gradient, = torch.autograd.grad(values.sum() + vectors.sum(), a)
    assert torch.allclose(gradient, gradient.mT)


def test_errors():
    a = matrix(9)
    for text, arguments in (("smaller than 3 x", {"n": 4}), ("square", {"A": a[:4]}), ("shape of A", {"B": a[:4, :4]}), ("X must have", {"X": a[:4, :1]}),
                            ("larger than n", {"k": 3, "n": 2}), ("'basic' or 'ortho'", {"method": "qr"}), ("float32 or float64", {"A": a.int()})):
        with pytest.raises(ValueError, match=text):
            torch.lobpcg(**{"A": a, **arguments})
    with pytest.raises(NotImplementedError, match="gradients with B"):
        torch.lobpcg(a.clone().requires_grad_(), B=a)
