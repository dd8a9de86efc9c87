"""Optimisers of schedulefree."""
PROJECT = "schedulefree"
TASK = "steps of schedule-free AdamW, SGD and RAdam, and their averaged parameters"


def job():
    import schedulefree
    import torch

    from packages.values import fill, wave

    results = {}
    for name, options in (("AdamWScheduleFree", {"warmup_steps": 2}), ("SGDScheduleFree", {}), ("RAdamScheduleFree", {}),
                          ("AdamWScheduleFreeReference", {})):
        model = fill(torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1)))
        steps = getattr(schedulefree, name)(model.parameters(), lr=0.05, weight_decay=0.01, **options)
        steps.train()
        for k in range(5):
            steps.zero_grad()
            (model(wave(6, 4, step=0.3 + k)) - 1).square().mean().backward()
            steps.step()
        training = model[0].weight.detach().clone()
        steps.eval()
        results[name] = [training, model[0].weight, model[2].bias]
    return results
