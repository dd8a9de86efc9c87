"""Losses of pytorch-metric-learning."""
PROJECT = "pytorch-metric-learning"
TASK = "triplet, contrastive and NT-Xent losses with a miner, with gradients"


def job():
    import torch
    from pytorch_metric_learning import losses, miners

    from packages.values import wave

    x, labels = wave(8, 4).requires_grad_(), torch.tensor([0, 0, 1, 1, 2, 2, 0, 1])
    pairs = miners.MultiSimilarityMiner()(x, labels)
    results = {}
    for f in (losses.TripletMarginLoss(), losses.ContrastiveLoss(), losses.NTXentLoss(), losses.MultiSimilarityLoss()):
        loss = f(x, labels, pairs)
        (gradient,) = torch.autograd.grad(loss, x)
        results |= {type(f).__name__: loss, f"gradient of {type(f).__name__}": gradient}
    return results
