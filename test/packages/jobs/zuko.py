"""Flows of zuko."""
PROJECT = "zuko"
TASK = "a neural spline flow with context: log-likelihood, its gradient, and the transform"


def job():
    import torch
    import zuko

    from packages.values import fill, wave

    flow = fill(zuko.flows.NSF(features=3, context=2, transforms=2, hidden_features=(8, 8)))
    x, context = wave(4, 3).requires_grad_(), wave(4, 2)
    density = flow(context).log_prob(x)
    (gradient,) = torch.autograd.grad(density.sum(), x)
    return {"log_prob": density, "gradient": gradient, "noise": flow(context).transform(x)}
