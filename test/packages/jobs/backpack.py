"""Quantities beside gradients, by BackPACK."""
PROJECT = "backpack-for-pytorch"
TASK = "gradients of each sample, their variance, and the diagonal of the Gauss-Newton matrix of a small network"


def job():
    import torch
    from backpack import backpack, extend
    from backpack.extensions import BatchGrad, DiagGGNExact, SumGradSquared, Variance

    from packages.values import wave

    net = extend(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)))
    loss = extend(torch.nn.CrossEntropyLoss())
    for i, p in enumerate(net.parameters()):
        p.data.copy_(wave(*p.shape, step=0.1 * (i + 1)))
    with backpack(BatchGrad(), Variance(), DiagGGNExact(), SumGradSquared()):
        loss(net(wave(6, 4)), torch.tensor([0, 1, 2, 0, 1, 2])).backward()
    results = {}
    for name, p in net.named_parameters():
        results |= {f"{name} samples": p.grad_batch, f"{name} variance": p.variance, f"{name} GGN": p.diag_ggn_exact, f"{name} squares": p.sum_grad_squared}
    return results
