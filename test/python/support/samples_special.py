"""Sample calls of special functions, and of random fills, for the check of gradients."""
import torch_np
from samples import Case
from samples_activation import call


def of(function, *shapes, low=0.5, high=3):
    return lambda make: [Case([make(*s, low=low, high=high) for s in shapes or ((2, 3),)], lambda *xs: call(make, function, *xs), "real")]


def shape_parameter(make):
    return torch_np.tensor([0.7, 1.5, 3.0], dtype=torch_np.float64)


def fixed(function):
    """A fill with the same numbers each time. `x` is added, so that there is a gradient."""
    return lambda make: [Case([make(2, 3)], lambda x: call(make, lambda x: function(x * 1, torch_np.Generator()) + x, x), "real", second=False)]


SAMPLES = {
    "special_polygamma_of": of(lambda x: torch_np.polygamma(2, x)),
    "special_logit_of": of(torch_np.logit, low=0.1, high=0.9),
    "special_zeta": of(lambda y: torch_np.special.zeta(torch_np.tensor([2.0, 2.5, 4.0], dtype=torch_np.float64), y)),
    "igamma": of(lambda x: torch_np.igamma(shape_parameter(x), x)), "igammac": of(lambda x: torch_np.igammac(shape_parameter(x), x)),
    "uniform_": fixed(lambda x, g: x.uniform_(generator=g)), "normal_": fixed(lambda x, g: x.normal_(generator=g)),
    "log_normal_": fixed(lambda x, g: x.log_normal_(generator=g)), "cauchy_": fixed(lambda x, g: x.cauchy_(generator=g)),
    "exponential_": fixed(lambda x, g: x.exponential_(generator=g)), "geometric_": fixed(lambda x, g: x.geometric_(0.3, generator=g)),
    "bernoulli_": fixed(lambda x, g: x.bernoulli_(0.3, generator=g)),
    "bernoulli_.Tensor": fixed(lambda x, g: x.bernoulli_(torch_np.tensor([0.2, 0.5, 0.8]), generator=g)),
    "random_": fixed(lambda x, g: x.random_(generator=g) / 2 ** 50), "random_.to": fixed(lambda x, g: x.random_(9, generator=g)),
    "random_.from": fixed(lambda x, g: x.random_(2, 9, generator=g)),
    "poisson": fixed(lambda x, g: torch_np.poisson(x * 0 + 2, g)),
    "binomial": fixed(lambda x, g: torch_np.binomial(x * 0 + 5, x * 0 + 0.5, g)),
}


# Random fills: their derivatives are zero, for every dtype.
WITHOUT_COMPLEX = {"bernoulli_", "bernoulli_.Tensor", "binomial", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "poisson",
                   "random_", "random_.from", "random_.to", "uniform_"}
