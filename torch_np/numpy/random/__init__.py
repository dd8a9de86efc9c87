"""torch_np.numpy.random: NumPy's generators and distributions, with NumPy's streams, drawn by the
engine.

NumPy's own classes convert seeds to states (`SeedSequence`, legacy seeding). The engine generates
all random bits from there.
"""
from typing import Any as _Any

from numpy.random import SeedSequence  # noqa: F401

from torch_np._C import ndarray as _ndarray

from torch_np.numpy.random._bit_generator import (  # noqa: F401
    BitGenerator, MT19937, PCG64, PCG64DXSM, Philox, SFC64,
)
from torch_np.numpy.random._generator import Generator, default_rng  # noqa: F401
from torch_np.numpy.random._legacy import RandomState, _global_state

beta = _global_state.beta
binomial = _global_state.binomial
bytes = _global_state.bytes
chisquare = _global_state.chisquare
choice = _global_state.choice
dirichlet = _global_state.dirichlet
exponential = _global_state.exponential
f = _global_state.f
gamma = _global_state.gamma
geometric = _global_state.geometric
get_state = _global_state.get_state
gumbel = _global_state.gumbel
hypergeometric = _global_state.hypergeometric
laplace = _global_state.laplace
logistic = _global_state.logistic
lognormal = _global_state.lognormal
logseries = _global_state.logseries
multinomial = _global_state.multinomial
multivariate_normal = _global_state.multivariate_normal
negative_binomial = _global_state.negative_binomial
noncentral_chisquare = _global_state.noncentral_chisquare
noncentral_f = _global_state.noncentral_f
normal = _global_state.normal
pareto = _global_state.pareto
permutation = _global_state.permutation
poisson = _global_state.poisson
power = _global_state.power
randint = _global_state.randint
rand = _global_state.rand
randn = _global_state.randn
random = _global_state.random
random_integers = _global_state.random_integers
random_sample = _global_state.random_sample
rayleigh = _global_state.rayleigh
seed = _global_state.seed
set_state = _global_state.set_state
shuffle = _global_state.shuffle
standard_cauchy = _global_state.standard_cauchy
standard_exponential = _global_state.standard_exponential
standard_gamma = _global_state.standard_gamma
standard_normal = _global_state.standard_normal
standard_t = _global_state.standard_t
triangular = _global_state.triangular
uniform = _global_state.uniform
vonmises = _global_state.vonmises
wald = _global_state.wald
weibull = _global_state.weibull
zipf = _global_state.zipf


def ranf(*args: _Any, **kwargs: _Any) -> _ndarray:
    """Draws from the uniform distribution on [0, 1). It is an alias of `random_sample`.

    Args:
      args: Arguments of `random_sample`.
      kwargs: Keyword arguments of `random_sample`.

    Shapes: `size`.
    """
    return _global_state.random_sample(*args, **kwargs)


def sample(*args: _Any, **kwargs: _Any) -> _ndarray:
    """Draws from the uniform distribution on [0, 1). It is an alias of `random_sample`.

    Args:
      args: Arguments of `random_sample`.
      kwargs: Keyword arguments of `random_sample`.

    Shapes: `size`.
    """
    return _global_state.random_sample(*args, **kwargs)


def get_bit_generator() -> BitGenerator:
    """Returns the bit generator that the functions of this module use."""
    return _global_state._bit_generator


def set_bit_generator(bitgen: BitGenerator) -> None:
    """Sets the bit generator that the functions of this module use.

    Args:
      bitgen: The bit generator.

    Errors: ValueError if the argument is not a bit generator.
    """
    _global_state._adopt(bitgen)


__all__ = ["beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma", "geometric", "get_state",
           "gumbel", "hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial", "multivariate_normal",
           "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation", "poisson", "power", "randint",
           "random", "random_integers", "random_sample", "rayleigh", "seed", "set_state", "shuffle", "standard_cauchy",
           "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald",
           "weibull", "zipf", "BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64",
           "SeedSequence", "default_rng", "get_bit_generator", "rand", "randn", "ranf", "sample", "set_bit_generator"]

from torch_np.numpy.random import bit_generator as bit_generator, mtrand as mtrand  # noqa: E402
