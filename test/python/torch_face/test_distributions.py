"""Draws of distributions: equal seeds give equal draws, and their moments are those that the
distribution declares."""
import pickle

import pytest

import torch_np

D = torch_np.distributions


def f64(*values):
    return torch_np.tensor(values, dtype=torch_np.float64)


SPREAD = torch_np.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch_np.float64)
# Parameters with at least four finite moments: the comparison of variances needs four.
DISTRIBUTIONS = {
    "Bernoulli": lambda: D.Bernoulli(f64(0.2, 0.7)),
    "Bernoulli of logits": lambda: D.Bernoulli(logits=f64(0.2, -0.7)),
    "Beta": lambda: D.Beta(f64(2.0, 0.5), f64(1.5, 0.7)),
    "Binomial": lambda: D.Binomial(9, f64(0.2, 0.7)),
    "Chi2": lambda: D.Chi2(f64(0.5, 4.0)),
    "ContinuousBernoulli": lambda: D.ContinuousBernoulli(f64(0.1, 0.5)),
    "Dirichlet": lambda: D.Dirichlet(f64(0.5, 1.0, 3.0)),
    "Exponential": lambda: D.Exponential(f64(0.5, 2.0)),
    "FisherSnedecor": lambda: D.FisherSnedecor(f64(5.0, 6.0), f64(30.0, 40.0)),
    "Gamma": lambda: D.Gamma(f64(0.3, 4.0), f64(2.0, 0.5)),
    "GeneralizedPareto": lambda: D.GeneralizedPareto(f64(0.0, 1.0), f64(1.0, 2.0), f64(-0.3, 0.05)),
    "Geometric": lambda: D.Geometric(f64(0.2, 0.7)),
    "Gumbel": lambda: D.Gumbel(f64(0.5, -1.0), f64(1.0, 2.0)),
    "HalfNormal": lambda: D.HalfNormal(f64(1.0, 2.0)),
    "Independent": lambda: D.Independent(D.Normal(f64(1.0, 2.0), f64(1.0, 3.0)), 1),
    "InverseGamma": lambda: D.InverseGamma(f64(20.0, 30.0), f64(2.0, 1.0)),
    "Kumaraswamy": lambda: D.Kumaraswamy(f64(2.0, 0.7), f64(1.5, 3.0)),
    "Laplace": lambda: D.Laplace(f64(0.5, -1.0), f64(1.0, 2.0)),
    "LogNormal": lambda: D.LogNormal(f64(0.5, -1.0), f64(0.2, 0.4)),
    "LowRankMultivariateNormal": lambda: D.LowRankMultivariateNormal(f64(1.0, 2.0), f64(1.0, -1.0).unsqueeze(-1), f64(0.5, 1.0)),
    "MixtureSameFamily": lambda: D.MixtureSameFamily(D.Categorical(f64(0.3, 0.7)), D.Normal(f64(-1.0, 2.0), f64(1.0, 0.5))),
    "Multinomial": lambda: D.Multinomial(7, f64(0.2, 0.3, 0.5)),
    "MultivariateNormal": lambda: D.MultivariateNormal(f64(1.0, 2.0), SPREAD),
    "MultivariateNormal of a precision": lambda: D.MultivariateNormal(f64(1.0, 2.0), precision_matrix=SPREAD),
    "NegativeBinomial": lambda: D.NegativeBinomial(f64(5.0, 3.0), f64(0.2, 0.5)),
    "Normal": lambda: D.Normal(f64(1.0, 2.0), f64(1.0, 3.0)),
    "OneHotCategorical": lambda: D.OneHotCategorical(f64(0.2, 0.3, 0.5)),
    "Pareto": lambda: D.Pareto(f64(1.0, 2.0), f64(20.0, 30.0)),
    "Poisson": lambda: D.Poisson(f64(0.5, 20.0)),
    "StudentT": lambda: D.StudentT(f64(20.0, 30.0), f64(0.0, 1.0), f64(1.0, 2.0)),
    "Uniform": lambda: D.Uniform(f64(1.0, 2.0), f64(3.0, 7.0)),
    "Weibull": lambda: D.Weibull(f64(1.0, 2.0), f64(3.0, 0.9)),
    "Wishart": lambda: D.Wishart(f64(6.0), SPREAD),
}
# Distributions without moments, or with unknown ones.
OTHERS = {
    "Categorical": lambda: D.Categorical(f64(0.2, 0.3, 0.5)),
    "Cauchy": lambda: D.Cauchy(f64(0.0, 1.0), f64(1.0, 2.0)),
    "HalfCauchy": lambda: D.HalfCauchy(f64(1.0, 2.0)),
    "LKJCholesky": lambda: D.LKJCholesky(3, f64(0.5, 1.5)),
    "LogisticNormal": lambda: D.LogisticNormal(f64(0.5, -1.0), f64(1.0, 0.5)),
    "RelaxedBernoulli": lambda: D.RelaxedBernoulli(f64(0.5), f64(0.2, 0.7)),
    "RelaxedOneHotCategorical": lambda: D.RelaxedOneHotCategorical(f64(0.5), f64(0.2, 0.3, 0.5)),
    "VonMises": lambda: D.VonMises(f64(0.5, -1.0), f64(1.0, 5.0)),
}
ALL = DISTRIBUTIONS | OTHERS


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_draws_have_the_mean_and_the_variance_that_it_tells(name):
    d, n = DISTRIBUTIONS[name](), 40_000
    torch_np.manual_seed(5)
    x = d.sample((n,))
    assert x.shape == (n, *d.batch_shape, *d.event_shape)
    distance = x - d.mean
    # Six standard deviations of the mean, and of the mean of squares, over n draws.
    assert bool((distance.mean(0).abs() <= 6 * (d.variance / n).sqrt()).all())
    square = distance ** 2
    assert bool(((square.mean(0) - d.variance).abs() <= 6 * square.std(0) / n ** 0.5).all())


@pytest.mark.parametrize("name", ALL)
def test_draws_are_alike_when_seeded_alike_and_lie_in_the_support(name):
    d, draws = ALL[name](), []
    for seed in (1, 1, 2):
        torch_np.manual_seed(seed)
        draws.append(d.sample((50,)))
    assert torch_np.equal(draws[0], draws[1]) and not torch_np.equal(draws[0], draws[2])
    assert bool(d.support.check(draws[0]).all()) and not draws[0].requires_grad


@pytest.mark.parametrize("name", ALL)
def test_a_copy_by_pickle_draws_alike(name):
    d = ALL[name]()
    copy = pickle.loads(pickle.dumps(d))
    assert type(copy) is type(d) and repr(copy) == repr(d)
    draws = []
    for each in (d, copy):
        torch_np.manual_seed(1)
        draws.append(each.sample((5,)))
    assert torch_np.equal(*draws)


def test_pickles_name_the_module_that_programs_import_from():
    for transform in (D.ExpTransform(), D.AffineTransform(1.0, 2.0), D.ComposeTransform([D.TanhTransform()]), D.ExpTransform().inv):
        assert type(transform).__module__ == "torch_np.distributions.transforms"
        assert repr(pickle.loads(pickle.dumps(transform))) == repr(transform)
