"""Moving averages of torch-ema."""
PROJECT = "torch_ema"
TASK = "an exponential moving average of parameters in training, and its state"


def job():
    import torch
    from torch_ema import ExponentialMovingAverage

    from packages.values import fill, wave

    net = fill(torch.nn.Linear(3, 2))
    optimizer, average = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9), ExponentialMovingAverage(net.parameters(), decay=0.9)
    for _ in range(5):
        optimizer.zero_grad()
        (net(wave(4, 3)) - 1).pow(2).mean().backward()
        optimizer.step()
        average.update()
    with average.average_parameters():
        averaged = [p.detach().clone() for p in net.parameters()]
    return {"trained": list(net.parameters()), "averaged": averaged, "updates": average.state_dict()["num_updates"]}
