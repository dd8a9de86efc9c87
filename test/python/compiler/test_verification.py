"""torch_np.compiler.verify(): replays are compared with the recorded calls, one by one."""
from __future__ import annotations

import mmap
import subprocess
import sys
import time
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np import compiler


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def in_place(x, out):
    out += x * 2
    out[1:] *= out[:-1].copy()
    return out.sum()


def products(a, b):
    return (a @ b) @ a + np.linalg.inv(a + 10 * np.eye(len(a)))


@pytest.mark.parametrize("function, arguments", [
    (softmax, lambda: [np.random.default_rng(0).normal(size=(300, 200))]),
    (in_place, lambda: [np.arange(10.0), np.ones(10)]),
    (products, lambda: [np.random.default_rng(i).normal(size=(20, 20)) for i in (1, 2)]),
    (lambda x: (x * 0.5).astype("f4").var(axis=0), lambda: [np.arange(12.0).reshape(3, 4)]),
    (lambda x: np.where(x > 0, np.log(np.abs(x)), np.nan), lambda: [np.arange(-5.0, 5.0)]),
])
def test_replays_are_verified(function, arguments):
    expected = numpy.asarray(function(*arguments()))
    with compiler.verify(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch_np.compile(function)
        compiled(*arguments())
        before = compiler.verification_statistics()["verified"]
        given = arguments()
        result = compiled(*given)
        assert compiler.verification_statistics()["verified"] == before + 1
    assert numpy.asarray(result).tobytes() == expected.tobytes()
    again = arguments()
    function(*again)
    assert all(numpy.asarray(a).tobytes() == numpy.asarray(b).tobytes() for a, b in zip(given, again))


def test_gradients_are_verified():
    w = torch_np.arange(6.0).requires_grad_()
    with compiler.verify():
        compiled = torch_np.compile(lambda w, x: ((w * x).sigmoid() ** 2).sum())
        for _ in range(3):
            before = compiler.verification_statistics()["verified"]
            w.grad = None
            compiled(w, torch_np.ones(6)).backward()
        assert compiler.verification_statistics()["verified"] == before + 2


def test_warnings_are_reported_once():
    with compiler.verify():
        compiled = torch_np.compile(lambda x, y: x / y)
        for _ in range(3):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                compiled(np.ones(3), np.zeros(3))
            assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]


def test_what_is_not_verifiable_is_counted():
    before = compiler.verification_statistics()["not_verifiable"]
    with compiler.verify():
        torch_np.compile(lambda x: x + torch_np.rand(3))(torch_np.ones(3))
    assert compiler.verification_statistics()["not_verifiable"] == before + 1


COUNTS_FOR_EVER = """
import mmap, sys
with open(sys.argv[1], "r+b") as file:
    memory = memoryview(mmap.mmap(file.fileno(), 8)).cast("q")
    print("ready", flush=True)
    while True:
        memory[0] += 1
"""


def test_a_difference_raises(tmp_path):
    """The function itself must not run in place of a replay that gives another result than the calls. Another process changes the
    argument meanwhile."""
    path = tmp_path / "memory"
    path.write_bytes(bytes(8))
    with subprocess.Popen([sys.executable, "-c", COUNTS_FOR_EVER, path], stdout=subprocess.PIPE) as other, open(path, "r+b") as file:
        try:
            assert other.stdout.readline() == b"ready\n"
            x = np.frombuffer(mmap.mmap(file.fileno(), 8), dtype="i8")
            before = compiler.verification_statistics()["differences"]
            with compiler.verify():
                compiled = torch_np.compile(lambda x: x * 2)
                with pytest.raises(RuntimeError, match=r"verification of a compiled function: %\d+ differs. The plan:\n.*mul"):
                    deadline = time.monotonic() + 60
                    while time.monotonic() < deadline:
                        compiled(x)
            assert compiler.verification_statistics()["differences"] == before + 1
        finally:
            other.kill()


@pytest.mark.usefixtures("unverified")
def test_other_functions_are_not_verified():
    compiled = torch_np.compile(lambda x: x + 1)
    before = compiler.verification_statistics()["verified"]
    for _ in range(3):
        compiled(np.ones(3))
    assert compiler.verification_statistics()["verified"] == before


def test_results_that_nothing_reads_need_not_warn():
    """A pending result that nothing reads is never computed."""
    def f(x):
        (-x) ** 2.0 ** 40
        return x * 2
    with compiler.verify():
        compiled = torch_np.compile(f)
        x = np.full(100_000, 3.0)  # large enough to be pending
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3):
                assert compiled(x)[0] == 6.0
    assert compiled.statistics()["replayed"] == 2
