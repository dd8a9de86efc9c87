"""Timings on a GPU, beside PyTorch and CuPy where these are installed, all in one run:

    make dev && .venv/bin/python benchmarks/cuda.py [--json build/cuda.json]

Bandwidths are bytes that an operation must read and write, over the time of the fastest of several repeats, as a share of what a
copy of the same size reaches. Times come from CUDA events of each library's own, around many calls.
"""
from __future__ import annotations

import argparse
import json
import math
import statistics
import time

BYTES = 1 << 28
REPEATS = 7


class Library:
    """What the timings need of each library: arrays, functions, and waiting."""

    def __init__(self, name, module, array, synchronize, dtypes, namespace=None):
        self.name, self.module, self.array, self.synchronize, self.dtypes = name, module, array, synchronize, dtypes
        self.np = namespace or module


def libraries():
    found = []
    import numpy
    import torch_np
    import torch_np.numpy as np
    if not torch_np.cuda.is_available():
        raise SystemExit("benchmarks/cuda.py: there is no GPU")
    found.append(Library("torch_np", torch_np, lambda a: torch_np.as_tensor(a).cuda(), torch_np.cuda.synchronize, torch_np))
    found.append(Library("torch_np.numpy", np, lambda a: np.asarray(a)._cuda(), torch_np.cuda.synchronize, numpy))
    try:
        import torch
        if torch.cuda.is_available():
            found.append(Library(f"torch {torch.__version__}", torch, lambda a: torch.as_tensor(a).cuda(), torch.cuda.synchronize, torch))
    except ImportError:
        pass
    try:
        import cupy
        found.append(Library(f"cupy {cupy.__version__}", cupy, cupy.asarray, lambda: cupy.cuda.Device().synchronize(), numpy))
    except ImportError:
        pass
    return found


def seconds(library, call, inner):
    """Of one call, the fastest of the repeats."""
    for _ in range(3):
        call()
    library.synchronize()
    best = math.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(inner):
            call()
        library.synchronize()
        best = min(best, (time.perf_counter() - start) / inner)
    return best


def memory_cases(library):
    """name, bytes moved, call. Arrays of BYTES bytes each."""
    import numpy
    n = BYTES // 4
    rng = numpy.random.default_rng(0)
    host = rng.standard_normal(n, dtype=numpy.float32)
    x, y = library.array(host), library.array(host[::-1].copy())
    square = x.reshape(1 << 13, -1)
    lib = library.module
    half = library.array(host.astype(numpy.float16))
    ints = library.array(rng.integers(0, 100, BYTES // 8))
    axis = "dim" if hasattr(x, "is_cuda") else "axis"
    yield "copy", 2 * BYTES, (lambda: x.clone()) if hasattr(x, "clone") else (lambda: x.copy())
    yield "x + y", 3 * BYTES, lambda: x + y
    yield "x * 2", 2 * BYTES, lambda: x * 2
    yield "exp(x)", 2 * BYTES, lambda: lib.exp(x)
    yield "x > y", 2 * BYTES + BYTES // 4, lambda: x > y
    yield "where(x > 0, x, y)", 4 * BYTES + BYTES // 2, lambda: lib.where(x > 0, x, y)
    yield "half + half", 3 * BYTES // 2, lambda: half + half
    yield "square + row (broadcast)", 2 * BYTES, lambda: square + square[0]
    yield "square + square.T", 3 * BYTES, lambda: square[:, :8192] + square[:, :8192].T
    yield "x[::2] + y[::2]", 2 * BYTES + BYTES // 2, lambda: x[::2] + y[::2]
    yield "sum(x)", BYTES, lambda: x.sum()
    yield "sum(x, 0)", BYTES, lambda: square.sum(**{axis: 0})
    yield "sum(x, 1)", BYTES, lambda: square.sum(**{axis: 1})
    yield "max(x)", BYTES, lambda: x.max()
    yield "argmax(x)", BYTES, lambda: x.argmax()
    yield "var(x)", 2 * BYTES, lambda: x.var()
    yield "sum(half)", BYTES // 2, lambda: half.sum()
    yield "sum(int64)", BYTES, lambda: ints.sum()
    yield "cumsum(x)", 2 * BYTES, lambda: x.cumsum(0)


def small_cases(library):
    import numpy
    small = library.array(numpy.ones(16, numpy.float32))
    lib = library.module
    yield "a + b, 16 elements", lambda: small + small
    yield "exp(a), 16 elements", lambda: lib.exp(small)
    yield "sum(a), 16 elements", lambda: small.sum()


def products(library):
    import numpy
    for n in (1024, 4096, 8192):
        for dtype in ("float32", "float64", "float16"):
            a = library.array(numpy.ones((n, n), dtype))
            yield f"matmul {n} {dtype}", 2 * n ** 3, lambda a=a: a @ a


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="where the numbers go, too")
    options = parser.parse_args()
    table = {}
    found = libraries()
    for library in found:
        rows = table[library.name] = {}
        for name, moved, call in memory_cases(library):
            rows[name] = moved / seconds(library, call, 20) / 1e9
        for name, call in small_cases(library):
            rows[name] = seconds(library, call, 2000) * 1e6
        for name, operations, call in products(library):
            rows[name] = operations / seconds(library, call, 10) / 1e12
    names = [library.name for library in found]
    print("| case | unit | " + " | ".join(names) + " |\n|---|---|" + "---:|" * len(names))
    for case in table[names[0]]:
        unit = "us" if "elements" in case else "Tflop/s" if case.startswith("matmul") else "GB/s"
        print(f"| {case} | {unit} | " + " | ".join(f"{table[n][case]:.4g}" if case in table[n] else "" for n in names) + " |")
    bandwidth = [c for c, *_ in memory_cases(found[0])][1:]
    for name in names:
        print(f"{name}: {100 * statistics.geometric_mean([table[name][c] / table[name]['copy'] for c in bandwidth]):.1f} % of the copy bandwidth")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
