"""Threads of the engine and threads of Python: their number, and that long operations let other
threads run."""
import os
import subprocess
import sys
import threading
import time

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, timeout=120, check=True).stdout.strip()


def test_the_number_of_threads_can_be_set():
    before = torch_np.get_num_threads()
    try:
        torch_np.set_num_threads(1)
        assert torch_np.get_num_threads() == 1
        x = np.ones(1_000_000)
        assert float((x + x).sum()) == 2e6
        with pytest.raises(ValueError):
            torch_np.set_num_threads(0)
    finally:
        torch_np.set_num_threads(before)


@pytest.mark.parametrize("text, expected", [("1", "1"), ("3", "3")])
def test_the_environment_sets_the_number_of_threads(text, expected):
    assert run("import torch_np; print(torch_np.get_num_threads())", TORCH_NP_NUM_THREADS=text) == expected


def test_nonsense_in_the_environment_is_no_number_of_threads():
    assert int(run("import torch_np; print(torch_np.get_num_threads())", TORCH_NP_NUM_THREADS="many")) >= 1


def test_work_in_parallel_goes_on_where_there_is_a_subinterpreter():
    assert run("""
try:
    import _interpreters as interpreters
except ImportError:  # before Python 3.13
    import _xxsubinterpreters as interpreters
import torch_np, torch_np.numpy as np
interpreters.create()
torch_np.set_num_threads(3)
print(np.sort(np.arange(3_000_000.0)[::-1])[:2].tolist())
""") == "[0.0, 1.0]"


def ticks_while(work):
    """The number of turns of another Python thread while `work` ran, and the duration in seconds."""
    ticks, done = [0], threading.Event()

    def tick():
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    time.sleep(0.01)
    first, begin = ticks[0], time.perf_counter()
    work()
    took, seen = time.perf_counter() - begin, ticks[0] - first
    done.set()
    other.join()
    return seen, took


N = 4_000_000
BIG = numpy.random.default_rng(0).standard_normal(N)
MATRIX = numpy.random.default_rng(1).standard_normal((700, 700))
LONG = {  # one call each: between two calls, the interpreter would hand over the GIL by itself
    "matmul": lambda x, m: np.asarray(np.broadcast_to(m, (8, 700, 700)) @ m),
    "svd": lambda x, m: np.linalg.svd(m),
    "eigh": lambda x, m: np.linalg.eigh(m + m.T),
    "inv": lambda x, m: np.linalg.inv(np.broadcast_to(m, (6, 700, 700))),
    "fft": lambda x, m: np.fft.fft(x),
    "sort": lambda x, m: np.sort(x),
    "argsort": lambda x, m: np.argsort(x),
    "exp": lambda x, m: np.power(np.broadcast_to(x, (4, N)), 1.7),
    "normal": lambda x, m: np.random.default_rng(0).normal(size=N),
}


@pytest.mark.parametrize("name", LONG)
def test_other_python_threads_run_during_one_call(name):
    x, m = np.asarray(BIG), np.asarray(MATRIX)
    # With the GIL held, the other thread gets at most the one turn that it waits for. A busy
    # machine may not run it at once.
    attempts = [ticks_while(lambda: LONG[name](x, m)) for _ in range(5)]
    assert any(seen >= 3 for seen, _ in attempts), attempts
