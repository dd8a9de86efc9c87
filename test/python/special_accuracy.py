"""How far special functions are from their values, in units of the last place (ULP), against mpmath.

    python test/python/special_accuracy.py 100000 [NAME ...]   measures with so many points a function (slow), says the largest errors,
                                                               and fails where one is above its bound
    python test/python/special_accuracy.py --write             writes golden/special.json, a few points a function, which the tests compare

It needs mpmath and torch_np; the tests need neither mpmath nor this but for BOUNDS and REGIONS.
"""
import json
import pathlib
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

import torch_np
from torch_np import special

GOLDEN = pathlib.Path(__file__).with_name("golden") / "special.json"


class Region(NamedTuple):
    """Where arguments of a function are drawn, and how far its results may be from the values, in ULP."""

    name: str
    bound: float
    draw: Callable[[Any, int], tuple]
    least: float = 1e-300  # a value that is nearer to zero is not compared


def uniform(low, high):
    return lambda rng, n: rng.uniform(low, high, n)


def powers(low, high):
    return lambda rng, n: 10.0 ** rng.uniform(low, high, n)


def of(name, bound, *draws):
    return Region(name, bound, lambda rng, n: tuple(d(rng, n) for d in draws))


def close(rng, n):
    """Shapes from 1 to 10^4, and arguments within two standard deviations."""
    a = 10.0 ** rng.uniform(0, 4, n)
    return a, a * numpy.abs(1 + rng.uniform(-2, 2, n) / numpy.sqrt(a))


REGIONS = [
    of("lgamma", 3, uniform(0.01, 5)), of("lgamma", 3, powers(-8, 8)), of("digamma", 3, uniform(0.01, 12)), of("digamma", 3, powers(-8, 8)),
    of("trigamma", 5, uniform(0.01, 20)), of("zeta", 6, uniform(1.1, 8), uniform(0.1, 30)),
    of("erfcx", 3, uniform(-5, 12)), of("erfcx", 3, uniform(-26, 0)), of("erfcx", 3, powers(0, 5)), of("ndtr", 4, uniform(-5, 5)),
    of("ndtr", 4, uniform(-37, 0)), of("log_ndtr", 4, uniform(-5, 5)), of("log_ndtr", 4, lambda rng, n: -powers(0, 3)(rng, n)),
    of("erfinv", 3, uniform(-1, 1)), of("erfinv", 3, powers(-15, 0)), of("erfinv", 3, lambda rng, n: 1 - powers(-14, 0)(rng, n)),
    of("ndtri", 4, uniform(0, 1)), of("ndtri", 4, powers(-300, -1)),
    of("i0", 4, uniform(-20, 20)), of("i0", 4, uniform(0, 700)), of("i1", 4, uniform(-20, 20)), of("i1", 4, powers(-5, 2.8)),
    of("i0e", 4, uniform(-30, 30)), of("i1e", 4, uniform(-30, 30)),
    *[of(f"modified_bessel_k{n}", 4, d) for n in (0, 1) for d in (uniform(0.001, 1), uniform(1, 10), uniform(10, 600))],
    *[of(f"scaled_modified_bessel_k{n}", 4, d) for n in (0, 1) for d in (uniform(0.001, 2), uniform(1, 100))],
    of("airy_ai", 4, uniform(-2.2, 5)), of("airy_ai", 4, uniform(5, 100)),
    # P and Q: the smaller one by its own digits, down to 1e-30; the rounding of x^a exp(-x) is in it.
    *[Region(name, 100, close, 1e-30) for name in ("gammainc", "gammaincc")],
    *[of(name, 300, powers(-2, 1.5), powers(-2, 1.5))._replace(least=1e-30) for name in ("gammainc", "gammaincc")],
]


def ours(name, arguments):
    tensors = [torch_np.tensor(a) for a in arguments]
    function = {"lgamma": torch_np.lgamma, "trigamma": lambda x: torch_np.polygamma(1, x)}.get(name) or getattr(special, name)
    return numpy.asarray(function(*tensors))


def exact(name, arguments):
    """The values, by mpmath."""
    import mpmath as m
    m.mp.dps = 60
    functions = {
        "lgamma": m.loggamma, "digamma": m.digamma, "trigamma": lambda x: m.psi(1, x), "zeta": m.zeta,
        "erfcx": lambda x: m.exp(x * x) * m.erfc(x), "ndtr": lambda x: m.erfc(-x / m.sqrt(2)) / 2,
        "log_ndtr": lambda x: m.log(m.erfc(-x / m.sqrt(2)) / 2), "erfinv": m.erfinv, "ndtri": _quantile,
        "i0": lambda x: m.besseli(0, x), "i1": lambda x: m.besseli(1, x), "i0e": lambda x: m.besseli(0, x) * m.exp(-abs(x)),
        "i1e": lambda x: m.besseli(1, x) * m.exp(-abs(x)), "modified_bessel_k0": lambda x: m.besselk(0, x),
        "modified_bessel_k1": lambda x: m.besselk(1, x), "scaled_modified_bessel_k0": lambda x: m.besselk(0, x) * m.exp(x),
        "scaled_modified_bessel_k1": lambda x: m.besselk(1, x) * m.exp(x), "airy_ai": m.airyai,
        "gammainc": lambda a, x: m.gammainc(a, 0, x, regularized=True), "gammaincc": lambda a, x: m.gammainc(a, x, regularized=True)}
    return [functions[name](*[m.mpf(float(a[i])) for a in arguments]) for i in range(len(arguments[0]))]


def _quantile(p):
    import mpmath as m
    if p > 1e-5:
        return m.sqrt(2) * m.erfinv(2 * p - 1)
    start = -m.sqrt(-2 * m.log(p) - m.log(-4 * m.pi * m.log(p)))
    return m.findroot(lambda x: m.log(m.erfc(-x / m.sqrt(2)) / 2) - m.log(p), start)


def errors(results, high, low):
    """In ULP of the values high + low."""
    spacing = numpy.spacing(numpy.abs(high))
    return numpy.abs((results - high) - low) / spacing


def split(values):
    high = numpy.array([float(v) for v in values])
    return high, numpy.array([float(v - float(v)) for v in values])


def kept(region, values):
    """Those that have a relative error to speak of."""
    return numpy.array([region.least < abs(v) < 1e300 for v in values])


def measure(points, names):
    failed = False
    rng = numpy.random.default_rng(1)
    for region in REGIONS:
        if names and region.name not in names:
            continue
        arguments = region.draw(rng, points)
        values = exact(region.name, arguments)
        high, low = split(values)
        found = numpy.where(kept(region, high), errors(ours(region.name, arguments), high, low), 0)
        worst = int(found.argmax())
        print(f"{region.name:28} {found[worst]:8.2f} ULP (bound {region.bound}) at {[float(a[worst]) for a in arguments]}", flush=True)
        failed |= bool(found[worst] > region.bound)
    return failed


def write(points=60):
    rng = numpy.random.default_rng(2)
    table = []
    for region in REGIONS:
        arguments = region.draw(rng, points)
        high, low = split(exact(region.name, arguments))
        at = kept(region, high)
        table.append({"name": region.name, "arguments": [a[at].tolist() for a in arguments], "high": high[at].tolist(), "low": low[at].tolist()})
    GOLDEN.write_text(json.dumps(table, indent=0).replace(",\n", ", ") + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        sys.exit(measure(int(sys.argv[1]) if sys.argv[1:] else 1000, sys.argv[2:]))
