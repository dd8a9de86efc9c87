"""torch_np.numpy.random: NumPy's generators and distributions, with NumPy's streams, drawn by the engine.

NumPy's own classes turn seeds into states (`SeedSequence`, legacy seeding); from there on every bit is ours.
"""
from numpy.random import SeedSequence  # noqa: F401

from torch_np._C import _numpy_random
from torch_np.numpy.random._bit_generator import (  # noqa: F401
    BitGenerator, MT19937, PCG64, PCG64DXSM, Philox, SFC64,
)
from torch_np.numpy.random._generator import Generator, default_rng  # noqa: F401
from torch_np.numpy.random._legacy import RandomState, _global_state

rand, randn = _numpy_random.rand, _numpy_random.randn

_LEGACY = (
    "beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma", "geometric",
    "get_state", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial",
    "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto",
    "permutation", "poisson", "power", "randint", "random", "random_integers", "random_sample", "rayleigh", "seed",
    "set_state", "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal",
    "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
)
for _name in _LEGACY:
    globals()[_name] = getattr(_global_state, _name)
del _name


def ranf(*args, **kwargs):
    """An alias of `random_sample`."""
    return _global_state.random_sample(*args, **kwargs)


def sample(*args, **kwargs):
    """An alias of `random_sample`."""
    return _global_state.random_sample(*args, **kwargs)


def get_bit_generator():
    """The bit generator that the functions of this module draw from."""
    return _global_state._bit_generator


def set_bit_generator(bitgen):
    """Makes the functions of this module draw from `bitgen`."""
    _global_state._adopt(bitgen)


__all__ = [*_LEGACY, "BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64",
           "SeedSequence", "default_rng", "get_bit_generator", "rand", "randn", "ranf", "sample", "set_bit_generator"]
