"""Random numbers of the torch face, beyond the golden cases (torch_cases/random.txt)."""
import numpy
import pytest

import torch_np


@pytest.fixture
def on_the_cpu():
    """Tests on the CPU, whose generator gives PyTorch's numbers."""
    before = torch_np.get_default_device()
    torch_np.set_default_device("cpu")
    yield
    torch_np.set_default_device(before)


def words(seed, n):
    return numpy.random.RandomState(seed)._bit_generator.random_raw(n).astype(numpy.uint64)


@pytest.mark.parametrize("n", [1, 15, 16, 623, 624, 625, 1247, 5000])
def test_uniform_numbers_are_the_words_of_the_twister(n, on_the_cpu):
    torch_np.manual_seed(7)
    expected = ((words(7, n) & numpy.uint64(0xffffff)) * 2.0 ** -24).astype("f4")
    assert (numpy.asarray(torch_np.rand(n)) == expected).all()
    torch_np.manual_seed(7)
    w = words(7, 2 * n)
    both = (w[0::2] << numpy.uint64(32) | w[1::2]) & numpy.uint64(2 ** 53 - 1)
    assert (numpy.asarray(torch_np.rand(n, dtype=torch_np.float64)) == both * 2.0 ** -53).all()


@pytest.mark.parametrize("n", [16, 100, 4096, 200_001])
def test_blocks_of_normal_numbers(n, on_the_cpu):
    torch_np.manual_seed(7)
    x = numpy.asarray(torch_np.randn(n, dtype=torch_np.float64))
    w = words(7, 2 * n + 32)
    u = ((w[0::2] << numpy.uint64(32) | w[1::2]) & numpy.uint64(2 ** 53 - 1)) * 2.0 ** -53

    def blocks(u):
        u = u.reshape(-1, 2, 8)
        radius = numpy.sqrt(-2 * numpy.log(1 - u[:, 0]))
        return numpy.stack([radius * numpy.cos(2 * numpy.pi * u[:, 1]), radius * numpy.sin(2 * numpy.pi * u[:, 1])], 1).ravel()

    expected = u[:n].copy()
    expected[:n // 16 * 16] = blocks(u[:n // 16 * 16])
    if n % 16:
        expected[-16:] = blocks(u[n:n + 16])
    numpy.testing.assert_allclose(x, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("n", [16, 48, 512, 528, 200_000])
def test_blocks_of_float32_numbers_are_normal_numbers_of_uniform_ones(n, on_the_cpu):
    torch_np.manual_seed(7)
    u = numpy.asarray(torch_np.rand(n)).reshape(-1, 2, 8).astype("float64")
    torch_np.manual_seed(7)
    x = numpy.asarray(torch_np.randn(n)).reshape(-1, 2, 8)
    radius, angle = numpy.sqrt(-2 * numpy.log(1 - u[:, 0])), (numpy.float32(2 * numpy.pi) * u[:, 1].astype("float32")).astype("float64")
    # Three roundings each: logarithm and root, sine, product.
    numpy.testing.assert_allclose(x[:, 0], radius * numpy.cos(angle), rtol=4e-7, atol=1e-12)
    numpy.testing.assert_allclose(x[:, 1], radius * numpy.sin(angle), rtol=4e-7, atol=1e-12)


@pytest.mark.parametrize("high", [1, 2, 3, 10, 2 ** 20 + 7, 2 ** 28 - 1])
def test_integers_are_remainders(high, on_the_cpu):
    torch_np.manual_seed(7)
    assert (numpy.asarray(torch_np.randint(0, high, (2000,))) == words(7, 2000) % numpy.uint64(high)).all()


def test_a_permutation_has_each_number_once():
    for n in (2, 257, 100_000):
        assert torch_np.equal(torch_np.sort(torch_np.randperm(n)).values, torch_np.arange(n))


def test_states(on_the_cpu):
    torch_np.manual_seed(3)
    torch_np.randn(3)
    for draws in (0, 619, 624, 10):
        torch_np.rand(draws)
        state = torch_np.get_rng_state()
        x = torch_np.randn(5), torch_np.rand(700)
        torch_np.set_rng_state(state)
        assert (torch_np.randn(5) == x[0]).all() and (torch_np.rand(700) == x[1]).all()
    bad = state.clone()
    bad[16:24] = 255
    with pytest.raises(RuntimeError, match="state"):
        torch_np.set_rng_state(bad)
    g = torch_np.Generator("PCG64", legacy=False)
    state = g.get_state()
    x = torch_np.rand(3, generator=g)
    g.set_state(state)
    assert (torch_np.rand(3, generator=g) == x).all()


# 4.5 standard deviations of the mean of 20,000 numbers; the seeds are fixed.
FILLS = {"uniform_": ((1, 3), 2, 4 / 12), "normal_": ((1, 2), 1, 4), "log_normal_": ((0, 0.5), numpy.exp(0.125), (numpy.exp(0.25) - 1) * numpy.exp(0.25)),
         "exponential_": ((2,), 0.5, 0.25), "geometric_": ((0.25,), 4, 12), "bernoulli_": ((0.3,), 0.3, 0.21), "random_": ((10,), 4.5, 8.25)}


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("source", ["torch", "PCG64", "Philox"])
def test_moments(name, source):
    generator = torch_np.Generator() if source == "torch" else torch_np.Generator(source, legacy=False)
    arguments, mean, variance = FILLS[name]
    x = torch_np.empty(20_000, dtype=torch_np.float64)
    assert getattr(x, name)(*arguments, generator=generator) is x
    a = numpy.asarray(x.cpu())
    assert abs(a.mean() - mean) < 4.5 * (variance / 20_000) ** 0.5
    if name != "log_normal_":
        assert abs(a.var() - variance) < 0.1 * variance


def test_fills_of_views_leave_the_rest():
    x = torch_np.zeros(6, 8)
    x[1:5, ::2].normal_()
    assert (x[:, 1::2] == 0).all() and (x[0] == 0).all() and (x[1:5, ::2] != 0).all()


def test_meta():
    x = torch_np.empty(3, 4, device="meta")
    assert x.uniform_() is x and torch_np.rand_like(x).device.type == "meta" and torch_np.bernoulli(x).shape == (3, 4)
    assert torch_np.multinomial(x, 2).shape == (3, 2) and torch_np.randperm(5, device="meta").shape == (5,)


def test_a_read_only_tensor_is_not_filled(on_the_cpu):
    x = numpy.zeros(3)
    x.flags.writeable = False
    import torch_np.numpy as np
    with pytest.raises((RuntimeError, ValueError)):
        np.asarray(x)._torch().uniform_()


INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "bool"]


def ends(dtype):
    if dtype == "bool":
        return 0, 1
    info = numpy.iinfo(dtype)
    return int(info.min), int(info.max)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", ["torch", "PCG64", "Philox"])
def test_integers_of_each_dtype_are_drawn_from_all_of_its_range(dtype, source):
    generator = torch_np.Generator() if source == "torch" else torch_np.Generator(source, legacy=False)
    least, most = ends(dtype)
    x = torch_np.zeros(300, dtype=getattr(torch_np, dtype))

    def drawn(*range):
        values = x.random_(*range, generator=generator).tolist()
        assert {type(v) for v in values} == {bool if dtype == "bool" else int}
        return min(values), max(values)

    # The probability that 300 numbers miss one half of the range is 2^-300.
    low, high = drawn()
    assert 0 <= low <= most // 2 < high <= most
    low, high = drawn(least, None)
    assert least <= low <= (least + most) // 2 < high <= most
    assert drawn(most - 1, None) == (most - 1, most) if most < 2 ** 63 else drawn(2 ** 63 - 1, None)[0] >= 2 ** 63 - 1
    assert drawn(least, least + 1) == (least, least)
    if most < 2 ** 63 - 1:
        assert drawn(most, most + 1) == (most, most)
        low, high = drawn(least, most + 1)
        assert least <= low <= (least + most) // 2 < high <= most
    else:
        assert drawn(2 ** 63 - 2, 2 ** 63 - 1) == (2 ** 63 - 2,) * 2


def test_the_words_of_the_generator_are_32_bit_integers(on_the_cpu):
    torch_np.manual_seed(7)
    assert torch_np.zeros(700, dtype=torch_np.uint32).random_().tolist() == words(7, 700).tolist()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_a_range_that_the_dtype_does_not_hold_is_refused(dtype):
    least, most = ends(dtype)
    x = torch_np.zeros(3, dtype=getattr(torch_np, dtype))
    refused = []
    if least > -2 ** 63:
        refused += [("from", value, (value, end)) for value in (least - 1, -2 ** 63) for end in (1, None)]
    if most < 2 ** 63 - 2:
        refused += [("from", most + 1, (most + 1, None)), ("to - 1", most + 1, (least, most + 2)), ("to - 1", 2 ** 63 - 2, (least, 2 ** 63 - 1))]
        with pytest.raises(RuntimeError, match=rf"^randint\(\): high - 1 is out of bounds for {dtype}: it is {most + 1}, but"):
            torch_np.randint(0, most + 2, (3,), dtype=x.dtype)
    for name, value, range in refused:
        with pytest.raises(RuntimeError, match=rf"^random_\(\): {name} is out of bounds for {dtype}: it is {value}, but the dtype holds {least} to {most}$"):
            x.random_(*range)
    with pytest.raises(RuntimeError, match="less than .to., but got from=1 >= to=1"):
        x.random_(1, 1)
    with pytest.raises(RuntimeError, match="got from=1 >= to=0"):
        torch_np.randint(1, 0, (3,), dtype=x.dtype)
    assert (x == 0).all()


def test_floats_refuse_a_range_in_which_they_hold_no_integer():
    half, single = torch_np.zeros(100, dtype=torch_np.float16), torch_np.zeros(100)
    with pytest.raises(RuntimeError, match="to - 1 is out of bounds for float16: it is 65505, but the dtype holds -65504 to 65504"):
        half.random_(0, 65506)
    with pytest.raises(RuntimeError, match="from is out of bounds for float16: it is -65505"):
        half.random_(-65505, 0)
    for _ in range(30):
        assert half.random_(0, 65504).max() < 65504  # numbers from 65488 on would be rounded up to the limit
    with pytest.raises(RuntimeError, match="from = 1073741825 and to = 1073741827 have no integer between them that float32 holds"):
        single.random_(2 ** 30 + 1, 2 ** 30 + 3)
    with pytest.raises(RuntimeError, match="from must be less than 16777216, up to which float32 holds every integer, but got 16777216"):
        single.random_(2 ** 24, None)
    assert -2 ** 63 <= single.random_(-2 ** 63, None).min() < -2 ** 61 < 2 ** 61 < single.max() <= 2 ** 63
