"""Streams of random numbers: bit for bit equal to NumPy's, for the same bit generator and seed."""
import copy
import inspect
import pickle
import threading

import numpy
import pytest
from same_as_numpy import agrees

import torch_np
import torch_np.numpy as np

BITS = ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"]
# Parameters of each distribution that reach every branch of its algorithm.
DISTRIBUTIONS = {
    "random": [()], "standard_normal": [()], "standard_exponential": [()], "standard_cauchy": [()], "uniform": [(-1, 3)],
    "normal": [(1, 2)], "lognormal": [(0.5, 0.3)], "exponential": [(2,)], "standard_gamma": [(0.5,), (1,), (3.3,), (0,)],
    "gamma": [(2.5, 3)], "beta": [(0.5, 0.5), (2, 3), (1e-4, 1e-4), (1e-110, 1e-110)], "chisquare": [(3,)],
    "noncentral_chisquare": [(3, 1.5), (0.5, 1.5), (2, 0)], "f": [(3, 5)], "noncentral_f": [(3, 5, 1.0)], "standard_t": [(4,)],
    "pareto": [(2,)], "weibull": [(1.5,), (0,)], "power": [(2.5,)], "laplace": [(0, 1)], "gumbel": [(0, 1)], "logistic": [(0, 1)],
    "rayleigh": [(2,)], "wald": [(1, 2)], "vonmises": [(0.5, 2), (0, 1e-9), (0, 1e-6), (1, 2e6)], "triangular": [(0, 1, 3)],
    "poisson": [(3,), (50,), (0,)], "binomial": [(10, 0.3), (100, 0.7), (1000, 0.4), (10, 0), (0, 0.3)],
    "negative_binomial": [(5, 0.4)], "geometric": [(0.5,), (0.1,)], "logseries": [(0.7,)], "zipf": [(2.5,)],
    "hypergeometric": [(10, 15, 7), (100, 200, 50), (5, 5, 9), (60, 30, 85)], "multinomial": [(20, [0.2, 0.3, 0.5])],
    "dirichlet": [([1, 2, 3],)],
}
CASES = [(name, p) for name, all_of in DISTRIBUTIONS.items() for p in all_of]
EXACT_UP_TO_ROUNDING = {"dirichlet"}   # NumPy sums from left to right


@pytest.mark.parametrize("name, parameters", CASES, ids=str)
def test_generator_has_numpys_stream(name, parameters):
    for size in (None, (), (0,), (2, 3), 20_000 if name not in ("multinomial", "dirichlet") else 50):
        agrees(lambda xp: getattr(xp.random.default_rng(12345), name)(*parameters, size=size), size, exact=name not in EXACT_UP_TO_ROUNDING)


@pytest.mark.parametrize("name, parameters", CASES, ids=str)
def test_random_state_has_numpys_stream(name, parameters):
    for size in (None, (2, 3), 20_000 if name not in ("multinomial", "dirichlet") else 50):
        agrees(lambda xp: getattr(xp.random.RandomState(12345), name)(*parameters, size=size), size, exact=name not in EXACT_UP_TO_ROUNDING)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_single_precision_has_numpys_stream(name):
    parameters = (2.5,) if name == "standard_gamma" else ()
    agrees(lambda xp: getattr(xp.random.default_rng(1), name)(*parameters, size=200_000, dtype=numpy.float32), exact=True)


def test_long_streams_visit_every_entry_of_the_tables():
    agrees(lambda xp: xp.random.default_rng(2).standard_normal(1_000_000), exact=True)
    agrees(lambda xp: xp.random.default_rng(3).standard_exponential(1_000_000), exact=True)


@pytest.mark.parametrize("bits", BITS)
def test_every_bit_generator(bits):
    def draws(xp):
        rng = xp.random.Generator(getattr(xp.random, bits)(5))
        return (rng.random(5), rng.integers(0, 9, size=5, dtype=numpy.int32), rng.normal(size=3), rng.random(3, dtype=numpy.float32),
                rng.permutation(7))
    agrees(draws, exact=True)
    agrees(lambda xp: getattr(xp.random, bits)(5).random_raw(3), exact=True)
    if bits != "SFC64":
        agrees(lambda xp: xp.random.Generator(getattr(xp.random, bits)(5).jumped()).random(3), exact=True)
    if bits not in ("SFC64", "MT19937"):
        def advanced(xp):
            b = getattr(xp.random, bits)(5)
            b.advance(10)
            return xp.random.Generator(b).random(3)
        agrees(advanced, exact=True)


@pytest.mark.parametrize("bits", BITS)
def test_state_is_saved_restored_copied_and_pickled(bits):
    b = getattr(np.random, bits)(5)
    rng = np.random.Generator(b)
    rng.random(3, dtype=np.float32)
    state = b.state
    first = rng.normal(size=4).tolist()
    for duplicate in (lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy):
        assert duplicate(rng).random(3).tolist() == rng.random(3).tolist()
    b.state = state
    assert rng.normal(size=4).tolist() == first
    theirs = getattr(numpy.random, bits)(0)
    theirs.state = state   # the dictionary is NumPy's
    assert numpy.random.Generator(theirs).normal(size=4).tolist() == first
    with pytest.raises(TypeError):
        b.state = 3
    with pytest.raises(ValueError):
        b.state = {"bit_generator": "nonsense"}


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers(dtype):
    top = 1 if dtype == "bool" else int(numpy.iinfo(dtype).max)
    for low, high in ((0, 1), (0, top), (0, min(top, 100)), (top, top), (0, max(top - 1, 0))):
        agrees(lambda xp: xp.random.default_rng(3).integers(low, high, size=1001, dtype=dtype, endpoint=True), f"{low} {high}", exact=True)
        if high < top:
            agrees(lambda xp: xp.random.RandomState(3).randint(low, high + 1, size=1001, dtype=dtype), f"{low} {high}", exact=True)


CALLS = {
    "broadcast": lambda r: r.normal([0, 1, 2], [[1], [2]]), "size": lambda r: r.normal([0, 1, 2], 1, size=(4, 3)),
    "poisson": lambda r: r.poisson([1, 20, 3]), "uniform": lambda r: r.uniform([0, 1], [5, 6]), "binomial": lambda r: r.binomial([10, 20], [.1, .9]),
    "choice": lambda r: r.choice(10), "choices": lambda r: r.choice(10, 5), "no replace": lambda r: r.choice(10, 5, replace=False),
    "weights": lambda r: r.choice([10, 20, 30], 4, p=[.2, .3, .5]), "both": lambda r: r.choice(5, 3, replace=False, p=[.1, .2, .3, .2, .2]),
    "permutation": lambda r: r.permutation(8), "rows": lambda r: r.permutation([[1, 2], [3, 4], [5, 6]]), "bytes": lambda r: r.bytes(10),
    # malformed
    "scale": lambda r: r.normal(0, -1), "shapes": lambda r: r.normal([0, 1], 1, size=3), "negative size": lambda r: r.normal(size=-1),
    "probability": lambda r: r.binomial(1, 1.5), "count": lambda r: r.binomial(-1, .5), "zipf": lambda r: r.zipf(1),
    "hypergeometric": lambda r: r.hypergeometric(1, 1, 3), "permutation of float": lambda r: r.permutation(2.5), "tuple": lambda r: r.shuffle((1, 2)),
    "range": lambda r: r.uniform(0, numpy.inf), "p": lambda r: r.choice(3, p=[.5, .5]), "sum of p": lambda r: r.choice(2, p=[.5, .4]),
    "too many": lambda r: r.choice(5, 6, replace=False), "none": lambda r: r.choice(0), "triangle": lambda r: r.triangular(3, 2, 4),
    "rate": lambda r: r.poisson(-1), "too fast": lambda r: r.poisson(1e19), "size of float": lambda r: r.normal(size=2.5),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_calls_of_both_classes(call):
    agrees(lambda xp: call(xp.random.default_rng(7)), "Generator", exact=True)
    agrees(lambda xp: call(xp.random.RandomState(7)), "RandomState", exact=True)


MODERN = {
    "integers": lambda r: r.integers(10), "broadcast": lambda r: r.integers([1, 2, 3], [10, 20, 30]), "low": lambda r: r.integers(-5, [5, 6]),
    "uint64": lambda r: r.integers(0, 2**64 - 1, size=4, dtype=numpy.uint64, endpoint=True), "inv": lambda r: r.standard_exponential(5, method="inv"),
    "axis": lambda r: r.permutation([[1, 2, 3], [3, 4, 5]], axis=1), "in order": lambda r: r.choice(10, (2, 2), replace=False, shuffle=False),
    "tail shuffle": lambda r: r.choice(20_000, 5000, replace=False), "set": lambda r: r.choice(20_000, 10, replace=False),
    "permuted": lambda r: r.permuted([[1, 2, 3], [4, 5, 6]], axis=1), "all permuted": lambda r: r.permuted([[1, 2, 3], [4, 5, 6]]),
    "colors": lambda r: r.multivariate_hypergeometric([10, 20, 30], 15, 3), "many colors": lambda r: r.multivariate_hypergeometric([10, 20, 30], 45, 3),
    "empty range": lambda r: r.integers(3, 3), "int8": lambda r: r.integers(0, 300, dtype=numpy.int8), "arrays": lambda r: r.integers([3], [2]),
    "zero": lambda r: r.integers(0), "float": lambda r: r.integers(0, 5, dtype=float), "uint8": lambda r: r.integers(-1, 5, dtype=numpy.uint8),
    "dtype": lambda r: r.random(dtype=int), "half": lambda r: r.random(3, dtype=numpy.float16), "reversed": lambda r: r.uniform(2, 1),
    "multinomial": lambda r: r.multinomial([10, 20], [[.5, .5], [.3, .7]]), "small alpha": lambda r: r.dirichlet([.01, .02, .03], 4),
}


@pytest.mark.parametrize("call", MODERN.values(), ids=MODERN)
def test_calls_of_generator(call):
    agrees(lambda xp: call(xp.random.default_rng(7)))


LEGACY = {
    "rand": lambda r: r.rand(2, 3), "randn": lambda r: r.randn(3), "number": lambda r: r.randn(), "randint": lambda r: r.randint(2, 10, size=3),
    "uint8": lambda r: r.randint(0, 256, 10, dtype=numpy.uint8), "arrays": lambda r: r.randint([1, 2], [5, 9]), "one": lambda r: r.randint(5),
    "tomaxint": lambda r: r.tomaxint(3), "empty range": lambda r: r.randint(3, 3), "int8": lambda r: r.randint(0, 300, dtype=numpy.int8),
    "sample": lambda r: r.random_sample(3),
}


@pytest.mark.parametrize("call", LEGACY.values(), ids=LEGACY)
def test_calls_of_random_state(call):
    agrees(lambda xp: call(xp.random.RandomState([1, 2, 3])), exact=True)


def test_shuffles_in_place():
    def modern(xp):
        rng, x, y, numbers = xp.random.default_rng(3), xp.arange(10), xp.arange(12).reshape(4, 3), list(range(6))
        rng.shuffle(x)
        rng.shuffle(y, axis=1)
        rng.shuffle(numbers)
        return x, y, xp.asarray(numbers)
    agrees(modern, exact=True)


def test_functions_of_the_module_share_one_state():
    def legacy(xp):
        xp.random.seed(3)
        x = xp.arange(10)
        xp.random.shuffle(x)
        a = xp.random.rand(2)
        state = xp.random.get_state()
        b = xp.random.randn(3)
        xp.random.set_state(state)
        return x, a, b, xp.random.randn(3), xp.random.normal(1, 2, 3), xp.random.choice(5, 2), xp.random.permutation(4)
    agrees(legacy, exact=True)


def test_randn_of_the_yaml_entry():
    np.random.seed(0)
    x = np.random.randn(2, 3)
    numpy.random.seed(0)
    assert numpy.array_equal(numpy.asarray(x), numpy.random.randn(2, 3))


def test_seeds():
    for seed in (5, [1, 2, 3], numpy.random.SeedSequence(7), numpy.array([4, 5])):
        agrees(lambda xp: xp.random.default_rng(seed).random(2), exact=True)
    agrees(lambda xp: xp.random.default_rng(-1))
    agrees(lambda xp: xp.random.RandomState(-1))
    agrees(lambda xp: xp.random.default_rng(5).spawn(2)[1].random(3), exact=True)
    theirs, ours = numpy.random.Generator(numpy.random.PCG64(5)), np.random.Generator(numpy.random.PCG64(5))
    assert ours.random(4).tolist() == theirs.random(4).tolist()   # a bit generator of NumPy's, through its C interface


def test_out():
    x = np.zeros(3)
    y = np.random.default_rng(3).random(out=x)
    assert y is x and x.tolist() == numpy.random.default_rng(3).random(3).tolist()
    with pytest.raises(TypeError):
        np.random.default_rng(3).random(out=np.zeros(3, dtype=np.float32))


def test_torch_face():
    torch_np.manual_seed(3)
    a = torch_np.randn(2, 3)
    torch_np.manual_seed(3)
    assert torch_np.randn(2, 3).tolist() == a.tolist()
    assert a.dtype == torch_np.float32 and torch_np.rand(2, dtype=torch_np.float64).dtype == torch_np.float64
    x = torch_np.randint(2, 5, (100,))
    assert set(x.tolist()) == {2, 3, 4} and sorted(torch_np.randperm(6).tolist()) == list(range(6))
    with pytest.raises(RuntimeError):
        torch_np.randint(5, 2, (3,))


def signature(function):
    """The signature without our additions: keywords that begin with _, and annotations."""
    both = inspect.signature(function)
    return both.replace(parameters=[p.replace(annotation=p.empty) for name, p in both.parameters.items() if not name.startswith("_")],
                        return_annotation=both.empty)


@pytest.mark.parametrize("name", [n for n in dir(numpy.random.Generator) if not n.startswith("_") and callable(getattr(numpy.random.Generator, n))])
def test_signatures_of_generator_are_numpys(name):
    theirs = inspect.signature(getattr(numpy.random.Generator, name))
    # None: float64, or the dtype of _set_default_dtype()
    parameters = [p.replace(default=None) if p.default is numpy.float64 else p for p in theirs.parameters.values()]
    assert signature(getattr(np.random.Generator, name)) == theirs.replace(parameters=parameters)


@pytest.mark.parametrize("name", [n for n in dir(numpy.random.RandomState) if not n.startswith("_")])
def test_signatures_of_random_state_are_numpys(name):
    assert signature(getattr(np.random.RandomState, name)) == inspect.signature(getattr(numpy.random.RandomState, name))


@pytest.mark.parametrize("draw", [lambda rng, out: rng.random(out=out), lambda rng, out: rng.standard_normal(out=out),
                                  lambda rng, out: rng.standard_gamma(1.0, out=out), lambda rng, out: rng.permuted(np.arange(3.0), out=out)])
def test_only_arrays_of_this_face_are_filled(draw):
    with pytest.raises(TypeError, match="out must be an array of torch_np.numpy, not Tensor"):
        draw(np.random.default_rng(0), torch_np.zeros(3, dtype=torch_np.float64))


def test_a_zero_dimensional_integer_is_a_size():
    n = np.arange(5).max() - 1
    assert np.random.randint(0, 9, size=n).shape == np.random.default_rng(0).normal(size=n).shape == (3,)


@pytest.mark.parametrize("n", [0, 1, 2, 511, 512, 513, 1025, 20_001])
def test_blocks_draw_no_number_too_many(n):
    draws = [lambda r: r.normal(2.0, 3.0, size=n), lambda r: r.standard_normal(n), lambda r: r.rand(n), lambda r: r.uniform(-1, 5, n),
             lambda r: r.randint(0, 1000, size=n), lambda r: r.randint(-5, 2**31 - 2, size=n, dtype="i4"), lambda r: r.randint(7, 8, size=n),
             lambda r: r.randint(0, 2**40, size=n), lambda r: r.permutation(n), lambda r: r.normal()]
    theirs, ours = numpy.random.RandomState(5), np.random.RandomState(5)
    for draw in draws * 2:
        numpy.testing.assert_array_equal(draw(theirs), numpy.asarray(draw(ours)))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 511, 512, 1025, 20_001])
def test_blocks_of_pcg64_go_on_where_they_ended(n):
    draws = [lambda r: r.random(n), lambda r: r.integers(0, 1000, n), lambda r: r.integers(0, 1000, n, dtype="u4"), lambda r: r.standard_normal(n),
             lambda r: r.integers(-5, 2**31 - 2, n, dtype="i4"), lambda r: r.normal(2.0, 3.0, n), lambda r: r.permutation(n),
             lambda r: r.exponential(2.0, n), lambda r: r.integers(0, 3 * 2**30, n), lambda r: r.random(n, dtype="f4"), lambda r: r.random()]
    theirs, ours = numpy.random.default_rng(5), np.random.default_rng(5)
    for draw in draws * 2:
        numpy.testing.assert_array_equal(draw(theirs), numpy.asarray(draw(ours)))
        assert theirs.bit_generator.state["state"] == ours.bit_generator.state["state"]


def test_threads_share_a_generator():
    for make in (np.random.default_rng, np.random.RandomState):
        ours, drawn = make(3), []
        threads = [threading.Thread(target=lambda: drawn.append(ours.standard_normal(50_000))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        alone = numpy.asarray(make(3).standard_normal(200_000))
        numpy.testing.assert_array_equal(numpy.sort(numpy.concatenate([numpy.asarray(d) for d in drawn])), numpy.sort(alone))


def test_a_generator_that_nobody_else_keeps():
    class Computed:
        @property
        def _generator(self):
            return torch_np._C.Generator("PCG64", False)

    for _ in range(2000):
        torch_np.rand(100, generator=Computed())


@pytest.mark.parametrize("name, count", [("uniform", 2), ("poisson", 1), ("hypergeometric", 3), ("binomial", 2)])
def test_a_subclass_says_what_its_number_is(name, count):
    for xp in (numpy, np):
        class Stubborn(xp.ndarray):
            def __float__(self):
                raise TypeError("no number")
            __int__ = __float__
        for make in (lambda: xp.random.default_rng(1), lambda: xp.random.RandomState(1)):
            with pytest.raises(TypeError, match="no number"):
                getattr(make(), name)(*[xp.array(1).view(Stubborn)] * count)
