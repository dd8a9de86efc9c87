"""Structured pruning by Torch-Pruning."""
PROJECT = "torch-pruning"
TASK = "half of the channels of a small network removed by their norms, with the layers that depend on them"


def job():
    import torch
    import torch_pruning as tp

    from packages.values import wave

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.b = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
            self.c2, self.f = torch.nn.Conv2d(8, 16, 3), torch.nn.Linear(16, 4)

        def forward(self, x):
            return self.f(self.c2(self.b(self.c1(x)).relu()).mean((2, 3)))

    net = Net().eval()
    for i, p in enumerate(net.parameters()):
        p.data = wave(*p.shape, step=0.1 * (i + 1))
    x = wave(1, 3, 8, 8)
    before = tp.utils.count_ops_and_params(net, x)
    tp.pruner.MagnitudePruner(net, x, importance=tp.importance.MagnitudeImportance(p=2), iterative_steps=1, pruning_ratio=0.5, ignored_layers=[net.f]).step()
    after = tp.utils.count_ops_and_params(net, x)
    return {"counts": torch.tensor([*before, *after], dtype=torch.float64), "out": net(x), "shape": torch.tensor(net.c2.weight.shape)}
