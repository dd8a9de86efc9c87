"""Self-supervised learning by lightly."""
PROJECT = "lightly"
TASK = "NT-Xent with and without a memory bank, Barlow Twins, VICReg, DINO and SwaV losses with gradients, heads, schedules and masks"
TOLERANCE = 1e-4


def job():
    import torch
    from lightly import loss
    from lightly.models import modules, utils
    from lightly.utils.scheduler import cosine_schedule

    from packages.values import fill, wave

    a, b, results = wave(8, 16).requires_grad_(), wave(8, 16, step=0.21), {}
    for make in (loss.NTXentLoss, loss.BarlowTwinsLoss, loss.VICRegLoss, loss.NegativeCosineSimilarity, loss.DCLLoss, loss.TiCoLoss):
        a.grad = None
        value = make()(a, b)
        value.backward()
        results[make.__name__] = [value, a.grad]
    torch.manual_seed(0)
    bank = loss.NTXentLoss(memory_bank_size=(32, 16))
    results["bank"] = [bank(a, b), bank(a, b)]
    dino = loss.DINOLoss(output_dim=16, warmup_teacher_temp_epochs=2)
    results["dino"] = [dino([a, b], [b, a], epoch=epoch) for epoch in (0, 1)]
    prototypes = fill(modules.SwaVPrototypes(16, 6))
    prototypes.normalize()
    results["swav"] = loss.SwaVLoss()([prototypes(a).detach()], [prototypes(b).detach()])
    one, other = fill(torch.nn.Linear(3, 3)), fill(torch.nn.Linear(3, 3))
    other.weight.data.add_(1)
    utils.update_momentum(one, other, 0.9)
    return {**results, "head": fill(modules.SimCLRProjectionHead(16, 8, 4))(a), "momentum": other.weight, "patches": utils.patchify(wave(2, 3, 8, 8), 4),
            "schedule": [cosine_schedule(i, 10, 1.0, 0.1) for i in range(10)], "mask": list(utils.random_token_mask((2, 9), 0.5))}
