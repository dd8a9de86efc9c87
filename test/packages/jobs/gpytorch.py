"""Gaussian processes of gpytorch."""
PROJECT = "gpytorch"
TASK = "exact regression: the marginal likelihood, three steps of Adam, and a prediction"
TOLERANCE = 1e-3


def job():
    import gpytorch
    import torch

    from packages.values import wave

    class Model(gpytorch.models.ExactGP):
        def __init__(self, x, y, likelihood):
            super().__init__(x, y, likelihood)
            self.mean, self.kernel = gpytorch.means.ConstantMean(), gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))

    x, y = torch.linspace(0, 1, 12), wave(12)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(x, y, likelihood)
    model.train()
    optimizer, objective, losses = torch.optim.Adam(model.parameters(), lr=0.1), gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = -objective(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    likelihood.eval()
    with torch.no_grad():
        prediction = likelihood(model(torch.linspace(0.1, 0.9, 5)))
    return {"losses": losses, "mean": prediction.mean, "variance": prediction.variance}
