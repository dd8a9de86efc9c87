"""Sparse softmax functions of entmax."""
PROJECT = "entmax"
TASK = "sparsemax, entmax15, entmax_bisect and a loss, with gradients"


def job():
    import torch
    from entmax import Entmax15Loss, entmax15, entmax_bisect, sparsemax

    from packages.values import wave

    x = (wave(4, 6) * 2).requires_grad_()
    results = {}
    for name, f in (("sparsemax", sparsemax), ("entmax15", entmax15), ("bisect", lambda x, dim: entmax_bisect(x, 1.3, dim=dim))):
        y = f(x, dim=-1)
        (gradient,) = torch.autograd.grad((y * wave(4, 6, step=1.1)).sum(), x)
        results |= {name: y, f"gradient of {name}": gradient}
    return {**results, "loss": Entmax15Loss(reduction="sum")(x, torch.tensor([0, 1, 2, 3]))}
