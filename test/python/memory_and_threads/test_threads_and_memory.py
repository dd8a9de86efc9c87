"""Threads that compute on arrays that other threads change, threads that outlive the interpreter,
and processes that fork.

Arrays are large enough for operators to release the GIL; with small ones, the threads would take
turns.
"""
import os
import subprocess
import sys
import textwrap
import threading

import numpy
import pytest
from worker_threads import together

import torch_np
import torch_np.numpy as np

LARGE = 400_000


def run(code, timeout=100):
    """The program's output. It must end by itself with status 0, and print nothing on stderr."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout)
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr[-2000:])
    return done.stdout.strip()


# ------------------------------------------------------------------------------------------ the end of the interpreter

WORK = {
    "add": "np.ones(300_000) + 1",
    "sort": "np.sort(x)",
    "exp": "np.exp(x)",
    "matmul": "m @ m",
    "random": "rng.normal(size=200_000)",
    "backward": "(w * x).sum()._backward()",
    "hook": "(hooked * x).sum()._backward()",
    "function": "Slow.apply(w)",
}


@pytest.mark.parametrize("name", WORK)
def test_the_interpreter_may_end_while_daemon_threads_compute(name):
    run(f"""
        import threading, time
        import torch_np, torch_np.numpy as np

        x, m, rng = np.random.default_rng(0).normal(size=300_000), np.ones((400, 400)), np.random.default_rng(1)
        w = np.full(300_000, 2.0, _requires_grad=True)
        hooked = np.full(10, 2.0, _requires_grad=True)
        x_small = x[:10]

        def slow(*args):
            for i in range(20_000):
                pass

        hooked._register_hook(slow)
        class Slow(torch_np.autograd.Function):
            @staticmethod
            def forward(ctx, v):
                slow()
                return v * 2

        started = threading.Semaphore(0)
        def work():
            global x
            mine = x_small if {name == 'hook'} else x
            first = True
            while True:
                {WORK[name].replace('x', 'mine') if name == 'hook' else WORK[name]}
                if first:
                    started.release()
                    first = False

        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        for _ in range(4):
            started.acquire()
        time.sleep(0.05)
    """)


# ------------------------------------------------------------------------------------------ arrays that change meanwhile

@pytest.mark.parametrize("name, compute", [
    ("sum", lambda x: x.sum()),
    ("sort", lambda x: np.sort(x)),
    ("add", lambda x: x + 1),
    ("cumsum", lambda x: np.cumsum(x)),
    ("matmul", lambda x: x @ x),
    ("take", lambda x: x[np.arange(0, 1000)]),
])
def test_an_array_may_be_resized_while_another_thread_computes_on_it(name, compute):
    x = np.ones(LARGE)
    done = threading.Event()

    def read():
        try:
            for _ in range(150):
                compute(x)
        finally:
            done.set()

    def write():
        for i in range(100_000):
            x.resize((LARGE if i % 2 else 1000,), refcheck=False)
            np.full(LARGE, 7.0)  # reuses freed memory, if there is any
            if done.is_set():
                break

    together(read, write)


def test_what_was_resized_is_freed_when_the_calls_have_ended():
    x = np.ones(LARGE)
    done = threading.Event()
    other = np.ones(LARGE)
    ended = [0, 0]  # calls of each busy thread

    def busy(k):
        try:
            while not done.is_set():
                np.sort(other)
                ended[k] += 1
        finally:
            done.set()  # after an error, nobody waits for this thread

    def wait_for_calls():
        """Waits until the calls that are running now have ended."""
        before = list(ended)
        while any(now < then + 2 for now, then in zip(ended, before)) and not done.wait(0.001):
            pass

    def resize():
        try:
            before = torch_np.cpu.memory_stats()["allocated_bytes"]
            most = 0
            for i in range(200):
                if i % 10 == 0:
                    wait_for_calls()
                x.resize((LARGE + i % 2,), refcheck=False)
                most = max(most, torch_np.cpu.memory_stats()["allocated_bytes"] - before)
            assert most < 40 * LARGE * 8  # not the 200 of all iterations
        finally:
            done.set()

    together(lambda: busy(0), lambda: busy(1), resize)


def test_data_may_be_replaced_while_another_thread_computes_on_it():
    t = torch_np.ones(LARGE)
    small = torch_np.ones(1000)
    large = torch_np.ones(LARGE)
    done = threading.Event()

    def read():
        try:
            for _ in range(200):
                (t + 1).sum()
        except RuntimeError:
            pass  # two shapes that do not match
        finally:
            done.set()

    def write():
        while not done.is_set():
            t.data = small.clone()
            t.data = large.clone()

    together(read, write)


def test_a_tensor_may_get_more_memory_while_another_thread_computes_on_it():
    t = torch_np.ones(LARGE)
    done = threading.Event()

    def read():
        try:
            for _ in range(150):
                assert (t + 1)[:1000].max() <= 2
        finally:
            done.set()

    def write():
        while not done.is_set():
            t.data = torch_np.ones(LARGE)
            t.resize_(LARGE + 1)
            torch_np.full((LARGE,), 7.0)  # reuses freed memory, if there is any

    together(read, write)


# ------------------------------------------------------------------------------------------------------------ gradients

@pytest.mark.parametrize("by", ["backward", "inputs", "create_graph"])
def test_two_threads_that_accumulate_into_one_leaf_lose_nothing(by):
    leaf = torch_np.zeros(LARGE, requires_grad=True)
    rounds = 40

    def work():
        for _ in range(rounds):
            total = (leaf * 1.0).sum()
            if by == "inputs":
                total.backward(inputs=[leaf])
            else:
                total.backward(create_graph=by == "create_graph")

    together(work, work, work)
    numpy.testing.assert_array_equal(leaf.grad.detach().numpy(), numpy.full(LARGE, 3.0 * rounds, "f4"))
    leaf.grad = None


def test_a_gradient_may_be_dropped_while_another_thread_adds_to_it():
    leaf = torch_np.zeros(LARGE, requires_grad=True)
    done = threading.Event()

    def work():
        try:
            for i in range(100):
                (leaf * 1.0).sum().backward(create_graph=i % 2 == 0)
        finally:
            done.set()

    def drop():
        while not done.is_set():
            leaf.grad = None

    together(work, work, drop)
    leaf.grad = None


# -------------------------------------------------------------------------------------------------------- first calls

def test_threads_may_make_the_first_call_that_imports_together():
    assert run("""
        import sys, threading, time
        import torch_np.numpy as np

        class Slow:  # an import that lasts until all threads wait for it
            def find_spec(self, name, path=None, target=None):
                if name == "torch_np.numpy._gufunc":
                    time.sleep(0.3)

        sys.meta_path.insert(0, Slow())
        assert "torch_np.numpy._gufunc" not in sys.modules
        a = np.ones((3, 3))
        start = threading.Barrier(8)
        results = []
        def work():
            start.wait()
            results.append(float(np.matmul(a, a, axes=[(-2, -1), (-2, -1), (-2, -1)]).sum()))
        threads = [threading.Thread(target=work, daemon=True) for _ in range(8)]
        for t in threads: t.start()
        for t in threads: t.join(30)
        print(results == [27.0] * 8)
    """, timeout=60) == "True"


def test_threads_may_set_and_ask_for_the_number_of_threads_together():
    before = torch_np.get_num_threads()
    x = np.ones(LARGE)

    def change():
        for i in range(300):
            torch_np.set_num_threads(1 + i % 3)

    def compute():
        for _ in range(300):
            assert float((x + 1)[0]) == 2 and torch_np.get_num_threads() in (1, 2, 3, before)

    try:
        together(change, change, compute, compute)
    finally:
        torch_np.set_num_threads(before)


# ----------------------------------------------------------------------------------------------------------------- fork

@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("name, busy, then", [
    ("random", "rng.normal(size=3_000_000)", "rng.normal(size=10)"),
    ("default", "np.random.normal(size=3_000_000)", "np.random.normal(size=10)"),
    ("backward", "(leaf * 1.0).sum().backward()", "(leaf * 1.0).sum().backward()"),
    ("fft", "plan()", "plan()"),
    ("fusion", "pending()", "pending(); float(made_before[5])"),
])
def test_a_child_may_use_what_another_thread_held_at_the_fork(name, busy, then):
    code = f"""
        import os, threading, time, warnings
        warnings.simplefilter("ignore")
        import torch_np, torch_np.numpy as np
        torch_np.set_num_threads(1)  # a child has no pool of threads
        rng = np.random.default_rng(0)
        leaf = torch_np.zeros(3_000_000 if {name == 'backward'} else 10, requires_grad=True)
        n = 16
        def plan():
            global n
            n += 1
            np.fft.fft(np.ones(n % 2000 + 16))

        large = np.ones(40_000)
        def pending():
            for _ in range(20):
                y = large * 2
                z = y + 1
                float((z * y)[0])

        done = threading.Event()
        def work():
            while not done.is_set():
                {busy}

        if {name!r} == "fusion":
            torch_np.fusion.set_mode("auto")
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.1)
        failed = 0
        for _ in range({100 if name == 'fusion' else 12}):
            made_before = large * 3
            child = os.fork()
            if child == 0:
                {then}
                os._exit(0)
            deadline = time.monotonic() + 10
            while os.waitpid(child, os.WNOHANG)[0] == 0:
                if time.monotonic() > deadline:
                    os.kill(child, 9)
                    os.waitpid(child, 0)
                    failed += 1
                    break
                time.sleep(0.002)
            if failed:
                break
        done.set()
        thread.join()
        print(failed)
    """
    assert run(code) == "0"
