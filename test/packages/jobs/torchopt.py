"""Optimisers of TorchOpt as functions, and differentiable ones."""
PROJECT = "torchopt"
TASK = "functional AdamW and RMSProp, and steps of MetaAdam through which a gradient flows"


def job():
    import torch
    import torchopt

    from packages.values import wave

    layer = torch.nn.Linear(2, 1)
    for p in layer.parameters():
        torch.nn.init.constant_(p, 0.5)
    rate = torch.tensor(0.5, requires_grad=True)
    optimizer = torchopt.MetaSGD(layer, lr=0.1)
    for _ in range(3):
        optimizer.step((layer(wave(3, 2)) ** 2).mean() * rate)
    loss = (layer(wave(3, 2)) ** 2).mean()
    loss.backward()
    results = {"loss": loss, "gradient": rate.grad}
    for name, made in (("adamw", torchopt.adamw(0.1)), ("rmsprop", torchopt.rmsprop(0.1))):
        params = {"a": wave(3).requires_grad_()}
        state = made.init(params)
        updates, state = made.update({"a": wave(3, step=0.3)}, state, params=params, inplace=False)
        results[name] = torchopt.apply_updates(params, updates, inplace=False)["a"]
    return results
