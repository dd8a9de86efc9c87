"""Moving averages of ema-pytorch."""
PROJECT = "ema-pytorch"
TASK = "an exponential moving average of a network in training, with a warm-up"


def job():
    import torch
    from ema_pytorch import EMA, PostHocEMA

    from packages.values import fill, wave

    model = fill(torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 2)))
    ema = EMA(model, beta=0.9, update_after_step=2, update_every=2)
    late = PostHocEMA(model, sigma_rels=(0.05, 0.28), update_every=1, checkpoint_every_num_steps="manual")
    steps = torch.optim.SGD(model.parameters(), lr=0.1)
    for k in range(12):
        steps.zero_grad()
        model(wave(6, 4, step=0.3 + k)).square().mean().backward()
        steps.step()
        ema.update()
        late.update()
    return {"output": ema(wave(3, 4)), "model": model[0].weight, "decay": ema.get_current_decay(), "step": ema.step,
            "late": [m.ema_model[0].weight for m in late.ema_models]}
