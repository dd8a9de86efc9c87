"""numpy.random's functions, NumPy's and ours, share one stream in NumPy's memory. Either may seed
it."""
import os
import threading

import numpy
import pytest

import torch_np
import torch_np.numpy as np


@pytest.fixture(autouse=True)
def same_state_afterwards():
    state = numpy.random.get_state()
    yield
    numpy.random.set_state(state)


def draws(source):
    return [source.rand(), source.randn(), source.standard_normal(3), source.randint(1000, size=4), source.gamma(2.0), source.normal(1, 2, 5),
            source.permutation(9), source.random_sample((2, 2)), source.choice(10, 3), source.exponential(), source.randn(3), source.uniform(1, 3),
            source.bytes(7), source.standard_normal(), source.poisson(3, 4), source.random_sample(2000), source.standard_normal(1501)]


def same(found, expected):
    for f, e in zip(found, expected, strict=True):
        assert numpy.array_equal(f, e) if not isinstance(e, bytes) else f == e


@pytest.mark.parametrize("seed", [0, 1234, [3, 4, 5], None])
def test_draws_alternate(seed):
    """NumPy and torch_np draw in turn, after a seed by either. The numbers are those of NumPy
    alone."""
    for seeds in (np.random, numpy.random):
        seeds.seed(seed)
        state = numpy.random.get_state()
        alone = numpy.random.RandomState()
        alone.set_state(state)
        expected = draws(alone)

        class Alternating:
            count = 0

            def __getattr__(self, name):
                Alternating.count += 1
                return getattr(np.random if Alternating.count % 2 else numpy.random, name)

        same([numpy.asarray(d) if not isinstance(d, bytes) else d for d in draws(Alternating())], expected)
        if isinstance(seed, int):
            same([expected[0]], [numpy.random.RandomState(seed).rand()])


def test_a_waiting_gaussian_is_shared():
    expected = numpy.random.RandomState(7).standard_normal(4)
    np.random.seed(7)
    found = [np.random.standard_normal(), numpy.random.standard_normal(), numpy.random.standard_normal(), np.random.standard_normal()]
    assert numpy.array_equal(found, expected)
    np.random.standard_normal()
    numpy.random.seed(7)  # drops the state
    assert np.random.standard_normal() == expected[0]
    np.random.seed(7)
    assert numpy.random.standard_normal() == expected[0]


def test_states_go_both_ways():
    numpy.random.seed(3)
    numpy.random.randn(3)
    for theirs, ours in ((numpy.random.get_state(), np.random.get_state()), (numpy.random.get_state(legacy=False), np.random.get_state(legacy=False))):
        if isinstance(theirs, dict):
            assert numpy.array_equal(theirs["state"]["key"], numpy.asarray(ours["state"]["key"])) and theirs["gauss"] == ours["gauss"]
            assert theirs["has_gauss"] == ours["has_gauss"] == 1
        else:
            assert numpy.array_equal(theirs[1], numpy.asarray(ours[1])) and theirs[2:] == ours[2:]
    state = np.random.get_state()
    first = numpy.random.standard_normal(5)
    np.random.set_state(state)
    assert numpy.array_equal(numpy.random.standard_normal(5), first)
    numpy.random.set_state(state)
    assert np.random.standard_normal(5).tolist() == first.tolist()


def test_the_torch_face_draws_apart():
    """Generators of the torch face give PyTorch's numbers. Seeds and draws of one face do not
    affect the other."""
    np.random.seed(5)
    torch_np.manual_seed(5)
    before = numpy.random.get_state()
    torch_np.rand(2), torch_np.randn(3), torch_np.randperm(4), torch_np.empty(3).bernoulli_()
    assert np.random.get_state()[2] == before[2] and numpy.array_equal(numpy.random.get_state()[1], before[1])
    torch_np.manual_seed(5)
    x = torch_np.rand(3)
    torch_np.manual_seed(5)
    np.random.rand(7)
    assert torch_np.rand(3).tolist() == x.tolist()


def test_other_states_are_apart():
    numpy.random.seed(3)
    before = numpy.random.get_state()
    np.random.RandomState(1).rand(5), np.random.default_rng(1).random(), np.random.Generator(np.random.MT19937(1)).random()
    assert numpy.array_equal(numpy.random.get_state()[1], before[1]) and numpy.random.get_state()[2] == before[2]


def test_threads_draw_each_number_once():
    """Threads share one stream, in any order, by short draws and by long ones, which release the
    GIL."""
    for count in (500, 60_000):
        numpy.random.seed(11)
        found, lock = [], threading.Lock()

        def work(source, count=count, found=found, lock=lock):
            for _ in range(6):
                drawn = numpy.asarray(source.random_sample(count)).tolist()
                with lock:
                    found.extend(drawn)

        threads = [threading.Thread(target=work, args=(s,)) for s in (np.random, numpy.random, np.random, numpy.random)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert sorted(found) == sorted(numpy.random.RandomState(11).random_sample(24 * count).tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_goes_on_alone():
    """Also if another thread is drawing at the time of the fork, and holds the lock."""
    stop = threading.Event()

    def draw():
        while not stop.is_set():
            numpy.random.random_sample(200_000)

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        for _ in range(5):
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                np.random.seed(2)
                os.write(write, repr([float(np.random.rand()), float(numpy.random.rand())]).encode())
                os._exit(0)
            os.close(write)
            with os.fdopen(read) as pipe:
                assert eval(pipe.read()) == numpy.random.RandomState(2).random_sample(2).tolist()
            os.waitpid(child, 0)
    finally:
        stop.set()
        thread.join()


def test_errors_give_the_lock_back():
    for _ in range(2):
        with pytest.raises(ValueError):
            np.random.binomial(-1, 0.5)
        with pytest.raises(ValueError):
            np.random.set_state(("MT19937", [1, 2, 3], 0))
    done = threading.Thread(target=lambda: numpy.random.rand(100_000))
    done.start()
    done.join(20)
    assert not done.is_alive()
