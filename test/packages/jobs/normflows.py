"""Flows of normflows."""
PROJECT = "normflows"
TASK = "a RealNVP flow: the forward Kullback-Leibler divergence, its gradients, and steps of Adam"


def job():
    import normflows as nf
    import torch

    from packages.values import fill, wave

    flows = []
    for _ in range(3):
        flows += [nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 8, 8, 2], init_zeros=False)), nf.flows.Permute(2, mode="swap")]
    model = fill(nf.NormalizingFlow(nf.distributions.base.DiagGaussian(2), flows))
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.01), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model.forward_kld(wave(8, 2))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "log_prob": model.log_prob(wave(4, 2)), "inverse": model.inverse(wave(4, 2))}
