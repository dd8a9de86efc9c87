"""Writes aten/special/*_tables.h: polynomials for special functions, computed with mpmath (`python tools/special_tables.py`).

The polynomial of an interval interpolates at Chebyshev points in t from -1 to 1 and is written in
powers of t. The intervals are so short that the coefficients decrease faster than this basis change
magnifies them. A series is a Taylor series.
"""
import pathlib
import textwrap

from mpmath import (airyai, airybi, bernoulli, besseli, besselj, besseljzero, besselk, bessely, besselyzero, cos, digamma, erfc, erfinv,
                    euler, exp, factorial, findroot, harmonic, log, mp, mpf, pi, sin, sqrt)

mp.dps = 50
ROOT = pathlib.Path(__file__).resolve().parent.parent / "aten" / "special"
BOUND = mpf(2) ** -58
GROWING = ("i0_series", "i1_series", "k0_series", "k1_series", "lgam1p_small")  # later terms are not smaller than the first


def interpolated(f, low, high, limit=60):
    """Coefficients in powers of t, with x = (low + high) / 2 + t (high - low) / 2: as many as BOUND
    requires."""
    low, high = mpf(low), mpf(high)
    n = limit
    points = [cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    values = [f((low + high) / 2 + t * (high - low) / 2) for t in points]
    smallest = min(abs(v) for v in values)
    chebyshev = [2 * sum(v * cos(j * pi * (2 * k + 1) / (2 * n)) for k, v in enumerate(values)) / n for j in range(n)]
    chebyshev[0] /= 2
    last = max(j for j, c in enumerate(chebyshev) if abs(c) > BOUND * smallest)
    assert last < limit - 3, (f, last)
    powers = [mpf(0)] * (last + 1)
    before, now = [mpf(1)], [mpf(0), mpf(1)]
    for j in range(last + 1):
        for k, c in enumerate(before):
            powers[k] += chebyshev[j] * c
        before, now = now, [2 * a - b for a, b in zip([mpf(0), *now], [*before, mpf(0), mpf(0)])]
    return powers


def series(term, x):
    """Coefficients term(k), as many as the sum at x requires."""
    terms = [term(0)]
    while abs(terms[-1] * mpf(x) ** (len(terms) - 1)) > BOUND * abs(sum(t * mpf(x) ** k for k, t in enumerate(terms))):
        terms.append(term(len(terms)))
    return terms


def number(x):
    return repr(float(x))


def high_and_low(x):
    return float(x), float(x - mpf(float(x)))


def commented(text):
    """Lines of a C++ comment."""
    return textwrap.wrap(text, 100, initial_indent="// ", subsequent_indent="// ")


def write(name, comment, tables, pairs=()):
    """Writes a function of t for each table. Functions in `pairs` return a DoubleDouble, which
    includes the rounding error of their first coefficient."""
    header = "double_double" if pairs or any(t in GROWING for t in tables) else "polynomial"
    lines = [*commented(comment), "// Written by tools/special_tables.py.", "#pragma once", "", f'#include "aten/special/{header}.h"', "",
             "namespace tnp::special {", ""]
    for table, powers in tables.items():
        result = "DoubleDouble" if table in pairs or table in GROWING else "double"
        argument = "DoubleDouble" if table in GROWING else "double"
        lines += [f"TNP_HOST_DEVICE inline {result} {table}({argument} t) {{", "  TNP_TABLE double c[] = {"]
        row = "     "
        for c in powers:
            if len(row) + len(number(c)) > 115:
                lines.append(row)
                row = "     "
            row += f" {number(c)},"
        call = (f"horner_pair(t, c, {high_and_low(powers[0])[1]!r})" if table in pairs
                else "compensated_horner(t, c)" if table in GROWING else "horner(t, c)")
        lines += [row.rstrip(",") + "};", f"  return {call};", "}", ""]
    (ROOT / f"{name}_tables.h").write_text("\n".join([*lines, "}  // namespace tnp::special", ""]))


def write_pairs(name, comment, tables, doubles=()):
    write(name, comment, tables, [t for t in tables if t not in doubles])


def digammas():
    root = findroot(digamma, 1.4616321449683623)
    print("digamma root", *high_and_low(root))
    write_pairs("digamma", "Coefficients of digamma. Between 1 and 2 it is divided by the distance from its root.", {
        "digamma_1_2": interpolated(lambda x: digamma(x) / (x - root), 1, 2), "digamma_2_3": interpolated(digamma, 2, 3),
        "digamma_3_5": interpolated(digamma, 3, 5), "digamma_5_10": interpolated(digamma, 5, 10),
        "digamma_tail": [bernoulli(2 * k) / (2 * k) for k in range(1, 11)]}, ["digamma_tail"])


def error_functions():
    def scaled(x):
        return exp(x * x) * erfc(x)
    write_pairs("erfcx", "Coefficients of erfcx(x) = exp(x^2) erfc(x).", {
        "erfcx_0_1": interpolated(scaled, 0, 0.5), "erfcx_1_2": interpolated(scaled, 0.5, 1.25),
        "erfcx_2_3": interpolated(scaled, 1.25, 2.5),
        "erfcx_3_4": interpolated(scaled, 2.5, 5), "erfcx_4_5": interpolated(scaled, 5, 10),
        "erfcx_tail": [(-1) ** k * factorial(2 * k) / factorial(k) / 4 ** k for k in range(16)]})


def inverses():
    def by_root(r):  # x as a function of r = sqrt(-log(tail)), by Newton's method on the logarithm of erfc
        tail = exp(-r * r)
        x = findroot(lambda y: log(erfc(y) / 2) + r * r, sqrt(max(r * r - log(3 * r + 1), mpf(0.3))))
        assert abs(erfc(x) / 2 / tail - 1) < mpf(10) ** -35
        return x

    def near(u):
        return sqrt(pi) / 2 if u == 0 else erfinv(sqrt(u)) / sqrt(u)
    write_pairs("erfinv", "Coefficients of erfinv(x) / x as a function of x^2, and of erfinv as a function of sqrt(-log((1 - x) / 2)).", {
        "erfinv_0_1": interpolated(near, 0, 0.25), "erfinv_1_2": interpolated(near, 0.25, 0.5625),
        "erfinv_2_3": interpolated(by_root, 1.4, 2), "erfinv_3_4": interpolated(by_root, 2, 3.5),
        "erfinv_4_5": interpolated(by_root, 3.5, 8), "erfinv_5_6": interpolated(by_root, 8, 28)})


def bessels():
    def small(order):
        return series(lambda k: 1 / (factorial(k) * factorial(k + order)), 16)

    comment = ("Coefficients of the modified Bessel functions of the first kind: series in x^2 / 4, and exp(-x) sqrt(x) "
               "I(x) as a function of 16 / x - 1.")
    write("bessel_i", comment, {
        "i0_series": small(0), "i1_series": small(1),
        "i0_large": interpolated(lambda u: scaled_i(0, u), 0, mpf(1) / 8),
        "i1_large": interpolated(lambda u: scaled_i(1, u), 0, mpf(1) / 8)}, ["i0_large", "i1_large"])
    comment = ("Coefficients of the modified Bessel functions of the second kind: the remainder beside log(x) I(x), as a "
               "series in x^2 / 4, and exp(x) sqrt(x) K(x) as a function of 1 / x.")
    write("bessel_k", comment, {
        "k0_series": series(lambda k: (harmonic(k) + log(2) - euler) / factorial(k) ** 2, 0.25),
        "k1_series": series(lambda k: (2 * euler - 2 * log(2) - harmonic(k) - harmonic(k + 1)) / factorial(k) / factorial(k + 1) / 4, 0.25),
        **{f"k{n}_{name}": interpolated(lambda u: scaled_k(n, u), *ends)
           for n in (0, 1) for name, ends in (("middle", (0.5, 1)), ("large", (0, 0.5)))}},
          [f"k{n}_{name}" for n in (0, 1) for name in ("middle", "large")])


def scaled_i(order, u):
    return exp(-1 / u) * sqrt(1 / u) * besseli(order, 1 / u)


def scaled_k(order, u):
    return exp(1 / u) * sqrt(1 / u) * besselk(order, 1 / u)


def bessel_roots():
    """Tables of each function from 1 (Y0: from 0.6) to about 25, split into intervals. Most
    intervals have one root, and the table holds the polynomial divided by (x - root)."""
    comment = ("Coefficients of the Bessel functions between 1 and 25, as piecewise polynomials. Each piece has: its end, "
               "its midpoint, the inverse of half its width, its root (high and low part; 0 if none), the low part of its "
               "first coefficient, the index of its first coefficient, and the number of coefficients.")
    text = [*commented(comment), "// Written by tools/special_tables.py.", "#pragma once", "",
            '#include "aten/special/double_double.h"', "", "namespace tnp::special {", "",
            "struct BesselPiece {", "  double end, middle, scale, root, root_low, low;",
            "  int from, count;", "};", ""]
    for name, f, slope, zero, first, starts in (
            ("j0", lambda x: besselj(0, x), lambda x: -besselj(1, x), lambda k: besseljzero(0, k), 1, [1, 1.75]),
            ("j1", lambda x: besselj(1, x), lambda x: besselj(0, x) - besselj(1, x) / x, lambda k: besseljzero(1, k), 1, [1, 2.5]),
            ("y0", lambda x: bessely(0, x), lambda x: -bessely(1, x), lambda k: besselyzero(0, k), 1, [0.6, 1.3, 2.5]),
            ("y1", lambda x: bessely(1, x), lambda x: bessely(0, x) - bessely(1, x) / x, lambda k: besselyzero(1, k), 1, [1, 1.6])):
        roots = [zero(k) for k in range(first, 10)]
        middles = [(a + b) / 2 for a, b in zip(roots, roots[1:])]
        ends = [mpf(round(x * 64)) / 64 for x in sorted([*starts, *[m for m in middles if m > max(starts) + 0.5 and m < 26]])]
        pieces, coefficients = [], []
        for low, high in zip(ends, ends[1:]):
            inside = [r for r in roots if low < r < high]
            assert len(inside) <= 1
            root = inside[0] if inside else None
            powers = interpolated(f if root is None else lambda x: slope(x) if x == root else f(x) / (x - root), low, high)
            root_high, root_low = high_and_low(root) if inside else (0.0, 0.0)
            pieces.append(f"{{{number(high)}, {number((low + high) / 2)}, {number(2 / (high - low))}, {root_high!r}, {root_low!r}, "
                          f"{high_and_low(powers[0])[1]!r}, {len(coefficients)}, {len(powers)}}}")
            coefficients += powers
        text += [f"constexpr double k{name.upper()}Start = {number(ends[0])}, k{name.upper()}End = {number(ends[-1])};", "",
                 f"TNP_HOST_DEVICE inline DoubleDouble bessel_{name}_pieces(double x) {{",
                 f"  TNP_TABLE BesselPiece pieces[] = {{{', '.join(pieces)}}};",
                 f"  TNP_TABLE double c[] = {{{', '.join(number(c) for c in coefficients)}}};",
                 "  return bessel_piece(x, pieces, c);", "}", ""]
    at = text.index("};") + 2
    text[at:at] = ["// Requires x < the end of the last piece.",
                   "TNP_HOST_DEVICE inline DoubleDouble bessel_piece(double x, const BesselPiece* piece, const double* c) {",
                   "  while (x >= piece->end) ++piece;", "  c += piece->from;",
                   "  const double t = (x - piece->middle) * piece->scale;", "  double rest = c[piece->count - 1];",
                   "  for (int k = piece->count - 2; k >= 1; --k) rest = rest * t + c[k];",
                   "  const DoubleDouble product = two_product(rest, t), sum = two_sum(c[0], product.high);",
                   "  const DoubleDouble value = {sum.high, sum.low + (product.low + piece->low)};",
                   "  return piece->root == 0 ? value : value * (two_sum(x, -piece->root) + -piece->root_low);", "}", ""]
    (ROOT / "bessel_j_y_tables.h").write_text("\n".join([*text, "}  // namespace tnp::special", ""]))


def airy():
    def decaying(u):  # as a function of u = 1 / zeta
        zeta = 1 / u
        x = (3 * zeta / 2) ** (mpf(2) / 3)
        return 2 * sqrt(pi) * x ** mpf(0.25) * exp(zeta) * airyai(x)

    def parts(v):     # as a function of v = 1 / zeta^2
        zeta = 1 / sqrt(v)
        x = (3 * zeta / 2) ** (mpf(2) / 3)
        a, b, c, s = airyai(-x), airybi(-x), cos(zeta - pi / 4), sin(zeta - pi / 4)
        scale = sqrt(pi) * x ** mpf(0.25)
        return scale * (a * c - b * s), scale * (a * s + b * c) * zeta
    zeta = mpf(2) / 3 * mpf(4.5) ** mpf(1.5)
    edge = 1 / zeta ** 2
    print("airy edge", edge)
    roots = [findroot(airyai, -4.087949444130971), findroot(airyai, -2.338107410459767)]
    print("airy roots", [high_and_low(r) for r in roots])

    def over_distance(root):
        return lambda x: airyai(x, derivative=1) if x == root else airyai(x) / (x - root)
    comment = ("Coefficients of the Airy function Ai. Between -4.5 and 2 they approximate Ai, divided by x - root on "
               "intervals with a root. For large x they give the decaying factor as a function of 1 / zeta. For large -x "
               "they give the factors of cosine and sine as functions of 1 / zeta^2.")
    write("airy", comment, {
        "airy_a": interpolated(over_distance(roots[0]), -4.5, -3), "airy_b": interpolated(over_distance(roots[1]), -3, -1.5),
        **{f"airy_{name}": interpolated(airyai, *ends) for name, ends in (("c", (-1.5, 0)), ("d", (0, 1)), ("e", (1, 2)))},
        "airy_decay": interpolated(decaying, 0, 0.5303300858899107),  # 1 / zeta of 2
        "airy_cosine": interpolated(lambda v: parts(v)[0], 0, 0.0247), "airy_sine": interpolated(lambda v: parts(v)[1], 0, 0.0247)},
          ["airy_a", "airy_b", "airy_c", "airy_d", "airy_e", "airy_decay"])


def zetas():
    print("zeta", [number(bernoulli(2 * k) / factorial(2 * k)) for k in range(1, 13)])


def temme(ks=14, ns=22):
    """Coefficients of eta^n in C_k(eta), DLMF 8.12.9-12."""
    n = ns + 2 * ks + 4
    # eta^2 / 2 = mu - log(1 + mu). eta as a series in mu, then mu as one in eta: d mu / d eta = eta (1 + mu) / mu.
    mu = [mpf(0), mpf(1)]
    # mu mu' = eta (1 + mu), coefficient by coefficient.
    for j in range(2, n + 1):
        mu.append(mpf(0))
        # coefficient of eta^j in mu mu' : sum_i mu_i (j - i + 1) mu_{j-i+1}
        total = sum(mu[i] * (j - i + 1) * mu[j - i + 1] for i in range(1, j + 1) if j - i + 1 != j and i != j)
        rhs = mu[j - 1]  # eta * (1 + mu)
        mu[j] = (rhs - total) / (j + 1)  # i = 1: j mu_j; i = j: mu_j * 1 * mu_1
    # 1 / mu = 1 / eta * inverse(mu / eta)
    ratio = mu[1:]
    inverse = [1 / ratio[0]]
    for j in range(1, len(ratio)):
        inverse.append(-sum(ratio[i] * inverse[j - i] for i in range(1, j + 1)) / ratio[0])
    # C_0 = 1 / mu - 1 / eta
    c = [inverse[1:]]
    stirling = taylor_of_gamma(ks + 1)
    for k in range(1, ks):
        before = c[-1]
        # (1 / eta) C' + (-1)^k g_k / mu; the remaining 1 / eta terms cancel
        derivative = [j * before[j] for j in range(1, len(before))]
        g = (-1) ** k * stirling[k]
        residue = derivative[0] + g * inverse[0]
        assert abs(residue) < mpf(10) ** -30, residue
        c.append([derivative[j + 1] + g * inverse[j + 1] for j in range(len(derivative) - 1)])
    return [row[:ns] for row in c]


def taylor_of_gamma(count):
    """g_k: Gamma(z) ~ exp(-z) z^z sqrt(2 pi / z) sum of g_k / z^k, by exponentiating Stirling's series."""
    logs = [mpf(0)] * (count + 1)
    for k in range(1, count // 2 + 2):
        if 2 * k - 1 <= count:
            logs[2 * k - 1] = bernoulli(2 * k) / (2 * k * (2 * k - 1))
    g = [mpf(1)]
    for k in range(1, count + 1):
        g.append(sum(j * logs[j] * g[k - j] for j in range(1, k + 1)) / k)
    return g


def incomplete_gammas():
    write("temme", "Coefficients of Temme's expansion of the incomplete gamma functions: C_k of eta (DLMF 8.12).",
          {f"temme_{k}": row for k, row in enumerate(temme())})
    coefficients = interpolated_lgam1p()
    write("lgam1p", "Coefficients of log(Gamma(1 + x)) / x between -1/2 and 1/2.", coefficients)


def logarithms():
    """For numbers from 1 to 2 in 128 intervals: an approximate inverse of each midpoint with so few
    bits that products with doubles lose little, and minus its logarithm in double-double
    precision."""
    lines = [*commented("Inverses of numbers from 1 to 2, rounded to 9 bits, and minus their logarithms as high and low parts."),
             "// Written by tools/special_tables.py.", "#pragma once", "",
             '#include "aten/special/polynomial.h"', "", "namespace tnp::special {", "",
             "struct LogarithmEntry {", "  double inverse, high, low;", "};", "",
             "TNP_HOST_DEVICE inline LogarithmEntry logarithm_entry(int i) {", "  TNP_TABLE LogarithmEntry entries[] = {"]
    for i in range(128):
        inverse = mpf(round(512 / (1 + (i + 0.5) / 128))) / 512
        high, low = high_and_low(-log(inverse))
        lines.append(f"      {{{number(inverse)}, {high!r}, {low!r}}},")
    lines[-1] = lines[-1].rstrip(",") + "};"
    lines += ["  return entries[i];", "}", "", "}  // namespace tnp::special", ""]
    (ROOT / "logarithm_table.h").write_text("\n".join(lines))


def interpolated_lgam1p():
    from mpmath import loggamma
    def f(x):
        return -euler if x == 0 else loggamma(1 + x) / x
    return {"lgam1p_small": interpolated(f, -0.5, 0.5, 90)}


if __name__ == "__main__":
    digammas()
    error_functions()
    inverses()
    bessels()
    bessel_roots()
    airy()
    zetas()
    incomplete_gammas()
    logarithms()
