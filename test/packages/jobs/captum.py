"""Attributions of captum."""
PROJECT = "captum"
TASK = "integrated gradients, saliency, DeepLift and occlusion of a small network"


def job():
    import torch
    from captum.attr import DeepLift, IntegratedGradients, Occlusion, Saliency

    from packages.values import fill, wave

    net, x = fill(torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))), wave(2, 4)
    return {"integrated": IntegratedGradients(net).attribute(x, target=1, n_steps=20), "saliency": Saliency(net).attribute(x, target=0),
            "deeplift": DeepLift(net).attribute(x, target=2), "occlusion": Occlusion(net).attribute(x, sliding_window_shapes=(1,), target=1)}
