"""Second and third derivatives of distances, against finite differences."""
import pytest

import torch_np

NORMS = (1.0, 1.5, 2.0, 2.5, 3.0, float("inf"))


def rows(n, seed):
    torch_np.manual_seed(seed)
    return torch_np.rand(n, 3, dtype=torch_np.float64).requires_grad_()


@pytest.mark.parametrize("p", NORMS)
def test_second_derivatives_of_all_pairs(p):
    assert torch_np.autograd.gradgradcheck(lambda x: torch_np.pdist(x, p), [rows(4, 1)])
    assert torch_np.autograd.gradgradcheck(lambda x, y: torch_np.cdist(x, y, p), [rows(3, 1), rows(4, 2)])


@pytest.mark.parametrize("p", (1.5, 2.0, 3.0))
def test_third_derivatives(p):
    @torch_np.enable_grad()  # also while finite differences are computed
    def second(x, y):
        first = torch_np.autograd.grad(torch_np.cdist(x, y, p).sum(), [x, y], create_graph=True)
        return torch_np.autograd.grad((first[0] ** 2).sum() + (first[1] ** 3).sum(), [x, y], create_graph=True)
    assert torch_np.autograd.gradcheck(second, [rows(2, 1), rows(3, 2)])


@pytest.mark.parametrize("p", (0.0, *NORMS))
def test_equal_rows_have_no_second_derivative_and_no_nan(p):
    x = torch_np.ones(3, 2, dtype=torch_np.float64).requires_grad_()
    (first,) = torch_np.autograd.grad(torch_np.pdist(x, p).sum(), x, create_graph=True)
    (second,) = torch_np.autograd.grad((first * first).sum(), x, allow_unused=True)
    assert first.tolist() == [[0, 0]] * 3 and (second is None or second.tolist() == [[0, 0]] * 3)


@pytest.mark.parametrize("p", (1.5, 2.0, 3.0))
def test_rows_that_differ_in_one_column_have_finite_second_derivatives(p):
    x = torch_np.tensor([[0.0, 1.0], [0.0, 2.0]], dtype=torch_np.float64).requires_grad_()
    (first,) = torch_np.autograd.grad(torch_np.pdist(x, p).sum(), x, create_graph=True)
    (second,) = torch_np.autograd.grad((first[:, 1] ** 2).sum(), x)
    assert first[:, 1].tolist() == [-1, 1] and second.isfinite().all()
