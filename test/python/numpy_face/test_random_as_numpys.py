"""Edge cases of numpy.random: argument checks, pickles, seeds, and NumPy's own generators."""
import copy
import pickle
import warnings

import numpy
import pytest

import torch_np.numpy as np


@pytest.mark.parametrize("arguments", [dict(low=[1, 1], high=0, dtype="u1"), dict(low=[-2]), dict(low=[5], high=[3]), dict(low=-2),
                                       dict(low=[-1], high=-2)])
@pytest.mark.parametrize("endpoint", [False, True])
def test_an_empty_range_is_named_as_the_caller_gave_it(arguments, endpoint):
    said = []
    for xp in (numpy, np):
        try:
            said.append(xp.random.default_rng(0).integers(**arguments, endpoint=endpoint).tolist())
        except ValueError as error:
            said.append(str(error).removeprefix("integers(): "))
    assert said[0] == said[1]


def test_one_integer_of_pythons_types():
    for kind in (bool, int):
        assert type(np.random.default_rng(0).integers(0, 2, dtype=kind)) is kind


def test_arguments_of_legacy_distributions():
    for xp in (numpy, np):
        state = xp.random.RandomState(1)
        for nsample in (0, [0]):
            with pytest.raises(ValueError, match="nsample < 1"):
                state.hypergeometric(1, 1, nsample)
        with pytest.raises(ValueError):
            state.multinomial(10, [[0, 1]])
        with pytest.raises(TypeError, match="pvals must be a 1-d"):
            state.multinomial(10, 0.3)
        with pytest.raises(ValueError, match="instantized"):
            xp.random.RandomState(xp.random.MT19937)


def test_instances_of_numpys_classes_count():
    random = np.random
    for theirs, ours in ((numpy.random.default_rng(0), random.Generator), (numpy.random.RandomState(0), random.RandomState),
                         (numpy.random.PCG64(0), random.PCG64), (numpy.random.SFC64(0), random.BitGenerator)):
        assert isinstance(theirs, ours)
    assert not isinstance(numpy.random.PCG64(0), random.SFC64) and not isinstance(3, random.Generator)
    assert isinstance(random.PCG64(0), random.BitGenerator)
    assert isinstance(random.default_rng(numpy.random.default_rng(3)).random(2), np.ndarray)

    class Own(random.Generator):
        pass
    assert not isinstance(numpy.random.default_rng(0), Own)


def test_pickles_name_the_bit_generator_or_hold_it():
    rng = np.random.Generator(np.random.PCG64DXSM(0))
    make, (bits,), state = rng.__reduce__()
    assert state is None and bits is rng.bit_generator
    assert type(make("PCG64DXSM").bit_generator) is np.random.PCG64DXSM
    state = np.random.RandomState(3)
    assert type(state.__reduce__()[0]("MT19937")) is np.random.RandomState
    for one in (rng, state, type("Derived", (np.random.Generator,), {})(np.random.SFC64(2))):
        again = copy.deepcopy(one)
        assert type(again) is type(one) and again.random() == one.random()
    assert pickle.loads(pickle.dumps(rng)).random() == rng.random()


def test_what_a_seed_sequence_generates_may_be_ours():
    class Zeros:
        def generate_state(self, n_words, dtype=np.uint32):
            return np.zeros(n_words, dtype=dtype)
    np.random.bit_generator.ISeedSequence.register(Zeros)
    seed = Zeros()
    rng = np.random.default_rng(seed)
    assert rng.bit_generator.seed_seq is seed
    with pytest.raises(TypeError, match="The underlying SeedSequence"):
        rng.spawn(5)
    assert rng.bit_generator.jumped().state != rng.bit_generator.state


def test_only_some_bit_generators_jump():
    assert not hasattr(np.random.SFC64(1), "jumped") and hasattr(np.random.MT19937(1), "jumped")


def test_the_bit_generator_of_the_module_can_be_seeded():
    before = np.random.get_bit_generator()
    try:
        np.random.set_bit_generator(np.random.PCG64(0))
        np.random.seed(1)
        first = np.random.random(3).tolist()
        np.random.seed(1)
        assert np.random.random(3).tolist() == first
    finally:
        np.random.set_bit_generator(before)
    with pytest.raises(TypeError, match="can only re-seed"):
        np.random.RandomState(np.random.PCG64(0)).seed(1)


def test_masked_arrays_are_shuffled_with_their_mask():
    for seed in range(5):
        x = np.ma.masked_values(np.reshape(range(20), (5, 4)) % 3 - 1, -1)
        before = sorted(x.data[~x.mask].tolist())
        np.random.default_rng(seed).shuffle(x)
        assert sorted(x.data[~x.mask].tolist()) == before


def test_the_warning_about_what_is_no_sequence_names_the_caller():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        np.random.default_rng(0).shuffle({0: 0, 1: 1})
    assert "test_random_as_numpys" in seen[0].filename


def test_the_generator_that_is_set_is_that_of_all_functions_of_the_module():
    before = np.random.get_bit_generator()
    try:
        np.random.set_bit_generator(np.random.MT19937(5))
        np.random.seed(1)
        expected = numpy.random.RandomState(1)
        assert np.random.rand() == expected.rand() and np.random.randn() == expected.randn()
        assert np.random.rand(2).tolist() == expected.rand(2).tolist()
    finally:
        np.random.set_bit_generator(before)


def test_single_numbers_are_pythons():
    for draw in (np.random.rand, np.random.randn, np.random.RandomState(0).rand, np.random.random):
        assert type(draw()) is float


@pytest.mark.parametrize("make", [lambda xp: xp.random.RandomState(1), lambda xp: xp.random.default_rng(1)], ids=["RandomState", "Generator"])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.0, 1.0, 1e-18, 1e-300])
@pytest.mark.parametrize("n", [2**63 - 1, 2**62])
def test_binomial_of_the_largest_counts(make, n, p):
    assert make(np).binomial(n, p, 5).tolist() == make(numpy).binomial(n, p, 5).tolist()


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "MT19937"])
@pytest.mark.parametrize("seed", [0, 1, 2**40 + 3, 2**200 + 17, [1, 2], numpy.random.SeedSequence(5).spawn(2)[1]])
def test_seeds_give_numpys_states(name, seed):
    def state(bits):
        found = bits.state
        return {k: numpy.asarray(v).tolist() if isinstance(v, np.ndarray | numpy.ndarray) else v for k, v in found["state"].items()}
    ours, theirs = getattr(np.random, name)(seed), getattr(numpy.random, name)(seed)
    assert state(ours) == state(theirs) and ours.random_raw() == theirs.random_raw()
    if not isinstance(seed, numpy.random.SeedSequence):
        assert state(ours.spawn(2)[1]) == state(theirs.spawn(2)[1])


@pytest.mark.parametrize("seed", [0, 123, 2**32 - 1, [5, 6]])
def test_legacy_seeds_give_numpys_streams(seed):
    ours, theirs = np.random.RandomState(seed), numpy.random.RandomState(seed)
    assert ours.standard_normal(3).tolist() == theirs.standard_normal(3).tolist()
    ours.seed(seed)
    theirs.seed(seed)
    assert ours.standard_normal() == theirs.standard_normal() and ours.randint(10, size=4).tolist() == theirs.randint(10, size=4).tolist()
    assert np.random.RandomState().randint(2**31) != np.random.RandomState().randint(2**31)


@pytest.mark.parametrize("size", [None, 3, (), (2, 0), (2, 3), [2, 2], -1, (1, -1)])
@pytest.mark.parametrize("call", [
    lambda g, size: g.random(size), lambda g, size: g.normal(1, 2, size), lambda g, size: g.normal(1, -2, size),
    lambda g, size: g.gamma([1.0, 2.0, 3.0], 1.0, size), lambda g, size: g.integers(5, size=size), lambda g, size: g.integers(-3, 4, size),
    lambda g, size: g.integers(0, 2**63, size), lambda g, size: g.integers(3, 3, size), lambda g, size: g.integers(3, 3, size, endpoint=True)])
def test_sizes_of_draws(call, size):
    results = []
    for module in (np, numpy):
        generator = module.random.default_rng(7)
        try:
            drawn = call(generator, size)
            results.append((numpy.asarray(drawn).tolist(), numpy.shape(drawn), numpy.ndim(drawn) == 0 and size is None and type(drawn), generator.random()))
        except (TypeError, ValueError) as error:
            results.append(type(error))
    assert results[0] == results[1]
