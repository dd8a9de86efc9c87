"""SyncBatchNorm: two processes with equal batches give what one process gives for both batches."""
import torch_np as torch
from torch_np.nn import functional as F
from torch_np.nn.modules import _sync_batch_norm


def test_equal_batches_of_two_processes(monkeypatch):
    monkeypatch.setattr(_sync_batch_norm, "_all_reduce", lambda t, group: t.mul_(2))
    torch.manual_seed(0)
    x, weight, bias, grad = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((5, 3, 2), (3,), (3,), (5, 3, 2)))
    mean, var = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    y = _sync_batch_norm.synchronized_batch_norm(x, mean, var, weight, bias, 0.1, 1e-5, None)
    got = torch.autograd.grad(y, (x, weight, bias), grad.detach())

    both, both_mean, both_var = torch.cat([x, x]), torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    expected = F.batch_norm(both, both_mean, both_var, weight, bias, True, 0.1, 1e-5)
    # x has the gradients of both halves, and the parameters those of both processes
    want = torch.autograd.grad(expected, (x, weight, bias), torch.cat([grad, grad]).detach())
    assert torch.allclose(y, expected[:5]) and torch.allclose(mean, both_mean) and torch.allclose(var, both_var)
    for a, b in zip(got, want):
        assert torch.allclose(2 * a, b)
