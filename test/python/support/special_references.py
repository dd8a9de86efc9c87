"""Reference values of special functions for special_accuracy.py: balls of Arb (python-flint),
refined until they have more digits than the comparison needs. mpmath, which uses other methods,
checks that they are the intended functions."""
import math
from collections.abc import Callable
from typing import Any

import flint
import mpmath
from flint import acb, arb

HALF = arb(0.5)
PRECISIONS = (128, 256, 512, 1024, 2048)
ENOUGH = 90  # bits


def _normal(x: arb) -> arb:
    return HALF * (-x / arb(2).sqrt()).erfc()


def _log_normal(x: arb) -> arb:
    return (-_normal(-x)).log1p() if x > 0 else _normal(x).log()


def _polygamma(n: int) -> Callable[[arb], arb]:
    return lambda x: acb(x).polygamma(acb(n)).real


def _zeta(s: arb, q: arb) -> arb:
    """For negative q, from positive q and the missing terms."""
    more = arb(0)
    while q < 0:
        more, q = more + 1 / q ** int(float(s)), q + 1
    return s.zeta(q) + more


def _lower_gamma(a: arb, x: arb) -> arb:
    """For large a, from the upper gamma function: Arb's lower one loses its digits there."""
    return x.gamma_lower(a, 1) if a < 100 else 1 - x.gamma_upper(a, 1)


def _degree(n: arb) -> int:
    return int(float(n))


def _chebyshev(kind: str, x: arb, n: arb) -> arb:
    degree = _degree(n)
    if kind == "t":
        return x.chebyshev_t(degree)
    u, before = x.chebyshev_u(degree), x.chebyshev_u(degree - 1) if degree else arb(0)
    return u if kind == "u" else u - before if kind == "v" else u + before


def _recurrence(x: arb, n: arb, first: arb, following: Callable[[int, arb, arb], arb]) -> arb:
    before, now = arb(1), first
    if _degree(n) == 0:
        return before
    for k in range(1, _degree(n)):
        before, now = now, following(k, now, before)
    return now


def _multivariate(x: arb, p: int) -> arb:
    return sum(((x - arb(i) / 2).lgamma() for i in range(p)), arb.pi().log() * p * (p - 1) / 4)


def _log_sum(*x: arb) -> arb:
    return sum((v.exp() for v in x), arb(0)).log()


BALLS: dict[str, Callable[..., arb]] = {
    "airy_ai": lambda x: x.airy_ai(), "bessel_j0": lambda x: x.bessel_j(0), "bessel_j1": lambda x: x.bessel_j(1),
    "bessel_y0": lambda x: x.bessel_y(0), "bessel_y1": lambda x: x.bessel_y(1), "digamma": _polygamma(0),
    "entr": lambda x: -x * x.log(), "erf": lambda x: x.erf(), "erfc": lambda x: x.erfc(), "erfcx": lambda x: x.erfc() * (x * x).exp(),
    "erfinv": lambda x: x.erfinv(), "exp2": lambda x: (x * arb(2).log()).exp(), "expit": lambda x: 1 / (1 + (-x).exp()),
    "expm1": lambda x: x.expm1(), "gammainc": _lower_gamma, "gammaincc": lambda a, x: x.gamma_upper(a, 1),
    "gammaln": lambda x: acb(x).lgamma().real, "i0": lambda x: x.bessel_i(0), "i1": lambda x: x.bessel_i(1),
    "i0e": lambda x: abs(x).bessel_i(0, True), "i1e": lambda x: x.bessel_i(1) * (-abs(x)).exp(), "log1p": lambda x: x.log1p(),
    "log_ndtr": _log_normal, "logit": lambda x: (x / (1 - x)).log(), "ndtr": _normal, "ndtri": lambda p: -arb(2).sqrt() * (2 * p).erfcinv(),
    "modified_bessel_i0": lambda x: x.bessel_i(0), "modified_bessel_i1": lambda x: x.bessel_i(1),
    "modified_bessel_k0": lambda x: x.bessel_k(0), "modified_bessel_k1": lambda x: x.bessel_k(1),
    "scaled_modified_bessel_k0": lambda x: x.bessel_k(0, True), "scaled_modified_bessel_k1": lambda x: x.bessel_k(1, True),
    "sinc": lambda x: x.sinc_pi(), "spherical_bessel_j0": lambda x: x.sinc(), "xlogy": lambda x, y: x * y.log(),
    "xlog1py": lambda x, y: x * y.log1p(), "zeta": _zeta,
    **{f"polygamma_{n}": _polygamma(n) for n in (1, 2, 3, 5, 12)},
    **{f"multigammaln_{p}": lambda x, p=p: _multivariate(x, p) for p in (2, 5)},
    **{f"chebyshev_polynomial_{kind}": lambda x, n, kind=kind: _chebyshev(kind, x, n) for kind in "tuvw"},
    **{f"shifted_chebyshev_polynomial_{kind}": lambda x, n, kind=kind: _chebyshev(kind, 2 * x - 1, n) for kind in "tuvw"},
    "hermite_polynomial_h": lambda x, n: _recurrence(x, n, 2 * x, lambda k, now, before: 2 * (x * now - k * before)),
    "hermite_polynomial_he": lambda x, n: _recurrence(x, n, x, lambda k, now, before: x * now - k * before),
    "laguerre_polynomial_l": lambda x, n: _recurrence(
        x, n, 1 - x, lambda k, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1)),
    "legendre_polynomial_p": lambda x, n: x.legendre_p(_degree(n)),
    "logsumexp": _log_sum, "log_softmax": lambda *x: x[0] - _log_sum(*x), "softmax": lambda *x: (x[0] - _log_sum(*x)).exp(),
}

_m: Any = mpmath
MPMATH: dict[str, Callable[..., Any]] = {
    "airy_ai": _m.airyai, "bessel_j0": _m.j0, "bessel_j1": _m.j1, "bessel_y0": lambda x: _m.bessely(0, x),
    "bessel_y1": lambda x: _m.bessely(1, x), "digamma": _m.digamma, "entr": lambda x: -x * _m.log(x), "erf": _m.erf, "erfc": _m.erfc,
    "erfcx": lambda x: _m.exp(x * x) * _m.erfc(x), "erfinv": _m.erfinv, "exp2": lambda x: _m.power(2, x), "expit": _m.sigmoid,
    "expm1": _m.expm1, "gammainc": lambda a, x: _m.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda a, x: _m.gammainc(a, x, regularized=True), "gammaln": lambda x: _m.re(_m.loggamma(x)),
    "i0": lambda x: _m.besseli(0, x), "i1": lambda x: _m.besseli(1, x), "i0e": lambda x: _m.besseli(0, x) * _m.exp(-abs(x)),
    "i1e": lambda x: _m.besseli(1, x) * _m.exp(-abs(x)), "log1p": _m.log1p,
    "log_ndtr": lambda x: _m.log1p(-_m.erfc(x / _m.sqrt(2)) / 2) if x > 0 else _m.log(_m.erfc(-x / _m.sqrt(2)) / 2),
    "logit": lambda x: _m.log(x / (1 - x)), "ndtr": lambda x: _m.erfc(-x / _m.sqrt(2)) / 2,
    "modified_bessel_k0": lambda x: _m.besselk(0, x), "modified_bessel_k1": lambda x: _m.besselk(1, x),
    "scaled_modified_bessel_k0": lambda x: _m.besselk(0, x) * _m.exp(x), "scaled_modified_bessel_k1": lambda x: _m.besselk(1, x) * _m.exp(x),
    "sinc": _m.sincpi, "spherical_bessel_j0": _m.sinc, "xlogy": lambda x, y: x * _m.log(y), "xlog1py": lambda x, y: x * _m.log1p(y),
    "zeta": lambda s, q: _m.zeta(s, q) if q > 0 else _m.nsum(lambda k: (q + k) ** -int(s), [0, _m.inf]),
    **{f"polygamma_{n}": lambda x, n=n: _m.polygamma(n, x) for n in (1, 2, 3, 5, 12)},
    "chebyshev_polynomial_t": lambda x, n: _m.chebyt(int(n), x), "chebyshev_polynomial_u": lambda x, n: _m.chebyu(int(n), x),
    "chebyshev_polynomial_v": lambda x, n: _m.cos((n + HALF_) * _m.acos(x)) / _m.cos(_m.acos(x) / 2),
    "chebyshev_polynomial_w": lambda x, n: _m.sin((n + HALF_) * _m.acos(x)) / _m.sin(_m.acos(x) / 2),
    "hermite_polynomial_h": lambda x, n: _m.hermite(int(n), x),
    "hermite_polynomial_he": lambda x, n: _m.hermite(int(n), x / _m.sqrt(2)) * _m.power(2, -n / 2),
    "laguerre_polynomial_l": lambda x, n: _m.laguerre(int(n), 0, x), "legendre_polynomial_p": lambda x, n: _m.legendre(int(n), x),
}
HALF_ = mpmath.mpf(0.5)


def value(name: str, arguments: tuple[float, ...]) -> tuple[int, int] | None:
    """Mantissa and exponent of a number that has at least ENOUGH correct bits; None where the
    function is undefined."""
    for precision in PRECISIONS:
        flint.ctx.prec = precision
        ball = BALLS[name](*[arb(a) for a in arguments])
        if ball.is_finite() and ball.rel_accuracy_bits() >= ENOUGH:
            return tuple(int(v) for v in ball.mid().man_exp())
        if ball == 0:
            return 0, 0
    return None


def error(result: float, value: tuple[int, int], mantissa: int, least: int, scale: float = 0.0) -> float:
    """|result - value| in units in the last place of the value, or of `scale` if that is larger,
    for floats with `mantissa` bits whose smallest is 2**least. Beyond the largest float, infinity
    is correct."""
    man, exp = value
    largest = 1024 if mantissa == 53 else 128
    size = abs(man).bit_length() + exp if man else least
    if size > largest:
        return 0.0 if math.isinf(result) and (result > 0) == (man > 0) else math.inf
    if not math.isfinite(result):
        return 0.5 if math.isinf(result) and size == largest and (result > 0) == (man > 0) and _rounds_up(man, mantissa) else math.inf
    if scale:
        size = max(size, math.frexp(scale)[1])
    unit = max(size - mantissa, least)
    fraction, power = math.frexp(result)
    integer, power = int(fraction * 2 ** 53), power - 53
    low = min(power, exp)
    difference = abs((integer << power - low) - (man << exp - low))
    shift = low - unit
    # 60 bits of the difference suffice, as a float
    surplus = max(difference.bit_length() - 60, 0)
    return math.ldexp(float(difference >> surplus), shift + surplus)


def _rounds_up(man: int, mantissa: int) -> bool:
    man = abs(man)
    return man >> max(man.bit_length() - mantissa - 1, 0) == (1 << mantissa + 1) - 1


def as_floats(value: tuple[int, int]) -> tuple[float, float]:
    """The nearest float64, and the remainder."""
    man, exp = value
    with mpmath.workprec(300):
        number = mpmath.mpf((man, exp))
        high = float(number)
        return high, float(number - high)


def by_mpmath(name: str, arguments: tuple[float, ...]) -> float:
    with mpmath.workdps(60):
        return MPMATH[name](*[mpmath.mpf(a) for a in arguments])
