"""Optimizers of torch-optimizer."""
PROJECT = "torch-optimizer"
TASK = "five steps of AdaBound, DiffGrad, Lamb, QHAdam, Shampoo, Yogi and others"


def job():
    import torch
    import torch_optimizer

    from packages.values import fill, wave

    results = {}
    for name in ("AdaBound", "DiffGrad", "Lamb", "NovoGrad", "QHAdam", "RAdam", "SGDW", "Yogi", "AggMo", "Shampoo"):
        net = fill(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)))
        optimizer = getattr(torch_optimizer, name)(net.parameters(), lr=1e-2)
        for _ in range(5):
            optimizer.zero_grad()
            (net(wave(6, 3)) - wave(6, 1, step=0.9)).pow(2).mean().backward()
            optimizer.step()
        results[name] = list(net.parameters())
    return results
