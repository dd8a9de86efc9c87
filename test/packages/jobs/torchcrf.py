"""A conditional random field of pytorch-crf."""
PROJECT = "pytorch-crf"
TASK = "log-likelihood of tags with a mask, its gradients, and the best tags"


def job():
    import torch
    from torchcrf import CRF

    from packages.values import fill, wave

    model = fill(CRF(4, batch_first=True))
    emissions = wave(3, 6, 4).requires_grad_()
    tags = (torch.arange(18) % 4).reshape(3, 6)
    mask = torch.tensor([[1] * 6, [1] * 4 + [0] * 2, [1] * 3 + [0] * 3], dtype=torch.bool)
    likelihood = model(emissions, tags, mask=mask, reduction="mean")
    likelihood.backward()
    return {"likelihood": likelihood, "each": model(emissions, tags, reduction="none"), "emissions": emissions.grad,
            "transitions": model.transitions.grad, "best": model.decode(emissions, mask=mask)}
