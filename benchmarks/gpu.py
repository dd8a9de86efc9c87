"""Timings on a GPU, beside PyTorch and CuPy where these are installed, all in one run:

    make bench-cuda                                     # or, after make dev and ninja torch_np_cuda:
    .venv/bin/python benchmarks/gpu.py [--json build/cuda.json] [--page docs/performance.md] [--bytes 268435456]

A row's time is that of one call: the fastest of several repeats of many calls, with one
synchronisation at the end. Bandwidth is the number of bytes that an operation must read and write,
divided by that time. It is shown as a fraction of the fastest library's copy of the same size. With
--page, the text between the two marks of that page is replaced.

(Not named cuda.py: Python searches a script's folder first, and CuPy imports a module of that
name.)
"""
from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from pathlib import Path

REPEATS = 7
BEGIN, END = "<!-- timings on a GPU: begin -->", "<!-- timings on a GPU: end -->"
GROUPS = {"elementwise": "elementwise and broadcast, share of the copy's bandwidth", "reduction": "reductions, share of the copy's bandwidth",
          "call": "one call with 16 elements", "matmul": "products of matrices", "others": "scans, sorting, transforms, factorisations, random numbers"}


class Library:
    """A library's functions for the timings: making arrays, calling, and synchronising."""

    def __init__(self, name, module, array, synchronize, ours):
        self.name, self.module, self.array, self.synchronize, self.ours = name, module, array, synchronize, ours
        self.torch_style = hasattr(module, "as_tensor")
        self.axis = "dim" if self.torch_style else "axis"


def libraries():
    import torch_np
    import torch_np.numpy as np
    if not torch_np.cuda.is_available():
        raise SystemExit("benchmarks/gpu.py: there is no GPU")
    torch_np.set_default_device("cuda")  # for random numbers; other calls name their device
    found = [Library("torch_np", torch_np, lambda a: torch_np.as_tensor(a).cuda(), torch_np.cuda.synchronize, True),
             Library("torch_np.numpy", np, lambda a: np.asarray(a)._cuda(), torch_np.cuda.synchronize, True)]
    try:
        import torch
        if torch.cuda.is_available():
            torch.set_default_device("cuda")
            found.append(Library(f"torch {torch.__version__}", torch, lambda a: torch.as_tensor(a).cuda(), torch.cuda.synchronize, False))
    except ImportError:
        pass
    try:
        import cupy
        found.append(Library(f"cupy {cupy.__version__}", cupy, cupy.asarray, lambda: cupy.cuda.Device().synchronize(), False))
    except ImportError:
        pass
    return found


def seconds(library, call, at_least=0.02):
    """Seconds of one call, the fastest of the repeats; a repeat lasts `at_least` seconds."""
    def repeat(times):
        start = time.perf_counter()
        for _ in range(times):
            call()
        library.synchronize()
        return time.perf_counter() - start

    library.synchronize()
    repeat(2)
    times = max(1, min(2000, int(at_least / max(repeat(1), 1e-6))))
    return min(repeat(times) / times for _ in range(REPEATS))


def cases(library, size):
    """(group, name, required bytes or operations or None, call). Large arrays have `size` bytes."""
    import numpy
    n = size // 4
    side = math.isqrt(n)
    rng = numpy.random.default_rng(0)
    host = rng.standard_normal(side * side, dtype=numpy.float32)
    moved = host.nbytes
    x, y = library.array(host), library.array(host[::-1].copy())
    square, half = x.reshape(side, side), library.array(host.astype(numpy.float16))
    ints = library.array(rng.integers(0, 100, moved // 8))
    lib, axis = library.module, library.axis

    yield "copy", "copy", 2 * moved, (lambda: x.clone()) if library.torch_style else (lambda: x.copy())
    yield "elementwise", "x + y", 3 * moved, lambda: x + y
    yield "elementwise", "x * 2", 2 * moved, lambda: x * 2
    yield "elementwise", "exp(x)", 2 * moved, lambda: lib.exp(x)
    yield "elementwise", "x > y", 2 * moved + moved // 4, lambda: x > y
    yield "elementwise", "where(x > 0, x, y)", 4 * moved + moved // 2, lambda: lib.where(x > 0, x, y)
    yield "elementwise", "half + half", 3 * moved // 2, lambda: half + half
    yield "elementwise", "square + row", 2 * moved, lambda: square + square[0]
    yield "elementwise", "square + column", 2 * moved, lambda: square + square[:, :1]
    yield "elementwise", "square + square.T", 3 * moved, lambda: square + square.T
    yield "elementwise", "x[::2] + y[::2]", 2 * moved + moved // 2, lambda: x[::2] + y[::2]
    yield "reduction", "sum(x)", moved, lambda: x.sum()
    yield "reduction", "sum(x, 0)", moved, lambda: square.sum(**{axis: 0})
    yield "reduction", "sum(x, 1)", moved, lambda: square.sum(**{axis: 1})
    yield "reduction", "max(x)", moved, lambda: x.max()
    yield "reduction", "argmax(x)", moved, lambda: x.argmax()
    yield "reduction", "var(x)", 2 * moved, lambda: x.var()
    yield "reduction", "sum(half)", moved // 2, lambda: half.sum()
    yield "reduction", "sum(int64)", moved, lambda: ints.sum()

    small = library.array(numpy.ones(16, numpy.float32))
    yield "call", "a + b", None, lambda: small + small
    yield "call", "exp(a)", None, lambda: lib.exp(small)
    yield "call", "sum(a)", None, lambda: small.sum()

    for k in sorted({min(k, side) for k in (1024, 4096, 8192)}):
        for dtype in ("float32", "float64", "float16"):
            a = library.array(numpy.ones((k, k), dtype))
            yield "matmul", f"{k} {dtype}", 2 * k ** 3, lambda a=a: a @ a

    k = min(1024, side)
    well = library.array(numpy.eye(k, dtype=numpy.float32) * k + host[:k * k].reshape(k, k))
    many = library.array(numpy.eye(8, dtype=numpy.float32) * 8 + host[:4096 * 64 if n >= 4096 * 64 else 64].reshape(-1, 8, 8))
    draws = n // 4
    yield "others", "cumsum(x)", None, lambda: x.cumsum(0)
    yield "others", "sort(x)", None, lambda: lib.sort(x)
    yield "others", "argsort(x)", None, lambda: lib.argsort(x)
    yield "others", "fft(x)", None, lambda: lib.fft.fft(square)
    yield "others", f"solve {k}", None, lambda: lib.linalg.solve(well, well)
    yield "others", "inv 4096 of 8 x 8", None, lambda: lib.linalg.inv(many)
    yield "others", f"svd {k}", None, lambda: lib.linalg.svd(well)
    yield "others", f"cholesky {k}", None, lambda: lib.linalg.cholesky(well @ well.T)
    if library.torch_style:
        yield "others", "random", None, lambda: lib.rand(draws)
        yield "others", "normal", None, lambda: lib.randn(draws)
    else:
        philox = lib.random.Generator(lib.random.Philox(1) if hasattr(lib.random, "Philox") else lib.random.Philox4x3210(1))
        yield "others", "random", None, lambda: philox.random(draws)
        yield "others", "normal", None, lambda: philox.standard_normal(draws)


def measure(library, size):
    rows = {}
    for group, name, _, call in cases(library, size):
        try:
            rows[f"{group}/{name}"] = seconds(library, call)
        except Exception as error:  # noqa: BLE001 - a peer without the function is a gap in its column
            if library.ours:
                raise
            print(f"{library.name}: {name}: {error}")
    return rows


def report(table, work, ours):
    """The page's text: geometric means of each group, then each row."""
    names, peers = list(table), [n for n in table if n not in ours]
    copy = min(table[n]["copy/copy"] for n in names) / work["copy/copy"]  # seconds a byte
    rows = [r for r in table[names[0]] if r != "copy/copy"]

    def best(row, of):
        return min((table[n][row] for n in of if row in table[n]), default=None)

    lines = ["| group | " + " | ".join(names) + " | ours / best peer |", "|---|" + "---:|" * (len(names) + 1)]
    for group, text in GROUPS.items():
        of_group = [r for r in rows if r.split("/")[0] == group]
        shares = group in ("elementwise", "reduction")
        cells = []
        for name in names:
            have = [r for r in of_group if r in table[name]]
            value = statistics.geometric_mean(work[r] * copy / table[name][r] for r in have) if shares and have else None
            cells.append(f"{100 * value:.0f} %" if value else "")
        ratios = [best(r, ours) / best(r, peers) for r in of_group if best(r, peers)]
        lines.append(f"| {group}: {text} | " + " | ".join(cells) + f" | {statistics.geometric_mean(ratios):.2f} |" if ratios else f"| {group}: {text} | " + " | ".join(cells) + " | |")
    lines += ["", "| row | " + " | ".join(f"{n}, µs" for n in names) + " | ours / best peer |", "|---|" + "---:|" * (len(names) + 1)]
    for row in ["copy/copy", *rows]:
        cells = [f"{table[n][row] * 1e6:.4g}" if row in table[n] else "–" for n in names]
        peer = best(row, peers)
        lines.append(f"| {row} | " + " | ".join(cells) + (f" | {best(row, ours) / peer:.2f} |" if peer else " | – |"))
    products = [f"| {r.split('/')[1]} | {work[r] / best(r, ours) / 1e12:.1f} |" for r in rows if r.startswith("matmul/")]
    lines += ["", f"A copy reaches {1 / copy / 1e9:.0f} GB/s.", "", "| product | Tflop/s |", "|---|---:|", *products]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="where the seconds of all rows go, too")
    parser.add_argument("--page", type=Path, help="the page whose table is replaced")
    parser.add_argument("--bytes", type=int, default=1 << 28, help="of a large array")
    options = parser.parse_args()
    found = libraries()
    table = {library.name: measure(library, options.bytes) for library in found}
    work = {f"{group}/{name}": amount for group, name, amount, _ in cases(found[0], options.bytes) if amount}
    text = report(table, work, [library.name for library in found if library.ours])
    print(text)
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1))
    if options.page:
        page = options.page.read_text()
        before, rest = page.split(BEGIN)
        options.page.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
