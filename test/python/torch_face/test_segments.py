"""Reductions of segments, where they differ from PyTorch's or depend on ties."""
import pytest

import torch_np as torch


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_equal_extremes_share_the_gradient(sign):
    # PyTorch shares positive gradients only.
    x = torch.tensor([1.0, 3, 3, 5, 5, 5, 2], dtype=torch.float64, requires_grad=True)
    (sign * torch.segment_reduce(x, "max", lengths=torch.tensor([3, 4]))).sum().backward()
    torch.testing.assert_close(x.grad, sign * torch.tensor([0, 0.5, 0.5, 1 / 3, 1 / 3, 1 / 3, 0], dtype=torch.float64))


@pytest.mark.parametrize("reduce", ["max", "min"])
def test_nans_share_the_gradient(reduce):
    x = torch.tensor([1.0, float("nan"), 3, float("nan"), float("nan"), 5], requires_grad=True)
    y = torch.segment_reduce(x, reduce, lengths=torch.tensor([2, 3, 1]))
    assert str(y.tolist()) == "[nan, nan, 5.0]"
    y.sum().backward()
    assert x.grad.tolist() == [0, 1, 0, 0.5, 0.5, 1]


def test_infinite_results_and_empty_segments():
    x = torch.tensor([float("inf"), 1.0, float("inf")], requires_grad=True)
    y = torch.segment_reduce(x, "max", lengths=torch.tensor([2, 0, 1]))
    assert y.tolist() == [float("inf"), -float("inf"), float("inf")]
    y.sum().backward()
    assert x.grad.tolist() == [1, 0, 1]


def test_no_elements_have_a_gradient():
    for reduce in ("sum", "mean", "prod", "max", "min"):
        x = torch.ones(0, requires_grad=True)
        torch.segment_reduce(x, reduce, lengths=torch.tensor([0, 0]), initial=1).sum().backward()
        assert x.grad.shape == (0,)


def test_gradients():
    x = torch.randn(2, 5, 3, dtype=torch.float64, requires_grad=True)
    lengths = torch.tensor([[2, 3, 0], [1, 0, 4]])
    for reduce in ("sum", "mean", "prod", "max", "min"):
        assert torch.autograd.gradcheck(lambda t, reduce=reduce: torch.segment_reduce(t, reduce, lengths=lengths, axis=1, initial=0.5), (x,))
