"""Layers with distributions in place of weights, by blitz."""
PROJECT = "blitz-bayesian-pytorch"
TASK = "a network with random weights of the same seed: outputs, the evidence bound with its gradients, and frozen weights"


def job():
    import torch
    from blitz.modules import BayesianConv2d, BayesianLinear, BayesianLSTM
    from blitz.utils import variational_estimator

    from packages.values import wave

    @variational_estimator
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution, self.linear = BayesianConv2d(1, 2, (3, 3)), BayesianLinear(72, 3)

        def forward(self, x):
            return self.linear(torch.relu(self.convolution(x)).flatten(1))

    torch.manual_seed(0)
    net, x = Net(), wave(2, 1, 8, 8)
    drawn = net(x)
    loss = net.sample_elbo(x, torch.tensor([0, 1]), torch.nn.CrossEntropyLoss(), 2, complexity_cost_weight=1e-3)
    loss.backward()
    net.freeze_()
    return {"drawn": drawn, "loss": loss, "gradients": [p.grad for p in net.parameters()], "frozen": net(x), "lstm": BayesianLSTM(3, 4)(wave(2, 5, 3))[0]}
