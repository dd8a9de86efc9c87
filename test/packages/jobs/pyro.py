"""Variational inference of Pyro."""
PROJECT = "pyro-ppl"
TASK = "log densities of a model, and steps of stochastic variational inference"
TOLERANCE = 1e-3


def job():
    import pyro
    import pyro.distributions as dist
    import torch

    from packages.values import wave

    data = wave(10) + 1

    def model():
        mean = pyro.sample("mean", dist.Normal(0.0, 1.0))
        with pyro.plate("data", 10):
            pyro.sample("x", dist.Normal(mean, 0.5), obs=data)

    def guide():
        pyro.sample("mean", dist.Delta(pyro.param("point", torch.tensor(0.1))))

    svi = pyro.infer.SVI(model, guide, pyro.optim.Adam({"lr": 0.1}), loss=pyro.infer.Trace_ELBO())
    losses = [svi.step() for _ in range(10)]
    trace = pyro.poutine.trace(pyro.condition(model, {"mean": torch.tensor(0.3)})).get_trace()
    return {"losses": losses, "point": pyro.param("point"), "log_prob": trace.log_prob_sum()}
