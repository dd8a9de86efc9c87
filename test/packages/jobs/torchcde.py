"""Splines of torchcde."""
PROJECT = "torchcde"
TASK = "natural cubic and Hermite splines, and a controlled differential equation"


def job():
    import torch
    import torchcde

    from packages.values import fill, wave

    class Field(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 8)

        def forward(self, t, z):
            return self.layer(z).tanh().view(*z.shape[:-1], 4, 2)

    x = wave(3, 6, 2)
    coefficients = torchcde.hermite_cubic_coefficients_with_backward_differences(x)
    path = torchcde.CubicSpline(coefficients)
    z = torchcde.cdeint(X=path, func=fill(Field()), z0=wave(3, 4), t=path.interval, method="rk4", options={"step_size": 0.5}, adjoint=False)
    return {"hermite": coefficients, "natural": torchcde.natural_cubic_coeffs(x), "derivative": path.derivative(torch.tensor(1.5)), "solution": z}
