"""Philox: the same numbers and the same final state as NumPy's, on every device.

With --device cuda the results are on the GPU. Distributions that have a kernel are drawn there. A
GPU's logarithms and exponentials may differ from the CPU's in the last bit; the emulated device's
do not.
"""
import os

import numpy
import pytest

import torch_np
import torch_np.numpy as np

ON_GPU = str(torch_np.get_default_device()) != "cpu"
EXACT = not ON_GPU or os.environ.get("TORCH_NP_CUDA_EMULATED")
SIZES = [0, 1, 2, 3, 5, 8, 1001, 4096, 20_003]


def generators(seed=5, legacy=False):
    if legacy:
        return numpy.random.RandomState(numpy.random.Philox(seed)), np.random.RandomState(np.random.Philox(seed))
    return numpy.random.Generator(numpy.random.Philox(seed)), np.random.Generator(np.random.Philox(seed))


def bits_of(generator):
    return getattr(generator, "bit_generator", None) or generator._bit_generator


def plain(state):
    return {k: plain(v) if isinstance(v, dict) else numpy.asarray(v).tolist() for k, v in state.items()}


def agree(ours, theirs, math=False):
    """`math`: the distribution uses logarithms or exponentials."""
    on_gpu = str(ours.device) != "cpu"
    ours, theirs = numpy.asarray(ours._cpu() if on_gpu else ours), numpy.asarray(theirs)
    assert on_gpu == ON_GPU and ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if EXACT or not math:
        numpy.testing.assert_array_equal(ours, theirs)
    else:
        numpy.testing.assert_array_max_ulp(ours, theirs, maxulp=4)


def same_draws(draws, legacy=False, math=False, seed=5):
    """Runs each of `draws` in turn on NumPy's generator and on ours: the same numbers, and the same
    state after each."""
    theirs, ours = generators(seed, legacy)
    for draw in draws:
        agree(draw(ours), draw(theirs), math)
        expected, state = plain(bits_of(theirs).state), plain(bits_of(ours).state)
        if not expected["has_uint32"]:
            # used entries of the buffer are irrelevant
            expected.pop("uinteger"), state.pop("uinteger")
        assert state == expected


# the draws begin at any position
ODD = [lambda r: r.random(3, dtype="f4"), lambda r: r.integers(0, 2**32, 1, dtype="u4"), lambda r: r.random(1)]
UNIFORM = {
    "random": lambda n: lambda r: r.random(n), "float32": lambda n: lambda r: r.random(n, dtype="f4"), "uniform": lambda n: lambda r: r.uniform(-2.5, 7, n),
    "uint64": lambda n: lambda r: r.integers(0, 2**64 - 1, n, dtype="u8", endpoint=True), "int64": lambda n: lambda r: r.integers(-2**63, 2**63 - 1, n, endpoint=True),
    "32 bits of 64": lambda n: lambda r: r.integers(-7, 2**32 - 8, n, endpoint=True), "uint32": lambda n: lambda r: r.integers(0, 2**32, n, dtype="u4"),
    "int32": lambda n: lambda r: r.integers(-2**31, 2**31, n, dtype="i4"), "uint16": lambda n: lambda r: r.integers(0, 2**16, n, dtype="u2"),
    "int16": lambda n: lambda r: r.integers(-2**15, 2**15, n, dtype="i2"), "uint8": lambda n: lambda r: r.integers(0, 256, n, dtype="u1"),
    "int8": lambda n: lambda r: r.integers(-128, 128, n, dtype="i1"), "bool": lambda n: lambda r: r.integers(0, 2, n, dtype=bool),
    "one bool": lambda n: lambda r: r.integers(1, 2, n, dtype=bool), "one": lambda n: lambda r: r.integers(7, 8, n),
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", UNIFORM)
def test_numbers_of_so_many_bits_each(name, n):
    same_draws([UNIFORM[name](n), ODD[0], UNIFORM[name](n), ODD[1], UNIFORM[name](n), ODD[2], UNIFORM[name](n), UNIFORM[name](3)])


@pytest.mark.parametrize("n", SIZES)
def test_functions_of_uniform_numbers(n):
    same_draws([lambda r: r.standard_exponential(n, method="inv"), lambda r: r.standard_exponential(n, dtype="f4", method="inv"), ODD[1]] * 2, math=True)
    same_draws([lambda r: r.standard_exponential(n), lambda r: r.exponential(2.5, n), lambda r: r.random_sample(3)] * 2, legacy=True, math=True)


def test_drawing_begins_in_any_place_of_a_buffer():
    for before in range(9):
        for halves in range(3):
            draws = [lambda r: r.random(before), lambda r: r.random(halves, dtype="f4")]
            for n in (1, 3, 4, 5, 13):
                same_draws([*draws, lambda r: r.random(n), lambda r: r.random(n, dtype="f4"), lambda r: r.integers(0, 256, n, dtype="u1")])


def test_what_a_state_has_buffered_comes_first():
    theirs, ours = generators()
    state = bits_of(theirs).state
    state["buffer"], state["buffer_pos"], state["has_uint32"], state["uinteger"] = numpy.array([1 << 60, 2 << 60, 3 << 60, 4 << 60], "u8"), 1, 1, 123
    state["state"]["counter"] = numpy.array([2**64 - 2, 2**64 - 1, 2**64 - 1, 7], "u8")   # and the counter carries
    for g in (theirs, ours):
        bits_of(g).state = state
    for draw in (lambda r: r.random(30), lambda r: r.random(9, dtype="f4"), lambda r: r.integers(0, 2**64 - 1, 9, dtype="u8", endpoint=True)):
        agree(draw(ours), draw(theirs))


def test_other_bit_generators_give_their_numbers_too():
    for bits in ("MT19937", "PCG64", "PCG64DXSM", "SFC64"):
        theirs, ours = numpy.random.Generator(getattr(numpy.random, bits)(3)), np.random.Generator(getattr(np.random, bits)(3))
        for draw in (lambda r: r.random(101), lambda r: r.normal(1, 2, 101), lambda r: r.integers(0, 9, 101), lambda r: r.standard_normal(11, dtype="f4")):
            agree(draw(ours), draw(theirs))


def test_the_result_is_where_it_is_asked_for():
    rng = np.random.default_rng(3)
    for made in (rng.random(3, _device="cpu"), rng.normal(size=3, _device="cpu"), rng.integers(5, size=3, _device="cpu"), rng.permutation(5, _device="cpu"),
                 rng.choice(5, 2, _device="cpu"), rng.choice(5, 2, replace=False, _device="cpu"), rng.choice(3, 2, p=[.5, .3, .2], _device="cpu"), rng.poisson(3, 3, _device="cpu"),
                 rng.dirichlet([1, 2], _device="cpu"), rng.multinomial(5, [.5, .5], _device="cpu"), np.random.randn(3, _device="cpu"), np.random.rand(3, _device="cpu"),
                 np.random.randint(5, size=3, _device="cpu"), np.random.normal(size=3, _device="cpu"), np.random.permutation(5, _device="cpu"), np.random.RandomState(3).randn(3, _device="cpu"),
                 rng.multivariate_hypergeometric([5, 5], 3, _device="cpu"), np.identity(3, _device="cpu"), np.tri(3, _device="cpu"), np.linspace(0, 1, 5, device="cpu")):
        assert str(made.device) == "cpu"
    for made in (torch_np.rand(3, device="cpu"), torch_np.randn(3, device="cpu"), torch_np.randint(5, (3,), device="cpu"), torch_np.randperm(3, device="cpu")):
        assert made.device.type == "cpu"
    for made in (rng.random(3), rng.choice(3, 2, p=[.5, .3, .2]), rng.permutation(4), torch_np.rand(3), torch_np.randperm(3), np.tri(3), np.linspace(0, 1, 5)):
        assert (str(made.device) != "cpu") == ON_GPU
    with pytest.raises(RuntimeError):
        rng.random(3, _device="cuda:77")


def test_seeds_of_the_torch_face():
    torch_np.manual_seed(7)
    first = [torch_np.rand(5).tolist(), torch_np.randn(5).tolist(), torch_np.randint(9, (5,)).tolist(), torch_np.randperm(5).tolist()]
    torch_np.manual_seed(7)
    assert first == [torch_np.rand(5).tolist(), torch_np.randn(5).tolist(), torch_np.randint(9, (5,)).tolist(), torch_np.randperm(5).tolist()]
    g = torch_np.Generator("Philox", legacy=False).manual_seed(11)
    on_cpu = torch_np.randn(1000, generator=g, device="cpu").tolist() + torch_np.rand(3, generator=g, device="cpu", dtype=torch_np.float64).tolist()
    assert g.initial_seed() == 11 and g.name == "Philox" and g.seed() == g.initial_seed() != 11
    g.manual_seed(11)
    anywhere = torch_np.randn(1000, generator=g).tolist() + torch_np.rand(3, generator=g, dtype=torch_np.float64).tolist()
    assert anywhere == on_cpu if EXACT else numpy.allclose(anywhere, on_cpu, rtol=1e-6)


@pytest.mark.skipif(not ON_GPU, reason="GPUs' own generators")
def test_each_gpu_has_a_generator():
    g = torch_np.Generator(device="cuda")
    assert g.name == "Philox" and not g.legacy and g.device.type == "cuda" and torch_np.Generator(device="cpu").name == "MT19937"
    for seed in (torch_np.manual_seed, torch_np.cuda.manual_seed, torch_np.cuda.manual_seed_all):
        seed(3)
        assert torch_np.cuda.initial_seed() == 3
        x = torch_np.randn(100)
        seed(3)
        assert (torch_np.randn(100) == x).all()
        assert (torch_np.randn(100, generator=g.manual_seed(3)) == x).all()
    state = torch_np.cuda.get_rng_state()
    assert state.dtype is torch_np.uint8 and state.device.type == "cpu"
    x = torch_np.rand(5)
    torch_np.cuda.set_rng_state(state)
    assert (torch_np.rand(5) == x).all()
    torch_np.cuda.set_rng_state_all(torch_np.cuda.get_rng_state_all())
    with pytest.raises(ValueError):
        torch_np.cuda.set_rng_state(torch_np.ones(3))
    with pytest.raises(ValueError):
        torch_np.cuda.set_rng_state(state[:16])
    torch_np.cuda.seed()
    torch_np.cuda.seed_all()
    np.random.seed(3)
    ours = np.random.randn(3)   # NumPy's functions share NumPy's generator
    agree(ours, numpy.random.RandomState(3).randn(3))


ZIGGURATS = {
    "standard_normal": lambda n: lambda r: r.standard_normal(n), "normal": lambda n: lambda r: r.normal(-3, 2.5, n), "normal f4": lambda n: lambda r: r.standard_normal(n, dtype="f4"),
    "standard_exponential": lambda n: lambda r: r.standard_exponential(n), "exponential": lambda n: lambda r: r.exponential(0.3, n),
    "exponential f4": lambda n: lambda r: r.standard_exponential(n, dtype="f4"),
}
RANGES = {
    "int64": (-5, 2**62, "i8"), "uint64": (0, 2**63 + 1, "u8"), "small int64": (-7, 1000, "i8"), "half of 32 bits": (0, 2**31 + 1, "i8"), "33 bits": (0, 2**32 + 3, "i8"),
    "int32": (-2**31, 2**30, "i4"), "uint32": (5, 10, "u4"), "int16": (-300, 20_000, "i2"), "uint16": (0, 2**15 + 1, "u2"), "int8": (-100, 29, "i1"), "uint8": (3, 200, "u1"),
    "two of uint8": (7, 9, "u1"),
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ZIGGURATS)
def test_ziggurats(name, n):
    same_draws([ZIGGURATS[name](n), ODD[0], ZIGGURATS[name](n), ODD[1], ZIGGURATS[name](n), ODD[2], ZIGGURATS[name](n), ZIGGURATS[name](1)], math=True)


@pytest.mark.parametrize("name", ZIGGURATS)
def test_wedges_and_tails_of_ziggurats(name):
    same_draws([ZIGGURATS[name](150_000)], math=True, seed=123)


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("name", RANGES)
def test_integers_of_which_some_are_rejected(name, legacy):
    low, high, dtype = RANGES[name]

    def draw(n):
        return lambda r: (r.randint if legacy else r.integers)(low, high, n, dtype=dtype)

    half = (lambda r: r.randint(0, 2**32, 1, dtype="u4")) if legacy else ODD[1]
    same_draws([f for n in SIZES for f in (draw(n), half, draw(n))], legacy=legacy)


@pytest.mark.parametrize("n", SIZES)
def test_the_polar_method(n):
    same_draws([lambda r: r.standard_normal(n), lambda r: r.normal(1, 2, n), lambda r: r.randn(3), lambda r: r.standard_normal(n), lambda r: r.randint(0, 9, 3, dtype="i4"),
                lambda r: r.randn(2), lambda r: r.normal(5, 0.1, n)], legacy=True, math=True)


FUNCTIONS = {
    "lognormal": [(0.5, 0.3), ([0, 1, 2], 0.1)], "pareto": [(2,), ([1, 2, 3],)], "weibull": [(1.5,), (0,), ([1, 0, 2],), ([1, 2, 3],)], "power": [(2.5,), ([1, 2, 3],)],
    "rayleigh": [(2,), ([1, 2, 3],)], "standard_cauchy": [()], "triangular": [(0, 1, 3), ([0, 1, 2], 2, [3, 4, 5])], "normal": [([1, 2, 3], [4, 5, 6])],
    "uniform": [(0, [1, 2, 3])], "exponential": [([1, 2, 3],)], "gamma": [(2.5, 3)], "poisson": [(3,)], "standard_t": [(4,)], "beta": [(2, 3)], "binomial": [(10, 0.3)],
}


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_distributions(name, legacy):
    draws = [lambda r, p=p, n=n: getattr(r, name)(*p, size=(n, 3)) for p in FUNCTIONS[name] for n in (0, 1, 333)]
    same_draws([*draws, lambda r: r.normal(size=3), *draws], legacy=legacy, math=True)


def test_parameters_on_the_device():
    theirs, ours = generators()
    mean, scale = numpy.arange(5.0), numpy.ones((3, 1))
    agree(ours.normal(np.array(mean), np.array(scale)), theirs.normal(mean, scale), math=True)
    agree(ours.integers(np.array([1, 2]), np.array([5, 70])), theirs.integers([1, 2], [5, 70]))
    with pytest.raises(ValueError):
        ours.normal(np.array(mean), -np.array(scale))
    with pytest.raises(ValueError):
        ours.integers(5, 5, 3)
    with pytest.raises(ValueError):
        ours.random(-1)


def test_out_is_filled_where_it_is():
    theirs, ours = generators()
    x = np.zeros((4, 5), order="F")
    ours.standard_normal(out=x)
    expected = numpy.zeros((4, 5), order="F")
    theirs.standard_normal(out=expected)
    agree(x, expected, math=True)


def test_shuffles_and_choices():
    theirs, ours = generators()
    for draw in (lambda r, xp: r.permutation(100), lambda r, xp: r.permutation(xp.arange(12).reshape(3, 4), axis=1), lambda r, xp: r.choice(50, 7), lambda r, xp: r.choice(50, 7, replace=False),
                 lambda r, xp: r.choice(xp.arange(5) * 10, 8, p=[.1, .2, .3, .2, .2]), lambda r, xp: r.permuted(xp.arange(6).reshape(2, 3), axis=1), lambda r, xp: r.multinomial(20, [.3, .7], 4),
                 lambda r, xp: r.dirichlet([1.0, 2.0], 4), lambda r, xp: r.multivariate_hypergeometric([5, 6, 7], 4, 3)):
        agree(draw(ours, np), draw(theirs, numpy), math=True)
    x, expected = np.arange(20), numpy.arange(20)
    ours.shuffle(x), theirs.shuffle(expected)
    agree(x, expected)
