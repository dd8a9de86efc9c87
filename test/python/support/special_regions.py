"""Regions of arguments of special functions, and the bounds of errors there, in ULP (in prose:
docs/special.md)."""
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

Draw = Callable[[Any, int], numpy.ndarray]


class Region(NamedTuple):
    """Arguments of a function and the bounds of its error in float64 and float32, in ULP of the value, or of `scale` of the arguments
    where that is larger."""

    name: str
    where: str
    bounds: tuple[float, float]
    draw: Callable[[Any, int], tuple[numpy.ndarray, ...]]
    scale: Callable[..., numpy.ndarray] | None = None


def uniform(low: float, high: float) -> Draw:
    return lambda rng, n: rng.uniform(low, high, n)


def powers(low: float, high: float) -> Draw:
    return lambda rng, n: 10.0 ** rng.uniform(low, high, n)


def both(draw: Draw) -> Draw:
    """The values with both signs."""
    return lambda rng, n: draw(rng, n) * rng.choice([-1.0, 1.0], n)


def minus(draw: Draw) -> Draw:
    return lambda rng, n: -draw(rng, n)


def degrees(low: int, high: int) -> Draw:
    return lambda rng, n: rng.integers(low, high, n, endpoint=True).astype("f8")


def near(*places: float) -> Draw:
    """Arguments near special places, at distances of all sizes down to neighbouring numbers:
    changes of method, roots, poles."""
    return lambda rng, n: rng.choice(places, n) + numpy.maximum(numpy.abs(rng.choice(places, n)), 1e-3) * rng.choice(
        [-1.0, 1.0], n) * 10.0 ** rng.uniform(-17, -2, n)


def of(name: str, where: str, bounds: tuple[float, float], *draws: Draw, scale: Callable[..., numpy.ndarray] | None = None) -> Region:
    return Region(name, where, bounds, lambda rng, n: tuple(d(rng, n) for d in draws), scale)


def close(rng: Any, n: int) -> tuple[numpy.ndarray, ...]:
    """Shapes from 1 to 10^5, and arguments within six standard deviations."""
    a = 10.0 ** rng.uniform(0, 5, n)
    return a, a * numpy.abs(1 + rng.uniform(-6, 6, n) / numpy.sqrt(a))


def rows(size: int, spread: float) -> tuple[Draw, ...]:
    return (uniform(-spread, spread),) * size


def amplitude(x: numpy.ndarray) -> numpy.ndarray:
    """The amplitude of Bessel functions."""
    return numpy.minimum(1, numpy.sqrt(2 / numpy.pi / numpy.maximum(x, 1)))


def amplitude_of_airy(x: numpy.ndarray) -> numpy.ndarray:
    return numpy.where(x < -4.5, numpy.abs(x) ** -0.25 / numpy.sqrt(numpy.pi), 0)


def pole(x: numpy.ndarray, power: float | numpy.ndarray) -> numpy.ndarray:
    """The term of the nearest pole, for negative x."""
    return numpy.abs(x - numpy.round(x)) ** -power


def terms_of_digamma(x: numpy.ndarray) -> numpy.ndarray:
    return numpy.maximum(numpy.abs(numpy.pi / numpy.tan(numpy.pi * (x - numpy.round(x)))), numpy.log(1 - x))


def terms_of_multigammaln(p: int) -> Callable[[numpy.ndarray], numpy.ndarray]:
    def terms(x: numpy.ndarray) -> numpy.ndarray:
        logarithms = [numpy.abs(numpy.vectorize(math.lgamma)(x - i / 2)) for i in range(p)]
        return numpy.max([*logarithms, numpy.full_like(x, 0.25 * p * (p - 1) * math.log(math.pi))], axis=0)
    return terms


def largest(*row: numpy.ndarray) -> numpy.ndarray:
    return numpy.max(numpy.abs(row), axis=0)


def softmax_times_distance(*row: numpy.ndarray) -> numpy.ndarray:
    highest = numpy.max(row, axis=0)
    return numpy.exp(row[0] - highest) / numpy.exp(row - highest).sum(0) * (highest - row[0])


def factorial(n: int) -> float:
    return float(math.factorial(n))


TWO = (2.0, 2.0)
REGIONS = [
    of("gammaln", "x in (0, 5]", TWO, uniform(0.001, 5)), of("gammaln", "x from 1e-300 to 1e300", TWO, powers(-300, 300)),
    of("gammaln", "around 1, 2, 3, 7, 8", TWO, near(1, 2, 3, 7, 8)), of("gammaln", "x in [-30, 0]", (4, 2), uniform(-30, 0)),
    of("digamma", "x in (0, 12]", TWO, uniform(0.001, 12)), of("digamma", "x from 1e-300 to 1e300", TWO, powers(-300, 300)),
    of("digamma", "around the root, 1, 2, 3, 5, 10", TWO, near(1.4616321449683622, 0.4616, 1, 2, 3, 5, 10)),
    of("digamma", "x in [-30, 0]", TWO, uniform(-30, 0), scale=terms_of_digamma),
    *[of(f"polygamma_{n}", where, TWO if n < 3 else (2.5, 2), d) for n in (1, 2, 3, 5, 12) for where, d in (
        ("x in (0, 20]", uniform(0.01, 20)), ("x from 1e-10 to 1e10", powers(-10, 10)))],
    *[of(f"polygamma_{n}", "x in [-10, 0]", (2.5, 2), uniform(-10, 0), scale=lambda x, n=n: factorial(n) * pole(x, n + 1))
      for n in (1, 2, 3, 5, 12)],
    of("multigammaln_2", "x in (0.5, 20]", (3, 3), uniform(0.51, 20), scale=terms_of_multigammaln(2)),
    of("multigammaln_5", "x in (2, 40]", (4, 4), uniform(2.01, 40), scale=terms_of_multigammaln(5)),
    of("zeta", "s in (1, 8], q in (0, 30]", TWO, uniform(1.001, 8), uniform(0.01, 30)),
    of("zeta", "s from 1 + 1e-6 to 100, q from 1e-3 to 1e6", TWO, lambda rng, n: 1 + powers(-6, 2)(rng, n), powers(-3, 6)),
    of("zeta", "s in 2..9, q in [-10, 0]", TWO, degrees(2, 9), uniform(-10, 0), scale=lambda s, q: pole(q, s)),
    Region("gammainc", "a to 1e5, x within six standard deviations", TWO, close),
    Region("gammaincc", "a to 1e5, x within six standard deviations", TWO, close),
    *[of(name, "a, x from 0.001 to 100", TWO, powers(-3, 2), powers(-3, 2)) for name in ("gammainc", "gammaincc")],
    of("erf", "x in [-6, 6]", TWO, uniform(-6, 6)), of("erf", "x from 1e-300 to 1", TWO, both(powers(-300, 0))),
    of("erfc", "x in [-6, 27]", (2, 3), uniform(-6, 27)), of("erfc", "x from 1e-20 to 10", (2, 3), both(powers(-20, 1))),
    of("erfcx", "x in [-5, 12]", TWO, uniform(-5, 12)), of("erfcx", "x in [-26, 0]", TWO, uniform(-26, 0)),
    of("erfcx", "x from 1 to 1e300", TWO, powers(0, 300)), of("erfcx", "around 0.5, 1.25, 2.5, 5, 10", TWO, near(0.5, 1.25, 2.5, 5, 10)),
    of("erfinv", "x in (-1, 1)", TWO, uniform(-1, 1)), of("erfinv", "x from 1e-300 to 1", TWO, both(powers(-300, 0))),
    of("erfinv", "1 - x from 1e-16 to 1", TWO, lambda rng, n: 1 - powers(-16, 0)(rng, n)),
    of("ndtr", "x in [-5, 5]", TWO, uniform(-5, 5)), of("ndtr", "x in [-38.4, 0]", TWO, uniform(-38.4, 0)),
    of("ndtr", "x from 1e-300 to 10", TWO, both(powers(-300, 1))),
    of("log_ndtr", "x in [-5, 5]", TWO, uniform(-5, 5)), of("log_ndtr", "x from -1e150 to -1", TWO, minus(powers(0, 150))),
    of("log_ndtr", "x in [5, 38]", TWO, uniform(5, 38)),
    of("ndtri", "p in (0, 1)", TWO, uniform(0, 1)), of("ndtri", "p from 1e-300 to 1", TWO, powers(-300, 0)),
    of("ndtri", "around 1/2", TWO, near(0.5)),
    of("i0", "x in [-20, 20]", TWO, uniform(-20, 20)), of("i0", "x in [0, 713]", TWO, uniform(0, 713)), of("i0", "around 8", TWO, near(8)),
    of("modified_bessel_i0", "x in [-20, 20]", TWO, uniform(-20, 20)), of("modified_bessel_i1", "x in [-20, 20]", TWO, uniform(-20, 20)),
    of("i1", "x in [-20, 20]", TWO, uniform(-20, 20)), of("i1", "x in [0, 713]", TWO, uniform(0, 713)),
    of("i1", "x from 1e-300 to 1", TWO, both(powers(-300, 0))),
    *[of(name, where, TWO, d) for name in ("i0e", "i1e") for where, d in (
        ("x in [-30, 30]", uniform(-30, 30)), ("x from 1e-300 to 1e300", both(powers(-300, 300))))],
    *[of(f"{scaled}modified_bessel_k{n}", where, TWO, d) for n in (0, 1) for scaled in ("", "scaled_") for where, d in (
        ("x in (0, 3]", uniform(0.001, 3)), ("x in [1, 700]", uniform(1, 700)), ("x from 1e-300 to 10", powers(-300, 1)))],
    of("airy_ai", "x in [-2.2, 5]", TWO, uniform(-2.2, 5)), of("airy_ai", "x in [5, 103]", TWO, uniform(5, 103)),
    of("airy_ai", "x in [-30, 0]", (4, 2), uniform(-30, 0), scale=amplitude_of_airy),
    of("airy_ai", "x from -1e6 to -1", (4, 2), minus(powers(0, 6)), scale=amplitude_of_airy),
    of("airy_ai", "around its first roots", TWO, near(-2.338107410459767, -4.08794944413097)),
    *[of(f"bessel_{kind}", "x from 1e-100 to 1", (3 if kind in ("y0", "y1") else 2, 2), powers(-100, 0)) for kind in ("j0", "j1", "y0", "y1")],
    *[of(f"bessel_{kind}", where, bounds, d, scale=scale) for kind in ("j0", "j1", "y0", "y1") for where, bounds, d, scale in (
        ("x in [1, 24]", TWO, uniform(1, 24), None), ("x in [24, 60]", (4, 2), uniform(24, 60), amplitude),
        ("x from 20 to 1e5", (4, 2), powers(1.31, 5), amplitude), ("x from 1e5 to 1e15", (4, 2), powers(5, 15), amplitude))],
    *[of(f"bessel_{kind}", "around its first roots", TWO, near(*roots)) for kind, roots in (
        ("j0", (2.404825557695773, 5.520078110286311, 21.21163662987926)), ("j1", (3.8317059702075125, 7.015586669815619, 22.760084380592772)),
        ("y0", (0.8935769662791675, 3.957678419314858, 22.78202804729156)), ("y1", (2.197141326031017, 5.429681040794135, 21.1974875369)))],
    of("spherical_bessel_j0", "x in [-40, 40]", TWO, uniform(-40, 40)), of("spherical_bessel_j0", "x from 1e-300 to 1e15", TWO, powers(-300, 15)),
    of("sinc", "x in [-20, 20]", TWO, uniform(-20, 20)), of("sinc", "x from 1e-300 to 1e15", TWO, powers(-300, 15)),
    of("sinc", "around 1, 2, 10", TWO, near(1, 2, 10)),
    of("exp2", "x in [-1080, 1024]", TWO, uniform(-1080, 1024)), of("exp2", "x from 1e-20 to 10", TWO, both(powers(-20, 1))),
    of("expm1", "x in [-40, 709]", TWO, uniform(-40, 709)), of("expm1", "x from 1e-300 to 10", TWO, both(powers(-300, 1))),
    of("expit", "x in [-745, 40]", TWO, uniform(-745, 40)), of("expit", "x from 1e-20 to 10", TWO, both(powers(-20, 1))),
    of("log1p", "x in (-1, 10]", TWO, uniform(-1, 10)), of("log1p", "x from 1e-300 to 1e300", TWO, powers(-300, 300)),
    of("logit", "p in (0, 1)", TWO, uniform(0, 1)), of("logit", "p from 1e-300 to 1", TWO, powers(-300, 0)),
    of("logit", "around 0.3, 0.5, 0.65", TWO, near(0.3, 0.5, 0.65)),
    of("entr", "x in (0, 10]", TWO, uniform(0, 10)), of("entr", "x from 1e-300 to 1e300", TWO, powers(-300, 300)), of("entr", "around 1", TWO, near(1)),
    of("xlogy", "x in [-5, 5], y from 1e-300 to 1e300", TWO, uniform(-5, 5), powers(-300, 300)),
    of("xlogy", "y around 1", TWO, uniform(-5, 5), near(1)),
    of("xlog1py", "x in [-5, 5], y in (-1, 5]", TWO, uniform(-5, 5), uniform(-1, 5)),
    of("xlog1py", "y from 1e-300 to 1e300", TWO, uniform(-5, 5), powers(-300, 300)),
    *[of(f"{shifted}chebyshev_polynomial_{kind}", where, TWO, x, degrees(0, high)) for shifted in ("", "shifted_") for kind in "tuvw"
      for where, x, high in (
        ("inside, n to 30", uniform(0 if shifted else -1, 1), 30), ("inside, n to 5000", uniform(0 if shifted else -1, 1), 5000),
        ("outside, n to 50", uniform(-3, 4), 50))],
    *[of(f"hermite_polynomial_{kind}", where, TWO, x, degrees(0, high)) for kind in ("h", "he") for where, x, high in (
        ("x in [-6, 6], n to 30", uniform(-6, 6), 30), ("x in [-30, 30], n to 120", uniform(-30, 30), 120))],
    of("laguerre_polynomial_l", "x in [0, 20], n to 30", TWO, uniform(0, 20), degrees(0, 30)),
    of("laguerre_polynomial_l", "x in [-50, 500], n to 300", TWO, uniform(-50, 500), degrees(0, 300)),
    of("legendre_polynomial_p", "inside, n to 30", TWO, uniform(-1, 1), degrees(0, 30)),
    of("legendre_polynomial_p", "inside, n to 2000", TWO, uniform(-1, 1), degrees(0, 2000)),
    of("legendre_polynomial_p", "outside, n to 50", TWO, uniform(-4, 4), degrees(0, 50)),
    *[of(name, f"rows of 8 in [-{spread}, {spread}]", bounds, *rows(8, spread), scale=scale) for name, bounds, scale in (
        ("logsumexp", TWO, largest), ("log_softmax", TWO, largest), ("softmax", (4, 4), softmax_times_distance)) for spread in (5, 300)],
]
