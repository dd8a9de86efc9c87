"""Optimizers of pytorch-optimizer."""
PROJECT = "pytorch_optimizer"
TASK = "five steps of Lion, AdaBelief, Adan, LAMB, RAdam, AdamP and Tiger on a small network"


def job():
    import pytorch_optimizer
    import torch

    from packages.values import fill, wave

    results = {}
    for name in ("Lion", "AdaBelief", "Adan", "Lamb", "RAdam", "AdamP", "Tiger"):
        net = fill(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)))
        optimizer = getattr(pytorch_optimizer, name)(net.parameters(), lr=1e-2)
        for _ in range(5):
            optimizer.zero_grad()
            (net(wave(6, 3)) - wave(6, 1, step=0.9)).pow(2).mean().backward()
            optimizer.step()
        results[name] = list(net.parameters())
    return results
