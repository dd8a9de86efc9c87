"""Compares our sort with Google Highway's vqsort and Intel's x86-simd-sort, on one thread.

    python benchmarks/sort_libraries.py HIGHWAY X86_SIMD_SORT [--folder DIR] [--seconds S]

HIGHWAY and X86_SIMD_SORT are source trees of the two libraries. The script compiles
benchmarks/sort_libraries.cpp for each library and instruction set (into DIR, for reuse), then times
them alternately in one process. Times are thread CPU times, so that other processes affect them
only through the cache. The minimum of all rounds is printed, in nanoseconds per element. The last
lines are geometric means of our time divided by theirs.
"""
import argparse
import ctypes
import math
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("torch_np", "vqsort", "x86-simd-sort")
SIZES = (100, 1000, 10_000, 100_000, 1_000_000)
PATTERNS = {
    "random": lambda rng, shape: rng.random(shape) * 1e9,
    "few values": lambda rng, shape: rng.integers(0, 16, shape),
    "sorted": lambda rng, shape: numpy.sort(rng.random(shape) * 1e9),
    "reversed": lambda rng, shape: -numpy.sort(rng.random(shape) * 1e9),
}


def compiled(library, isa, folder, highway, x86_simd_sort):
    path = folder / f"{isa}_{library}.so"
    theirs = {"avx2": ["-march=haswell", "-maes"], "avx512": ["-march=icelake-server"]}[isa]
    if "AuthenticAMD" in Path("/proc/cpuinfo").read_text():
        theirs.append("-DHWY_WANT_AVX3_ZEN4")  # compress-stores are slow there
    ours = {"avx2": ["-march=x86-64-v3"], "avx512": ["-march=x86-64-v4", "-mprefer-vector-width=512"]}[isa]
    flags = {
        "torch_np": [*ours, f"-DTNP_CPU_CAPABILITY={isa}", f"-I{ROOT}"],
        "vqsort": [*theirs, "-DVQSORT", f"-I{highway}", f"{highway}/hwy/abort.cc"],
        "x86-simd-sort": [*theirs, "-DX86_SIMD_SORT", f"-I{x86_simd_sort}/src"],
    }[library]
    if not path.exists():
        source = ROOT / "benchmarks" / "sort_libraries.cpp"
        common = ["-std=c++20", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math", "-w"]
        subprocess.run(["c++", *common, str(source), *flags, "-o", str(path)], check=True)
    return ctypes.CDLL(str(path))


def race(libraries, dtype, values, seconds):
    """The minimum time of each library for sorting the rows of `values`, in ns per element."""
    name = {"int64": "sort_lines_int64_t", "float32": "sort_lines_float"}[dtype]
    lines, n = values.shape
    best = dict.fromkeys(libraries, math.inf)
    work, wanted = values.copy(), numpy.sort(values)
    end = time.thread_time() + seconds
    rounds = 0
    while rounds < 3 or time.thread_time() < end:
        for library, code in libraries.items():
            work[...] = values
            start = time.thread_time_ns()
            getattr(code, name)(ctypes.c_void_p(work.ctypes.data), ctypes.c_int64(lines), ctypes.c_int64(n))
            best[library] = min(best[library], (time.thread_time_ns() - start) / values.size)
            if rounds == 0 and not numpy.array_equal(work, wanted):
                raise SystemExit(f"{library}: {dtype}, {values.shape} is not sorted")
        rounds += 1
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("highway", type=Path)
    parser.add_argument("x86_simd_sort", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "sort_libraries")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each row")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    rng = numpy.random.default_rng(0)
    ratios = {}
    for isa in ("avx512", "avx2"):
        libraries = {library: compiled(library, isa, options.folder, options.highway, options.x86_simd_sort) for library in LIBRARIES}
        print(f"\n| {isa} | values | size | {' | '.join(LIBRARIES)} |\n|---|---|---|{'---|' * len(LIBRARIES)}")
        for dtype in ("float32", "int64"):
            for pattern, make in PATTERNS.items():
                for n in SIZES:
                    times = race(libraries, dtype, make(rng, (max(1, 32768 // n), n)).astype(dtype), options.seconds)
                    print(f"| {dtype} | {pattern} | {n} | {' | '.join(f'{t:.2f}' for t in times.values())} |", flush=True)
                    for library in LIBRARIES[1:]:
                        ratios.setdefault((isa, dtype, pattern, library), []).append(times["torch_np"] / times[library])
    print("\n| our time / theirs | dtype | values | " + " | ".join(LIBRARIES[1:]) + " |\n|---|---|---|---|---|")
    for isa, dtype, pattern, _ in dict.fromkeys((*key[:3], None) for key in ratios):
        means = [math.exp(numpy.log(ratios[isa, dtype, pattern, library]).mean()) for library in LIBRARIES[1:]]
        print(f"| {isa} | {dtype} | {pattern} | {' | '.join(f'{m:.2f}' for m in means)} |")


if __name__ == "__main__":
    main()
