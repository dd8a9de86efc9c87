"""The optimizer of lion-pytorch."""
PROJECT = "lion-pytorch"
TASK = "steps of Lion with decoupled weight decay"


def job():
    import torch
    from lion_pytorch import Lion

    from packages.values import fill, wave

    net = fill(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)))
    optimizer = Lion(net.parameters(), lr=1e-2, weight_decay=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        (net(wave(6, 3)) - wave(6, 1, step=0.9)).pow(2).mean().backward()
        optimizer.step()
    return {"parameters": list(net.parameters())}
