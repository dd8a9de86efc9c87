"""torch_np.distributions: probability distributions, their transforms, and Kullback-Leibler
divergences.
"""
import sys
from typing import Any as _Any

from torch_np.distributions.bernoulli import Bernoulli as Bernoulli
from torch_np.distributions.beta import Beta as Beta
from torch_np.distributions.binomial import Binomial as Binomial
from torch_np.distributions.categorical import Categorical as Categorical
from torch_np.distributions.cauchy import Cauchy as Cauchy
from torch_np.distributions.chi2 import Chi2 as Chi2
from torch_np.distributions.constraint_registry import biject_to as biject_to, transform_to as transform_to
from torch_np.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from torch_np.distributions.dirichlet import Dirichlet as Dirichlet
from torch_np.distributions.distribution import Distribution as Distribution
from torch_np.distributions.exp_family import ExponentialFamily as ExponentialFamily
from torch_np.distributions.exponential import Exponential as Exponential
from torch_np.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
from torch_np.distributions.gamma import Gamma as Gamma
from torch_np.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from torch_np.distributions.geometric import Geometric as Geometric
from torch_np.distributions.gumbel import Gumbel as Gumbel
from torch_np.distributions.half_cauchy import HalfCauchy as HalfCauchy
from torch_np.distributions.half_normal import HalfNormal as HalfNormal
from torch_np.distributions.independent import Independent as Independent
from torch_np.distributions.inverse_gamma import InverseGamma as InverseGamma
from torch_np.distributions.kl import kl_divergence as kl_divergence, register_kl as register_kl
from torch_np.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from torch_np.distributions.laplace import Laplace as Laplace
from torch_np.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
from torch_np.distributions.log_normal import LogNormal as LogNormal
from torch_np.distributions.logistic_normal import LogisticNormal as LogisticNormal
from torch_np.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
from torch_np.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from torch_np.distributions.multinomial import Multinomial as Multinomial
from torch_np.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from torch_np.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
from torch_np.distributions.normal import Normal as Normal
from torch_np.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical, OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough
from torch_np.distributions.pareto import Pareto as Pareto
from torch_np.distributions.poisson import Poisson as Poisson
from torch_np.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from torch_np.distributions.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from torch_np.distributions.studentT import StudentT as StudentT
from torch_np.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from torch_np.distributions.transforms import *  # noqa: F401,F403
from torch_np.distributions.uniform import Uniform as Uniform
from torch_np.distributions.von_mises import VonMises as VonMises
from torch_np.distributions.weibull import Weibull as Weibull
from torch_np.distributions.wishart import Wishart as Wishart
from torch_np.distributions import constraints as constraints, utils as utils

# Names that modules of PyTorch import, too, and that programs import from there.
_ALSO: dict[_Any, str] = {
    Distribution: """binomial geometric multinomial multivariate_normal negative_binomial one_hot_categorical relaxed_bernoulli
        relaxed_categorical transforms""",
    Categorical: "multinomial one_hot_categorical relaxed_categorical",
    TransformedDistribution: "half_cauchy half_normal relaxed_bernoulli relaxed_categorical",
    utils.lazy_property: "bernoulli binomial geometric multivariate_normal relaxed_bernoulli transforms wishart",
    utils.broadcast_all: "binomial negative_binomial transforms",
    utils.logits_to_probs: "bernoulli binomial geometric negative_binomial relaxed_bernoulli",
    utils.probs_to_logits: "bernoulli binomial continuous_bernoulli geometric negative_binomial relaxed_bernoulli",
    utils.standard_normal: "lowrank_multivariate_normal multivariate_normal normal studentT",
    utils.sum_rightmost: "independent kl transformed_distribution transforms",
}
for _value, _modules in _ALSO.items():
    for _module in _modules.split():
        _name = _value.__name__
        vars(sys.modules[f"{__name__}.{_module}"])[f"_{_name}" if _name in ("standard_normal", "sum_rightmost") else _name] = _value
