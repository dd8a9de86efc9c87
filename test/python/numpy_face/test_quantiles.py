"""Values, dtypes and errors of quantiles, medians and rounding, as NumPy's."""
import numpy
import pytest

from same_as_numpy import agrees

SHARES = [0.25, 0, 1, True, numpy.float64(0.25), numpy.float32(0.25), numpy.float16(0.25), [0.25], [0, 1], [0.0, 0.3, 1], numpy.array(0.25), numpy.array([0.25]),
          numpy.array([0.25], "f4"), numpy.array([0.25], "f2"), numpy.int64(1), numpy.array([1, 0], "u1"), numpy.array([True, False]), 2, -0.1, [0.5, 1.5], []]
METHODS = ["linear", "hazen", "weibull", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf"]


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f4", "f8"])
def test_dtypes_of_shares(name, dtype):
    """A Python number adopts the array's dtype; numpy.float64 is not a Python number."""
    percent = 1 if "quantile" in name else 100
    for share in SHARES:
        q = share if percent == 1 or isinstance(share, bool) else [s * 100 for s in share] if isinstance(share, list) else (
            share * 100 if numpy.asarray(share).dtype != bool else share)
        for values in ([3, 1, 4, 1, 5], [1, 0], [7]):
            a = numpy.array(values).astype(dtype)
            agrees(lambda xp: getattr(xp, name)(xp.asarray(a), q), f"{name} of {a} at {q!r}")  # noqa: B023


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["?", "i8", "f4", "f8"])
def test_methods(method, dtype):
    rng = numpy.random.default_rng(0)
    for n in (1, 2, 5, 8):
        a = rng.integers(0, 5, (n, 3)).astype(dtype)
        for q in (0.5, 0.3, [0.0, 0.25, 1.0], 1, 0):
            agrees(lambda xp: xp.quantile(xp.asarray(a), q, axis=0, method=method), f"{method} {dtype} {n} {q}")  # noqa: B023
            agrees(lambda xp: xp.quantile(xp.asarray(a)[::-1], q, method=method, keepdims=True), f"{method} {dtype} {n} {q}")  # noqa: B023


@pytest.mark.parametrize("decimals", [0, 1, -1])
@pytest.mark.parametrize("name", ["round", "around", "method", "rint", "fix", "floor", "ceil", "trunc"])
def test_rounding_of_bools(name, decimals):
    def call(xp):
        x = xp.array([True, False])
        return x.round(decimals) if name == "method" else getattr(xp, name)(x, *([decimals] if "round" in name or name == "around" else []))

    agrees(call, name, exact=True)
    agrees(lambda xp: xp.round(xp.array([True, False]), out=xp.zeros(2)), exact=True)


@pytest.mark.parametrize("exponent", [-1, [-1], [-1, 2, 3], numpy.array([-1], "i1")], ids=str)
def test_integers_to_no_negative_power(exponent):
    for shape in ((0,), (0, 3), (3, 0), (0, 1), (3,), (1,)):
        agrees(lambda xp: xp.power(xp.ones(shape, dtype=int), exponent), shape, exact=True)  # noqa: B023
        agrees(lambda xp: xp.power.outer(xp.ones(shape, dtype=int), exponent), shape, exact=True)  # noqa: B023
        agrees(lambda xp: xp.ones(shape, dtype=int) ** xp.asarray(exponent), shape, exact=True)  # noqa: B023
