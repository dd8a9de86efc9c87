"""Machine code of chains: the same bits and warnings as operators that run at once, and the
conditions for generating it."""
import os
import random
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy
import pytest

import torch_np
import torch_np.numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz.fused_programs import bits  # noqa: E402

pytestmark = pytest.mark.skipif(not torch_np.fusion.has_machine_code(), reason="no machine code on this processor")

ODD = [numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1e-310, -1e-40, 1e308, -3e38, 5e-324, 1e-45, 1.0, -1.5]
ARITHMETIC = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum]
OF_ONE = [np.sqrt, np.negative, np.abs, np.square, np.reciprocal, np.fabs]
COMPARISONS = [np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal]
LOGIC = [np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor, lambda x, y: ~x, lambda x, y: np.logical_not(y)]
NUMBERS = [1.5, -0.25, 3.0, 2.0, 2.0**-126, 2.0**127, 0.0, -0.0, numpy.inf, 1e-30, numpy.nan]


@pytest.fixture(autouse=True)
def machine_code(always):
    yield
    torch_np.fusion.set_machine_code(True)


def a_nan(dtype, payload):
    bits = numpy.array([0x7FC00000 + payload], "u4").view("f4") if dtype == "f4" else numpy.array([(0x7FF8 << 48) + payload], "u8").view("f8")
    return bits[0]


def an_array(r, n, dtype):
    """Special values, NaN with different bits, and an odd start offset."""
    values = numpy.random.default_rng(r.randrange(10**6)).normal(size=n + 1).astype(dtype)
    with numpy.errstate(all="ignore"):
        for _ in range(r.randrange(1 + n // 2)):
            values[r.randrange(n + 1)] = r.choice(ODD) if r.random() < 0.6 else a_nan(dtype, r.randrange(1, 99))
    return np.array(values)[1:] if r.random() < 0.5 else np.array(values)[:n]


def a_chain(seed, n, mixed):
    """The bytes of all results of a random chain over arrays of n elements."""
    r = random.Random(seed)
    dtype = r.choice(["f4", "f8"])
    numbers = [an_array(r, n, r.choice(["f4", "f8"]) if mixed else dtype) for _ in range(r.randrange(1, 6))]
    truths = [numbers[0] > 0]
    for _ in range(r.randrange(2, 45)):
        kind, a, b, number = r.random(), r.choice(numbers), r.choice(numbers), r.choice(NUMBERS)
        if kind < 0.45:
            numbers.append(r.choice(ARITHMETIC)(*r.choice([(a, b), (a, number), (number, a)])))
        elif kind < 0.6:
            numbers.append(r.choice(OF_ONE)(a))
        elif kind < 0.75:
            truths.append(r.choice(COMPARISONS)(a, r.choice([b, number])))
        elif kind < 0.85:
            truths.append(r.choice(LOGIC)(r.choice(truths), r.choice(truths)))
        elif kind < 0.95:
            numbers.append(np.where(r.choice(truths), *r.choice([(a, b), (a, number), (number, b), (1.0, 0.0)])))
        else:
            numbers.append(r.choice(truths) * a)
    return [bits(x) for x in numbers + truths]


def run(*arguments, mode):
    torch_np.fusion.set_mode(mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return a_chain(*arguments)


@pytest.mark.parametrize("mixed", [False, True])
def test_chains_of_every_length_have_the_bits_of_operators_one_by_one(mixed):
    before = torch_np.fusion.machine_code_statistics()
    for n in range(131):
        assert run(n, n, mixed, mode="always") == run(n, n, mixed, mode="off"), n
    assert torch_np.fusion.machine_code_statistics()["made"] > before["made"]


@pytest.mark.parametrize("seed", range(4))
def test_longer_chains_have_the_bits_of_operators_one_by_one(seed):
    for n in (257, 1000, 9001):
        assert run(1000 + seed, n, seed % 2 == 1, mode="always") == run(1000 + seed, n, seed % 2 == 1, mode="off"), n


@pytest.mark.parametrize("capability", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same_bits(capability):
    code = """
import warnings; warnings.simplefilter("ignore")
import hashlib, numpy, torch_np, torch_np.numpy as np
torch_np.fusion.set_mode("always")
g = numpy.random.default_rng(5)
for n in (1, 7, 64, 100, 5000):
    for dtype in ("f4", "f8"):
        a, b = np.array(g.normal(size=n).astype(dtype)), np.array(g.normal(size=n).astype(dtype))
        inside = np.logical_and(a * a + b * b < 1, ~(a > b))
        y = np.where(inside, np.sqrt(np.abs(a)) - 1 / b, np.maximum(a, -b)) * inside
        print(hashlib.sha1(y.tobytes() + inside.tobytes()).hexdigest())
print(torch_np.fusion.machine_code_statistics()["made"] > 0, torch_np.fusion.has_machine_code())
"""
    def lines(**environment):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment, check=True)
        return done.stdout.splitlines()
    with_code, without = lines(TORCH_NP_CPU_CAPABILITY=capability), lines(TORCH_NP_CPU_CAPABILITY=capability, TORCH_NP_MACHINE_CODE="0")
    assert with_code[:-1] == without[:-1]
    assert without[-1] == "False False"
    assert with_code[-1] == ("False False" if capability == "baseline" else "True True")


def test_warnings_name_the_operator_in_the_chain_that_met_the_error():
    a = np.ones(1000)
    with pytest.warns(RuntimeWarning) as met:
        y = np.sqrt(-(a * 2)) + a / (a - 1) * 1e308 * a
        y.tobytes()
    assert {str(w.message) for w in met} == {"invalid value encountered in sqrt", "divide by zero encountered in divide"}
    assert all(np.isnan(y))


def test_chains_without_errors_are_silent():
    a = np.array([numpy.nan, numpy.inf, 1.0, -0.0] * 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch_np.fusion.set_mode("off")
        expected = np.where(np.maximum(a, 1.0) > a, a + 1, a * 2).tobytes()
    torch_np.fusion.set_mode("always")
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        assert np.where(np.maximum(a, 1.0) > a, a + 1, a * 2).tobytes() == expected
    assert not met


def test_views_and_broadcasts_take_part():
    def stencil(a, row, column):
        inner = a[1:-1, 1:-1]
        return 0.2 * (inner + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]) * row - column + a[1:-1, 1:-1] * inner
    g = numpy.random.default_rng(1)
    for height, width in ((5, 67), (4, 600), (3, 1500)):
        a, row, column = (np.array(g.normal(size=s)) for s in ((height + 2, width + 2), (width,), (height, 1)))
        pending = stencil(a, row, column)
        torch_np.fusion.set_mode("off")
        assert pending.tobytes() == stencil(a, row, column).tobytes()
        torch_np.fusion.set_mode("always")
    wide = np.array(g.normal(size=2000))
    y = wide[::2] * wide[1::2] + wide[::2]
    torch_np.fusion.set_mode("off")
    assert y.tobytes() == (wide[::2] * wide[1::2] + wide[::2]).tobytes()


def test_a_chain_that_comes_again_finds_its_code_whatever_its_numbers():
    a = np.array(numpy.arange(500) * 0.5)
    def f(k):
        return ((a * k + 1) * a - k).tobytes()
    f(2.0)
    before = torch_np.fusion.machine_code_statistics()
    assert f(3.0) == ((numpy.asarray(a) * 3.0 + 1) * numpy.asarray(a) - 3.0).tobytes()
    after = torch_np.fusion.machine_code_statistics()
    assert after["made"] == before["made"] and after["found"] == before["found"] + 1


def test_it_can_be_turned_off():
    torch_np.fusion.set_machine_code(False)
    assert not torch_np.fusion.has_machine_code()
    before = torch_np.fusion.machine_code_statistics()
    a = np.ones(500)
    assert (a * 2 + 1 - a).tobytes() == numpy.full(500, 2.0).tobytes()
    assert torch_np.fusion.machine_code_statistics() == before


def test_code_is_bounded_and_chains_in_threads_are_right():
    a = numpy.random.default_rng(0).normal(size=300)
    wrong = []

    def work(seed):
        r = random.Random(seed)
        for _ in range(150):
            x, y = np.array(a), a
            for _ in range(r.randrange(2, 9)):
                k = r.random()
                x, y = r.choice([(x + k, y + k), (x * k, y * k), (-x, -y), (abs(x), abs(y)), (x * x, y * y), (k - x, k - y)])
            if x.tobytes() != y.tobytes():
                wrong.append(seed)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert torch_np.fusion.machine_code_statistics()["bytes"] <= 512 * 16384


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_code_runs_in_a_forked_child():
    a = np.arange(1000) * 1.0
    def f():
        return (a * 2 + 1).tobytes() == (numpy.asarray(a) * 2 + 1).tobytes()
    assert f()
    child = os.fork()
    if child == 0:
        os._exit(0 if f() and (a * a * 0.5 - a).tobytes() == (numpy.asarray(a) ** 2 * 0.5 - numpy.asarray(a)).tobytes() else 1)
    assert os.waitpid(child, 0)[1] == 0
