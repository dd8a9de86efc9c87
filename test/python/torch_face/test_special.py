"""Special functions compared with values of many digits (special_accuracy.py), also in float32, and
edge cases on both devices."""
import json
import math

import numpy
import pytest
import special_accuracy
import special_regions

import torch_np
from torch_np import special

TABLE = json.loads(special_accuracy.GOLDEN.read_text())
REGIONS = special_regions.REGIONS


def test_every_region_has_golden_values():
    assert [(t["name"], t["where"]) for t in TABLE] == [(r.name, r.where) for r in REGIONS]


@pytest.mark.parametrize("dtype", special_accuracy.DTYPES)
@pytest.mark.parametrize("number", range(len(TABLE)), ids=[f"{i}-{t['name']}" for i, t in enumerate(TABLE)])
def test_accuracy(number, dtype):
    entry, region = TABLE[number][dtype], REGIONS[number]
    assert len(entry["high"]) >= 2
    found = special_accuracy.golden_errors(region, entry, dtype)
    assert found.max() <= region.bounds[special_accuracy.DTYPES.index(dtype)], [a[found.argmax()] for a in entry["arguments"]]


def test_the_page_says_what_is_tested():
    rows = [line.strip("| ").split(" | ") for line in special_accuracy.PAGE.read_text().splitlines() if line.startswith("| ")]
    said = {(row[0], row[1]): (row[2], row[5]) for row in rows if len(row) == 8}
    for region in REGIONS:
        assert said[region.name, region.where] == tuple(f"{b:g}{'*' if region.scale else ''}" for b in region.bounds), region.name


def test_every_function_of_special_has_a_region():
    tested = {r.name.rstrip("_0123456789") if r.name.startswith(("polygamma", "multigammaln")) else r.name for r in REGIONS}
    # round is exact, and psi is digamma
    assert {n for n in dir(special) if not n.startswith("_")} - tested == {"annotations", "psi", "round"}


@pytest.mark.parametrize("name", ["digamma", "erfcx", "ndtr", "log_ndtr", "i0e", "i1e", "airy_ai", "scaled_modified_bessel_k0", "gammainc"])
def test_float32_is_float64_rounded(name):
    x = numpy.random.default_rng(3).uniform(0.2, 6, 500).astype("f4")
    arguments = [x, x[::-1].copy()] if name == "gammainc" else [x]
    wide = special_accuracy.ours(name, [a.astype("f8") for a in arguments])
    assert (special_accuracy.ours(name, arguments) == wide.astype("f4")).all()


def test_layouts_and_threads():
    x = torch_np.tensor(numpy.random.default_rng(4).uniform(0.1, 9, (300, 200)))
    assert (torch_np.lgamma(x.t()) == torch_np.lgamma(x).t()).all()
    assert (special.zeta(x[:, ::3] + 1, x[:1, ::3]) == special.zeta((x + 1).contiguous(), x[:1])[:, ::3]).all()


def test_digamma_near_its_root_keeps_its_digits():
    # psi'(root) times the distance
    x = 1.4616321449683622 + numpy.array([1, -1, 2, -2]) * 2.0 ** -40
    found = special_accuracy.ours("digamma", [x])
    distance = (x - 1.4616321449683622) - 9.549995429965697e-17
    numpy.testing.assert_allclose(found, distance * 0.9676722454476212, rtol=1e-11)


INF, TINY, HUGE = numpy.inf, 5e-324, 1.7e308


@pytest.mark.parametrize(("name", "arguments", "expected"), [
    ("erfcx", (INF,), 0), ("erfcx", (-26.7,), INF), ("log_ndtr", (-INF,), -INF), ("log_ndtr", (INF,), 0), ("ndtr", (-INF,), 0),
    ("i0", (INF,), INF), ("i1", (-INF,), -INF), ("i1", (800.0,), INF), ("i1e", (INF,), 0), ("modified_bessel_k1", (TINY,), INF),
    ("scaled_modified_bessel_k0", (INF,), 0), ("digamma", (-TINY,), INF), ("digamma", (TINY,), -INF), ("zeta", (2.0, -TINY), INF),
    ("zeta", (3.0, INF), 0), ("zeta", (INF, 0.5), INF), ("gammainc", (HUGE, 2.0), 0), ("gammaincc", (HUGE, 2.0), 1), ("gammainc", (10.0, TINY), 0),
    ("gammainc", (HUGE, HUGE), 0.5), ("sinc", (HUGE,), 0), ("chebyshev_polynomial_t", (INF, 3.0), INF),
    ("chebyshev_polynomial_u", (-INF, 3.0), -INF), ("chebyshev_polynomial_t", (4.0, 1e6), INF), ("chebyshev_polynomial_v", (-1.0, 1e15), 2e15 + 1),
    # one rounding near a zero: 2 x - 1 times 2, (-1)^n (x - n) / n
    ("logit", (0.49999999999999994,), -2.0 ** -52), ("sinc", (1.0000000000000002,), -2.0 ** -52), ("sinc", (0.9999999999999999,), 2.0 ** -53)])
def test_ends_of_the_domain(name, arguments, expected):
    found = special_accuracy.ours(name, [numpy.array([a]) for a in arguments])[0]
    assert found == pytest.approx(expected, rel=5e-16, abs=0)


def test_what_has_no_derivative_says_so():
    a = torch_np.ones(2, dtype=torch_np.float64, requires_grad=True)
    x = torch_np.ones(2, dtype=torch_np.float64)
    for f in (torch_np.igamma, torch_np.igammac, lambda a, x: special.zeta(a + 1, x)):
        with pytest.raises(NotImplementedError, match="derivative of .* with respect to"):
            f(a, x).sum().backward()
    with pytest.raises(NotImplementedError):
        special.airy_ai(a).sum().backward()


def test_a_multivariate_gamma_function_of_more_terms_than_memory_holds_raises_at_once():
    for p in (2 ** 61, 2 ** 62, 2 ** 63 - 1):
        with pytest.raises(RuntimeError, match=rf"^mvlgamma\(\): p = {p} terms for each element of input of shape \(3,\)"):
            torch_np.mvlgamma(torch_np.ones(3), p)
    with pytest.raises(MemoryError):
        torch_np.mvlgamma(torch_np.full((3,), 1e30), 2 ** 50)


def test_a_multivariate_gamma_function_of_many_terms_is_a_sum_of_as_many():
    """ln Gamma_p(x) = p (p - 1) / 4 ln pi + sum of ln Gamma(x - i / 2)."""
    x, p = numpy.array([6e4, 2e5]), 100_000
    terms = sum(numpy.vectorize(math.lgamma)(x[:, None] - numpy.arange(p) / 2).T)
    expected = p * (p - 1) / 4 * math.log(math.pi) + terms
    numpy.testing.assert_allclose(numpy.asarray(torch_np.mvlgamma(torch_np.tensor(x), p)), expected, rtol=1e-12)


# The references are n! zeta(n + 1, x), in 60 digits.
@pytest.mark.parametrize("n, x, expected", [
    (200, 50.0, -2.5829713930705356e33), (171, 10.0, 1.2410181644579104e137), (2**62, 1.0, -math.inf), (2**62, 2.0, -math.inf), (2**63 - 1, 2.0, math.inf),
    (2**62, math.inf, 0.0), (2**63 - 1, math.nan, math.nan)])
def test_polygamma_of_orders_whose_factorial_overflows(n, x, expected):
    found = torch_np.polygamma(n, torch_np.tensor([x], dtype=torch_np.float64)).item()
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)
