"""Factorisations, products with a summand and distances beyond the golden cases: large inputs,
layouts, stacks, devices."""
import numpy
import pytest

import torch_np as torch

F64 = torch.float64


def normal(*shape, seed=0, dtype=F64):
    return torch.tensor(numpy.random.RandomState(seed).standard_normal(shape)).to(dtype)


def same(a, b, tolerance=1e-9):
    numpy.testing.assert_allclose(a.cpu().tolist(), b.cpu().tolist(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(300, 300), (280, 90), (90, 280), (3, 40, 40), (0, 3, 3), (2, 0, 3)])
def test_lu_multiplies_back(shape):
    a = normal(*shape)
    p, lower, upper = torch.linalg.lu(a)
    same(p @ lower @ upper, a)
    lu, pivots, info = torch.linalg.lu_factor_ex(a)
    assert pivots.dtype == info.dtype == torch.int32 and tuple(info.shape) == shape[:-2]
    assert tuple(pivots.shape) == (*shape[:-2], min(shape[-2:]))


def test_systems_of_stacks_that_broadcast():
    a, b = normal(4, 1, 6, 6), normal(5, 6, 2, seed=1)
    x = torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b)
    assert tuple(x.shape) == (4, 5, 6, 2)
    same(torch.matmul(a, x), b.expand(4, 5, 6, 2))
    same(torch.linalg.solve_ex(a, b)[0], torch.linalg.solve(a, b))
    for upper in (True, False):
        t = torch.triu(a) if upper else torch.tril(a)
        t = t + 6 * torch.eye(6, dtype=F64)
        same(torch.matmul(t, torch.linalg.solve_triangular(t, b, upper=upper)), b.expand(4, 5, 6, 2))


def test_operands_in_any_layout():
    a = normal(6, 6).T
    b = normal(12, 4, seed=2)[::2]
    t = a + 8 * torch.eye(6, dtype=F64)
    same(torch.matmul(torch.triu(t), torch.linalg.solve_triangular(t, b, upper=True)), b)
    same(torch.addmm(b, a, b), b + a @ b)
    same(torch.cdist(a, b[:, :1].expand(6, 6)), torch.cdist(a.contiguous(), b[:, :1].expand(6, 6).contiguous()))


def test_reflections_are_orthogonal():
    a = normal(2, 50, 20)
    h, tau = torch.geqrf(a)
    q = torch.linalg.householder_product(h, tau)
    same(torch.matmul(q.transpose(-2, -1), q), torch.eye(20, dtype=F64).expand(2, 20, 20))
    same(torch.matmul(q, torch.triu(h[:, :20])), a)
    same(torch.ormqr(h, tau, a, transpose=True)[:, :20], torch.triu(h[:, :20]))
    tau[0, 3] = 0  # a reflection that is the identity
    same(torch.ormqr(h, tau, torch.ormqr(h, tau, a), transpose=True), torch.ormqr(h, tau, torch.ormqr(h, tau, a, transpose=True)))


@pytest.mark.parametrize("scale", [1e-9, 0.01, 0.3, 1, 8, 60])
def test_matrix_exp_has_the_exponentials_of_eigenvalues(scale):
    a = normal(9, 9)
    a = (a + a.T) * (scale / 4)
    w, v = torch.linalg.eigh(a)
    expected = torch.matmul(v * torch.exp(w), v.T)
    result = torch.matrix_exp(a)
    same(result / expected.abs().max(), expected / expected.abs().max(), 1e-11)
    alone = torch.matrix_exp(torch.stack([a, a * 1e-3]))
    same(alone[1], torch.matrix_exp(a * 1e-3), 1e-13)


def test_matrix_exp_of_what_is_not_finite():
    a = torch.stack([torch.eye(2, dtype=F64), torch.eye(2, dtype=F64) * float("inf")])
    result = torch.matrix_exp(a)
    same(result[0], torch.eye(2, dtype=F64) * numpy.e)
    assert bool(torch.isnan(result[1]).all())


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 2.5, float("inf")])
@pytest.mark.parametrize("width", [1, 7, 8, 9, 40])
def test_distances_are_norms_of_differences(p, width):
    a, b = normal(2, 30, width), normal(2, 11, width, seed=1)
    expected = torch.linalg.vector_norm(a.unsqueeze(2) - b.unsqueeze(1), p, dim=-1)
    same(torch.cdist(a, b, p, compute_mode="donot_use_mm_for_euclid_dist"), expected)
    same(torch.cdist(a, b, p), expected, 1e-6)
    rows = a[0]
    i, j = numpy.triu_indices(30, 1)
    same(torch.pdist(rows, p), torch.linalg.vector_norm(rows[torch.tensor(i)] - rows[torch.tensor(j)], p, dim=-1))


def test_a_nan_makes_its_distances_nan():
    a = torch.tensor([[float("nan"), 1.0], [0.0, 2.0]])
    for p in (1.0, 2.0, 3.0, float("inf")):
        d = torch.cdist(a, a, p)
        assert bool(torch.isnan(d[0]).all()) and bool(torch.isnan(d[:, 0]).all()) and d[1, 1] == 0


def test_16_bit_norms_do_not_overflow():
    x = torch.full((1000,), 300.0).to(torch.float16)
    assert torch.norm(x).item() == pytest.approx(9488, rel=1e-3)
    assert torch.linalg.vector_norm(x, 2).dtype == torch.float16


def test_large_products_with_a_summand():
    i, a, b = normal(64), normal(200, 150), normal(150, 64, seed=1)
    same(torch.addmm(i, a, b, beta=0.5, alpha=2), 0.5 * i + 2 * (a @ b))
    x = normal(200, 64, seed=3)
    before = x.clone()
    assert x.addmm_(a, b) is x
    same(x, before + a @ b)
    s, t = normal(7, 20, 15), normal(7, 15, 64, seed=2)
    same(torch.baddbmm(i, s, t), i + torch.matmul(s, t))
    same(torch.addbmm(i, s, t), i + torch.matmul(s, t).sum(0))


@pytest.mark.parametrize("hop, length, center", [(2, 8, True), (3, 7, True), (8, 8, True), (2, 8, False)])
def test_signals_come_back(hop, length, center):
    x = normal(2, 64)
    window = torch.hann_window(length, periodic=False, dtype=F64) + 0.1
    transformed = torch.stft(x, 8, hop, length, window, center=center, return_complex=True)
    back = torch.istft(transformed, 8, hop, length, window, center=center)
    same(back, x[:, :back.shape[1]])
    assert back.shape[1] > 64 - 8


def test_shapes_without_data():
    a = torch.empty(3, 5, 4, device="meta")
    assert tuple(torch.linalg.lu_factor(torch.empty(5, 4, device="meta"))[1].shape) == (4,)
    assert tuple(torch.cdist(a, a).shape) == (3, 5, 5)
    assert tuple(torch.baddbmm(torch.empty(5, device="meta"), a, a.transpose(1, 2)).shape) == (3, 5, 5)
    assert tuple(torch.stft(torch.empty(64, device="meta"), 8, return_complex=True).shape) == (5, 33)
    assert tuple(torch.matrix_exp(torch.empty(3, 3, device="meta")).shape) == (3, 3)
