"""The Kullback-Leibler divergence, by formulas for pairs of classes."""
from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from torch_np import _C, autograd, linalg
from torch_np._C import Tensor
from torch_np._torch.shapes import broadcast_shapes
from torch_np.distributions.bernoulli import Bernoulli
from torch_np.distributions.beta import Beta
from torch_np.distributions.binomial import Binomial
from torch_np.distributions.categorical import Categorical
from torch_np.distributions.cauchy import Cauchy
from torch_np.distributions.continuous_bernoulli import ContinuousBernoulli
from torch_np.distributions.dirichlet import Dirichlet
from torch_np.distributions.distribution import Distribution
from torch_np.distributions.exp_family import ExponentialFamily
from torch_np.distributions.exponential import Exponential
from torch_np.distributions.gamma import Gamma
from torch_np.distributions.geometric import Geometric
from torch_np.distributions.gumbel import Gumbel
from torch_np.distributions.half_normal import HalfNormal
from torch_np.distributions.independent import Independent
from torch_np.distributions.laplace import Laplace
from torch_np.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from torch_np.distributions.multivariate_normal import MultivariateNormal, _mahalanobis
from torch_np.distributions.normal import Normal
from torch_np.distributions.one_hot_categorical import OneHotCategorical
from torch_np.distributions.pareto import Pareto
from torch_np.distributions.poisson import Poisson
from torch_np.distributions.transformed_distribution import TransformedDistribution
from torch_np.distributions.uniform import Uniform
from torch_np.distributions.utils import euler_constant, sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

_t = _C._torch
_KL_REGISTRY: dict[tuple[type, type], Callable[..., Tensor]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Any], Any]:
    """A decorator that registers a formula f(p, q) for two classes of distributions and their
    subclasses.

    `kl_divergence` uses the formula of the nearest base classes.

    Args:
      type_p: class of p
      type_q: class of q

    Errors: TypeError unless both are classes.
    """
    for type_ in (type_p, type_q):
        if not isinstance(type_, type):
            raise TypeError(f"Expected type to be a Distribution subclass but got {type_}")

    def register(formula: Any) -> Any:
        _KL_REGISTRY[type_p, type_q] = formula
        _formula.cache_clear()
        return formula
    return register


@functools.cache
def _formula(type_p: Any, type_q: Any) -> Callable[..., Tensor] | None:
    """The formula for the nearest base classes, ordered by p's base classes first and then by q's.
    """
    fitting = [(type_p.__mro__.index(p), type_q.__mro__.index(q), f) for (p, q), f in _KL_REGISTRY.items()
               if issubclass(type_p, p) and issubclass(type_q, q)]
    return min(fitting, key=lambda row: row[:2])[2] if fitting else None


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence of two distributions, the mean over p of log p - log q.

    Args:
      p: first distribution
      q: second distribution

    Shapes: the batches broadcast to the result.
    Errors: NotImplementedError for a pair without a formula.
    """
    classes: Any = type(p), type(q)
    formula = _formula(*classes)
    if formula is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")
    return formula(p, q)


def _infinite(t: Tensor) -> Tensor:
    return _t.full_like(t, float("inf"))


def _x_log_x(t: Tensor) -> Tensor:
    return _t.xlogy(t, t)


def _lgamma(t: Tensor) -> Tensor:
    return _t.lgamma(t)


def _digamma(t: Tensor) -> Tensor:
    return _t.digamma(t)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli_bernoulli(p, q):
    softplus = _softplus
    first = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    first = _t.where(q.probs == 0, _infinite(first), first)
    first = _t.where(p.probs == 0, _t.zeros_like(first), first)
    second = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    second = _t.where(q.probs == 1, _infinite(second), second)
    second = _t.where(p.probs == 1, _t.zeros_like(second), second)
    return first + second


def _softplus(x):
    from torch_np.nn.functional import softplus
    return softplus(x)


@register_kl(Beta, Beta)
def _beta_beta(p, q):
    sum_p, sum_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = _lgamma(q.concentration1) + _lgamma(q.concentration0) + _lgamma(sum_p)
    t2 = _lgamma(p.concentration1) + _lgamma(p.concentration0) + _lgamma(sum_q)
    t3 = (p.concentration1 - q.concentration1) * _digamma(p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * _digamma(p.concentration0)
    return t1 - t2 + t3 + t4 + (sum_q - sum_p) * _digamma(sum_p)


@register_kl(Binomial, Binomial)
def _binomial_binomial(p, q):
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    if bool((p.total_count > q.total_count).any()):  # p gives numbers that q does not
        return _t.where(p.total_count > q.total_count, float("inf"), _same_binomials(p, q))
    return _same_binomials(p, q)


def _same_binomials(p, q):
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return kl


@register_kl(Categorical, Categorical)
def _categorical_categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t = _t.where((q.probs == 0).expand(t.shape), _infinite(t), t)
    t = _t.where((p.probs == 0).expand(t.shape), _t.zeros_like(t), t)
    return t.sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoullis(p, q):
    return p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + _t.log1p(-p.probs) - q._cont_bern_log_norm() - _t.log1p(-q.probs)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet_dirichlet(p, q):
    sum_p, sum_q = p.concentration.sum(-1), q.concentration.sum(-1)
    t1 = sum_p.lgamma() - sum_q.lgamma()
    t2 = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    return t1 - t2 + ((p.concentration - q.concentration) * (p.concentration.digamma() - sum_p.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential_exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_families(p, q):
    """The Bregman divergence of the log-normaliser.

    Source: Nielsen and Nock, ICIP 2010.
    """
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed using Bregman divergences")
    p_params: list[Any] = [v.detach().requires_grad_() for v in p._natural_params]
    q_params = q._natural_params
    with autograd.enable_grad():
        normalizer = p._log_normalizer(*p_params)
        gradients = autograd.grad(normalizer.sum(), p_params, create_graph=True)
    result = q._log_normalizer(*q_params) - normalizer
    for a, b, g in zip(p_params, q_params, gradients, strict=True):
        result = result - sum_rightmost((b - a) * g, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma_gamma(p, q):
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = _lgamma(q.concentration) - _lgamma(p.concentration)
    t3 = (p.concentration - q.concentration) * _digamma(p.concentration)
    return t1 + t2 + t3 + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel_gumbel(p, q):
    ratio, place_q, place_p = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t1 = -ratio.log() - place_q + place_p
    return t1 + ratio * euler_constant + _t.exp(place_q + (1 + ratio).lgamma() - place_p) - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric_geometric(p, q):
    return -p.entropy() - _t.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _half_normals(p, q):
    return _normal_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace_laplace(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * _t.exp(-distance / p.scale) - 1


def _trace_of_product(a, b):
    """The sum of squares of B^-1 A, for lower triangular B."""
    return linalg.solve_triangular(b, a, upper=False).pow(2).sum((-2, -1))


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _multivariate_normals(p, q):
    return _of_factors(p.loc, p.scale_tril, q.loc, q.scale_tril)


def _of_factors(loc_p, lower_p, loc_q, lower_q):
    if loc_p.shape[-1] != loc_q.shape[-1]:
        raise ValueError("KL-divergence between two Multivariate Normals with different event shapes cannot be computed")
    batch = broadcast_shapes(tuple(loc_p.shape[:-1]), tuple(loc_q.shape[:-1]))
    n = loc_p.shape[-1]
    a, b = (m.expand((*batch, n, n)) for m in (lower_p, lower_q))
    half_log_dets = b.diagonal(dim1=-2, dim2=-1).log().sum(-1) - a.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return half_log_dets + 0.5 * (_trace_of_product(a, b) + _mahalanobis(b, loc_q - loc_p) - n)


@register_kl(Normal, Normal)
def _normal_normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hots(p, q):
    return _categorical_categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto_pareto(p, q):
    ratio, alpha = p.scale / q.scale, q.alpha / p.alpha
    result = q.alpha * ratio.log() - alpha.log() + alpha - 1
    return _t.where(p.support.lower_bound < q.support.lower_bound, float("inf"), result)


@register_kl(Poisson, Poisson)
def _poisson_poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("KL divergence of distributions with different transforms is not implemented")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform_uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return _t.where((q.low > p.low) | (q.high < p.high), float("inf"), result)


@register_kl(Independent, Independent)
def _independents(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Cauchy, Cauchy)
def _cauchy_cauchy(p, q):
    """Source: Chyzak and Nielsen, arXiv 1905.10965."""
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


def _always_infinite(type_p, *types_q):
    for type_q in types_q:
        register_kl(type_p, type_q)(lambda p, q: _infinite(p.mean))


# Pairs (p, q) where p has values outside the support of q: the divergence is infinite.
_always_infinite(Beta, Pareto)
_always_infinite(Exponential, Beta, ContinuousBernoulli, Pareto, Uniform)
_always_infinite(Gamma, Beta, ContinuousBernoulli, Pareto, Uniform)
_always_infinite(Gumbel, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_always_infinite(Laplace, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_always_infinite(Normal, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_always_infinite(Pareto, Beta, ContinuousBernoulli, Uniform)
_always_infinite(Poisson, Bernoulli, Binomial)
_always_infinite(ContinuousBernoulli, Pareto)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - _t.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return (-p.entropy() + q.concentration.lgamma() - q.concentration * q.rate.log() - (q.concentration - 1) * mean_log
            + q.rate * p.concentration1 / (p.concentration1 + p.concentration0))


@register_kl(Beta, Normal)
def _beta_normal(p, q):
    mean, variance = p.mean, q.scale.pow(2)
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + ((p.variance + mean.pow(2)) * 0.5 - mean * q.loc + q.loc.pow(2) * 0.5) / variance


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _unit_interval_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return _t.where((q.low > 0) | (q.high < 1), float("inf"), result)


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p, q):
    return -p.entropy() - _t.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p, q):
    t2 = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + _t.log(q.scale)
    return -p.entropy() + t2 + (p.variance + p.mean.square() - 2.0 * q.loc * p.mean) / (2.0 * q.scale.square())


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    ratio = q.rate / p.rate
    return -q.concentration * _t.log(ratio) + ratio + q.concentration.lgamma() + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    product, place = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - place + product.reciprocal() + _t.exp(place) * product / (product + 1)


@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    variance, rate_squared = q.scale.pow(2), p.rate.pow(2)
    return 0.5 * _t.log(rate_squared * variance * 2 * math.pi) - 1 + (rate_squared.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance


@register_kl(Gamma, Exponential)
def _gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    product, place = p.rate * q.scale, q.loc / q.scale
    t1 = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    t2 = product.log() + p.concentration / product
    return t1 + t2 + _t.exp(place) * (1 + product.reciprocal()).pow(-p.concentration) - place


@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    variance, rate_squared = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * _t.log(rate_squared * variance * 2 * math.pi) - p.concentration - p.concentration.lgamma()
    t2 = 0.5 * (p.concentration.pow(2) + p.concentration) / rate_squared
    return t1 + (p.concentration - 1) * p.concentration.digamma() + (t2 - q.loc * p.concentration / p.rate + 0.5 * q.loc.pow(2)) / variance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p, q):
    ratio = p.scale / q.scale
    t1 = (ratio / math.sqrt(2 * math.pi)).log()
    t2 = (math.pi * ratio * 0.5).pow(2) / 3
    return -t1 + t2 + ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5 - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    return -(0.5 * _t.log(2 * ratio / math.pi)) + ratio + (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / variance - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    mean_ratio, place = p.loc / q.scale, q.loc / q.scale
    t2 = _t.exp(-mean_ratio + 0.5 * (p.scale / q.scale).pow(2) + place)
    return mean_ratio - place + t2 - _t.log(p.scale / q.scale) - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    d = p.loc - q.loc
    z = d / p.scale
    t2 = math.sqrt(2 / math.pi) * p.scale * _t.exp(-0.5 * z.pow(2))
    return -_t.log(p.scale / q.scale) + (d * _t.erf(math.sqrt(0.5) * z) + t2) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return _t.where(p.alpha <= 1, float("inf"), result)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    common = p.scale.log() + p.alpha.reciprocal()
    t1 = p.alpha.log() - common
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    result = t1 + t2 + (1 - q.concentration) * common + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    return _t.where(p.alpha <= 1, float("inf"), result)


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    variance, below = 2 * q.scale.pow(2), p.scale / (p.alpha - 1)
    t1 = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    t2 = p.alpha * below.pow(2) / (p.alpha - 2)
    result = t1 + (t2 + (p.alpha * below - q.loc).pow(2)) / variance - 1
    return _t.where(p.alpha <= 2, float("inf"), result)


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    length = p.high - p.low
    t1 = _t.log(length)
    t2 = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - length) / length
    t3 = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + length) / length
    t4 = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    return _t.where((p.high > 1) | (p.low < 0), float("inf"), t3 + t4 - t1 - t2)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p, q):
    result = -p.entropy() - p.mean * q.logits - _t.log1p(-q.probs) - q._cont_bern_log_norm()
    return _t.where((p.high > 1) | (p.low < 0), float("inf"), result)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return _t.where(p.low < 0, float("inf"), result)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    length = p.high - p.low
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - length) / length
    return _t.where(p.low < 0, float("inf"), -length.log() + t2 + t3 + q.rate * (p.high + p.low) / 2)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    ratio, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * (_t.exp(-high) - _t.exp(-low))


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    length = p.high - p.low
    t1 = (math.sqrt(math.pi * 2) * q.scale / length).log()
    return t1 + 0.5 * (length.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    t1 = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    t2 = (_x_log_x(p.high) - _x_log_x(p.low) - (p.high - p.low)) / (p.high - p.low)
    return _t.where(p.low < q.support.lower_bound, float("inf"), t2 * (q.alpha + 1) - t1)
