"""A stochastic differential equation of torchsde."""
PROJECT = "torchsde"
TASK = "Euler and Milstein steps of an equation with given noise"


def job():
    import torch
    import torchsde

    from packages.values import wave

    class Equation(torch.nn.Module):
        noise_type, sde_type = "diagonal", "ito"

        def f(self, t, y):
            return -0.5 * y + t

        def g(self, t, y):
            return 0.1 * torch.sigmoid(y)

    class Noise(torchsde.BaseBrownian if hasattr(torchsde, "BaseBrownian") else object):
        dtype, device, shape, levy_area_approximation = torch.float32, torch.device("cpu"), (3, 2), "none"

        def __call__(self, ta, tb=None, return_U=False, return_A=False):
            return wave(3, 2, step=1.3) * (tb - ta) ** 0.5

        def __repr__(self):
            return "Noise()"

    times = torch.linspace(0, 1, 4)
    return {method: torchsde.sdeint(Equation(), wave(3, 2), times, bm=Noise(), method=method, dt=0.1) for method in ("euler", "milstein")}
