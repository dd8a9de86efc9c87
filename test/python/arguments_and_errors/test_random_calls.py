"""Calls every function and method with random objects in a separate process: exceptions are
allowed, crashes are not.

TORCH_NP_RANDOM_CALLS=100:200 in the environment runs these seeds instead of the usual four.
"""
import inspect
import os
import random
import resource
import subprocess
import sys

import numpy
import pytest

import torch_np
import torch_np.numpy as np

pytestmark = pytest.mark.same_on_devices("starts processes, which compute on the CPU")

SKIPPED = {  # they write files, change the process, or run NumPy's own suite
    "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "genfromtxt", "fromfile", "tofile", "dump",
    "seterr", "seterrcall", "setbufsize", "_set_default_dtype", "set_state", *(name for name in dir(torch_np) if name.startswith(("set_", "use_", "autocast_", "init_", "clear_autocast"))), "install", "load_ipython_extension",
    "_set_promotion_rules", "no_grad", "enable_grad", "info", "show_config",
    "show_runtime", "test",
}
SANITIZER = {k: v for k, v in os.environ.items() if k in ("LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "PYTHONMALLOC", "TORCH_NP_CPU_CACHE_LIMIT")}
KEYWORDS = ["axis", "dim", "dtype", "out", "keepdims", "where", "order", "casting", "initial", "shape", "size", "copy"]


def values():
    arrays = [np.ones(0), np.ones((2, 3)), np.array(3), np.ones((0, 3)), np.arange(3), np.ones(3) > 0, torch_np.ones(2), torch_np.tensor(1),
              np.ones(4)[::-1], np.ones((2, 2), dtype="complex64"), np.ones(3, dtype="float16"), np.broadcast_to(np.arange(3), (2, 3)),
              np.ones((3, 3), dtype="uint8")[::2, 1:], np.arange(9.0)[1:].view("complex128"), np.arange(7, dtype="float32")[1:].view("complex64"),
              np.array([2, 0, 255], "uint8").view("?")]
    shared = numpy.arange(6)  # two storages over the same memory
    arrays += [np.asarray(shared)[:3], np.asarray(shared)[1:4], torch_np.from_numpy(shared), np.asarray(shared.reshape(2, 3))]
    return arrays, arrays + [
        None, 1, -1, 0, 2**70, -2**63, 1.5, float("nan"), 1j, True, "a", "C", b"x", [], [1], [[1], [2, 3]], (), (1, 2), {}, set(), object(),
        numpy.ones(2), numpy.float32(1), numpy.array(["a"]), numpy.float32, "float32", torch_np.float32, int, slice(None), Ellipsis,
        range(3), lambda: 1]


def callables():
    for module in (np, np.linalg, np.fft, np.random, torch_np):
        for name in dir(module):
            f = getattr(module, name)
            if callable(f) and not name.startswith("__") and not inspect.isclass(f) and name not in SKIPPED:
                yield f, None
            if isinstance(f, np.ufunc):
                yield from ((getattr(f, m), None) for m in ("reduce", "accumulate", "outer", "at", "reduceat"))
    for kind in (np.ndarray, torch_np.Tensor):
        for name in dir(kind):
            f = getattr(kind, name)
            if callable(f) and name not in SKIPPED | {"__init_subclass__", "__class__", "__new__", "__subclasshook__"}:
                yield f, kind


def run(seed):
    random.seed(seed)
    for f, kind in callables():
        arrays, anything = values()
        args = [random.choice(arrays if random.random() < 0.4 else anything) for _ in range(random.randint(0, 4))]
        if kind:
            args[:1] = [random.choice([a for a in arrays if isinstance(a, kind)])]
        kwargs = {random.choice(KEYWORDS): random.choice(anything) for _ in range(random.choice([0, 0, 1, 2]))}
        print(getattr(f, "__qualname__", f), file=sys.stderr, flush=True)
        try:
            f(*args, **kwargs)
        except SystemError:
            raise
        except Exception:  # noqa: S110  (any exception is an answer)
            pass


def seeds():
    first, last = os.environ.get("TORCH_NP_RANDOM_CALLS", "0:4").split(":")
    return range(int(first), int(last))


@pytest.mark.parametrize("seed", seeds())
def test_random_calls_do_not_crash(seed):
    done = subprocess.run([sys.executable, "-W", "ignore", __file__, str(seed)], capture_output=True, text=True, timeout=300,
                          env=SANITIZER | {"PYTHONPATH": ":".join(p for p in sys.path if p), "PATH": ""}, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])


if __name__ == "__main__":
    if not SANITIZER:  # a sanitizer's shadow memory is larger
        resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
    run(int(sys.argv[1]))
