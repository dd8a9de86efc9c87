"""Ordinary differential equations of torchdiffeq."""
PROJECT = "torchdiffeq"
TASK = "dopri5, rk4 and the adjoint method of a small neural ODE, with gradients"


def job():
    import torch
    from torchdiffeq import odeint, odeint_adjoint

    from packages.values import fill, wave

    class Flow(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))

        def forward(self, t, y):
            return self.net(y) - 0.1 * t * y

    flow, start, times = fill(Flow()), wave(3, 2).requires_grad_(), torch.linspace(0, 1, 5)
    results = {}
    for name, solve, method in (("dopri5", odeint, "dopri5"), ("rk4", odeint, "rk4"), ("adjoint", odeint_adjoint, "dopri5")):
        flow.zero_grad()
        y = solve(flow, start, times, method=method, rtol=1e-6, atol=1e-8)
        (gradient,) = torch.autograd.grad(y[-1].pow(2).sum(), start)
        results |= {name: y, f"gradient of {name}": gradient}
    return results
