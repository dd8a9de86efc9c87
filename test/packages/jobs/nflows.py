"""A normalizing flow of nflows."""
PROJECT = "nflows"
TASK = "a masked autoregressive flow: log-likelihood, inverse, and a step of Adam"


def job():
    import torch
    from nflows.distributions.normal import StandardNormal
    from nflows.flows.base import Flow
    from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
    from nflows.transforms.base import CompositeTransform
    from nflows.transforms.permutations import ReversePermutation

    from packages.values import fill, wave

    flow = fill(Flow(CompositeTransform([ReversePermutation(features=3), MaskedAffineAutoregressiveTransform(features=3, hidden_features=8)] * 2),
                     StandardNormal(shape=[3])))
    x = wave(5, 3)
    optimizer = torch.optim.Adam(flow.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = -flow.log_prob(inputs=x).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    noise = flow.transform_to_noise(x)
    return {"losses": losses, "noise": noise, "back": flow._transform.inverse(noise)[0]}
