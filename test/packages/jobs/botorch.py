"""Bayesian optimisation with botorch."""
PROJECT = "botorch"
TASK = "the posterior of a Gaussian process, expected improvement and other acquisitions with gradients, and test functions"
TOLERANCE = 1e-4


def job():
    import torch
    from botorch.acquisition import ExpectedImprovement, LogExpectedImprovement, UpperConfidenceBound, qExpectedImprovement
    from botorch.models import SingleTaskGP
    from botorch.sampling import IIDNormalSampler
    from botorch.test_functions import Branin, Hartmann
    from botorch.utils.multi_objective import is_non_dominated

    from packages.values import wave

    x = wave(8, 2, dtype=torch.float64) * 0.5 + 0.5
    y = -Branin().evaluate_true(x * 10).unsqueeze(-1) / 50
    model = SingleTaskGP(x, y, outcome_transform=None)
    model.covar_module.lengthscale = 0.4
    model.likelihood.noise = 0.01
    model.eval()
    points = (wave(5, 1, 2, step=0.7, dtype=torch.float64) * 0.5 + 0.5).requires_grad_()
    posterior = model.posterior(points)
    results = {"mean": posterior.mean, "variance": posterior.variance, "hartmann": Hartmann()(wave(3, 6, dtype=torch.float64) * 0.5 + 0.5),
               "front": is_non_dominated(wave(6, 2))}
    for name, acquisition in (("ei", ExpectedImprovement(model, best_f=y.max())), ("log_ei", LogExpectedImprovement(model, best_f=y.max())),
                              ("ucb", UpperConfidenceBound(model, beta=0.2))):
        value = acquisition(points)
        results[name] = [value, torch.autograd.grad(value.sum(), points)[0]]
    sampler = IIDNormalSampler(torch.Size([16]), seed=3)
    sampler.base_samples = wave(16, 1, 1, step=1.3, dtype=torch.float64)
    sampler._construct_base_samples = lambda posterior: None
    results["qei"] = qExpectedImprovement(model, best_f=y.max(), sampler=sampler)(points)
    return results
