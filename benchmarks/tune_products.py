"""Finds the faster linear algebra library for each kind of work on this processor: the rows of
aten/kernels/blas_choice.cpp.

    python benchmarks/tune_products.py [--rounds N] [--only Product] [--verbose]

Every kind of work is timed at several sizes with each library (TORCH_NP_BLAS in the environment of
a child process). The children alternate, and minima are compared. A row gives the lower and upper
size between which OpenBLAS does the work: the longest run of sizes where it is faster. For
products, our own loops are timed as well (Note [Products by loops]), and a comment lists the sizes
at which they beat both. Needs a build with both libraries and preferably an otherwise idle machine.
"""
import argparse, json, math, os, platform, subprocess, sys, time

TYPES = {"kFloat": "float32", "kDouble": "float64", "kComplexFloat": "complex64", "kComplexDouble": "complex128"}
SIZES = [8, 16, 32, 64, 128, 200, 256, 512, 1024]
NEVER = "kNever"


def works():
    """name -> (largest size, size measure in blas_choice.cpp, inputs(matrix, n), function(np,
    *inputs))"""
    side, cube, square = (lambda n: n), (lambda n: n**3), (lambda n: n * n)
    tall = lambda np, a, x: a @ x  # noqa: E731
    hermitian = lambda a: a + a.conj().T  # noqa: E731
    return {
        "Product": (1024, cube, lambda f, n: [f(n, n), f(n, n)], tall),
        "VectorProduct": (1024, square, lambda f, n: [f(n, n), f(n)], tall),
        "Triangular": (1024, side, lambda f, n: [f(n, n)], lambda np, a: np.linalg.inv(a)),
        "LU": (1024, side, lambda f, n: [f(n, n)], lambda np, a: np.linalg.slogdet(a)),
        "Cholesky": (1024, side, lambda f, n: [f(n, n)], lambda np, a: np.linalg.cholesky(a)),
        "QR": (1024, side, lambda f, n: [f(n, n)], lambda np, a: np.linalg.qr(a)),
        "SymmetricEigen": (512, side, lambda f, n: [hermitian(f(n, n))], lambda np, a: np.linalg.eigh(a)),
        "Eigen": (256, side, lambda f, n: [f(n, n)], lambda np, a: np.linalg.eig(a)),
        "SVD": (512, side, lambda f, n: [f(n, n)], lambda np, a: np.linalg.svd(a)),
    }


def child(only):
    """Prints {work: {type: {size: seconds}}}, with the library that the environment selects."""
    import numpy
    import torch_np.numpy as np
    rng = numpy.random.default_rng(0)
    result = {}
    for work, (largest, measure, inputs, function) in works().items():
        if only and work != only:
            continue
        for kind, dtype in TYPES.items():
            def f(*shape):
                x = rng.standard_normal(shape).astype(dtype)
                x = x + 1j * rng.standard_normal(shape).astype(dtype) if dtype.startswith("c") else x
                return x + x.T.conj() + 4 * shape[0] * numpy.eye(shape[0], dtype=dtype) if work == "Cholesky" else x
            times = result.setdefault(work, {}).setdefault(kind, {})
            for n in SIZES:
                if n <= largest:
                    arrays = [np.asarray(a.astype(dtype)) for a in inputs(f, n)]
                    times[str(measure(n))] = fastest(lambda: function(np, *arrays))  # noqa: B023
    print(json.dumps(result))


def fastest(call, budget=0.04):
    """The minimum seconds of many calls; short ones are timed several at a time."""
    call()
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-7)
    repeat = max(1, round(2e-5 / once))
    best, end = math.inf, time.perf_counter() + budget
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(repeat):
            call()
        best = min(best, (time.perf_counter() - start) / repeat)
    return min(best, once)


def measured(library, only):
    environment = dict(os.environ, TORCH_NP_BLAS=library)
    command = [sys.executable, __file__, "--child"] + (["--only", only] if only else [])
    return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout)


def longest_run(sizes, wins):
    """The longest run of sizes with a win: (from, to), `to` being the first size without one."""
    best = begin = None
    for i, won in enumerate([*wins, False]):
        if won and begin is None:
            begin = i
        if not won and begin is not None:
            if best is None or i - begin > best[1] - best[0]:
                best = (begin, i)
            begin = None
    if best is None:
        return None
    return 0 if best[0] == 0 else sizes[best[0]], NEVER if best[1] == len(sizes) else sizes[best[1]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(works()))
    parser.add_argument("--verbose", action="store_true", help="each size: microseconds by oneMKL, by OpenBLAS, and the ratio")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.child:
        return child(a.only)
    best = {"mkl": {}, "openblas": {}, "loops": {}}
    for _ in range(a.rounds):
        for library, into in best.items():
            if library == "loops" and a.only not in (None, "Product"):
                continue
            for work, kinds in measured(library, "Product" if library == "loops" else a.only).items():
                for kind, times in kinds.items():
                    for size, seconds in times.items():
                        key = (work, kind, int(size))
                        into[key] = min(into.get(key, math.inf), seconds)
    print(f"  // {platform.machine()}, {os.cpu_count()} processors")
    for work in works():
        for kind in TYPES:
            sizes = sorted(size for w, k, size in best["mkl"] if (w, k) == (work, kind))
            if not sizes:
                continue
            ratio = {n: best["openblas"][work, kind, n] / best["mkl"][work, kind, n] for n in sizes}
            if a.verbose:
                for n in sizes:
                    print(f"  // {n:>10} {best['mkl'][work, kind, n] * 1e6:12.1f} {best['openblas'][work, kind, n] * 1e6:12.1f} {ratio[n]:6.2f}")
            loops = [n for n in sizes if best["loops"].get((work, kind, n), math.inf) < min(best[b][work, kind, n] for b in ("mkl", "openblas"))]
            if loops and kind in ("kFloat", "kDouble"):
                print(f"  // loops are ahead at {loops}")
            row = longest_run(sizes, [ratio[n] < 0.95 for n in sizes])
            if row:
                print(f"  t(Work::{work}, {kind}) = {{{row[0]}, {row[1]}}};")


if __name__ == "__main__":
    main()
