"""Ordinary differential equations of torchode."""
PROJECT = "torchode"
TASK = "Tsit5 and Dopri5 with an adaptive step for each of two initial values, with a gradient"
TOLERANCE = "1e-4"


def job():
    import torch
    import torchode as to

    rate = torch.tensor(-0.5, requires_grad=True)
    term = to.ODETerm(lambda t, y: rate * y)
    problem = to.InitialValueProblem(y0=torch.tensor([[1.2], [5.0]]), t_eval=torch.linspace(0, 2, 5).repeat(2, 1))
    results = {}
    for method in (to.Tsit5, to.Dopri5):
        controller = to.IntegralController(atol=1e-6, rtol=1e-3, term=term)
        solution = to.AutoDiffAdjoint(method(term=term), controller).solve(problem)
        rate.grad = None
        solution.ys.sum().backward()
        results |= {f"{method.__name__} values": solution.ys, f"{method.__name__} steps": solution.stats["n_steps"],
                    f"{method.__name__} gradient": rate.grad.clone()}
    return results
