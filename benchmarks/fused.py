#!/usr/bin/env python3
"""Compares backends that fuse whole NumPy functions, interleaved in one process.

    python benchmarks/fused.py [--backends numpy,numexpr,numba,jax,torch_compile,torch_np_unfused,torch_np,torch_np_compile]
                               [--only REGEX] [--seconds 0.4] [--json OUT] [--device cuda]

Every workload is one function over a global `np`. Its source is executed once for each backend,
with `np` bound to that backend's namespace and the function passed to its compiler:

    numpy             unchanged
    numba             numba.njit(parallel=True)
    jax               jax.jit, 64-bit types on
    torch_compile     torch.compile on the NumPy source (dynamic=False)
    torch_np          unchanged, on torch_np.numpy's arrays: only the import differs
    torch_np_unfused  the same in the mode 'off' of torch_np.fusion
    torch_np_compile  torch_np.compile
    numexpr           if the workload has an expression for it
    cupy              with --device cuda: unchanged, on CuPy's arrays

Every call ends when its result is in memory: the result is converted to a NumPy array, without a
copy. With `--device cuda`, arrays stay on the GPU, and the call ends when the GPU has finished
(NumPy's column is the CPU's). Results are compared with NumPy's; a backend that fails or differs is
shown with the reason. Times are the minimum of interleaved rounds in microseconds; each round
starts with a rest and an untimed call. The first call (compilation) is shown separately. The last
line contains geometric means.
"""
import argparse
import importlib
import json
import math
import re
import signal
import sys
import textwrap
import time
import warnings

import numpy

WORKLOADS = {}
DEFAULT = {"cpu": "numpy,numexpr,numba,jax,torch_compile,torch_np_unfused,torch_np,torch_np_compile",
           "cuda": "numpy,cupy,jax,torch_np,torch_np_compile"}


def workload(name, make, numexpr=None):
    def register(source):
        WORKLOADS[name] = (textwrap.dedent(source), make, numexpr)
    return register


def normal(*shape, dtype="f4", seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(dtype)


def uniform(low, high, *shape, dtype="f4", seed=0):
    return numpy.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


workload("axpy_chain_1e6", lambda: (normal(10**6), normal(10**6, seed=1), normal(10**6, seed=2)),
         "2.5 * a + b * 0.5 - a * b + c")("""
    def f(a, b, c):
        return 2.5 * a + b * 0.5 - a * b + c
""")
workload("axpy_chain_1e7", lambda: (normal(10**7), normal(10**7, seed=1), normal(10**7, seed=2)),
         "2.5 * a + b * 0.5 - a * b + c")("""
    def f(a, b, c):
        return 2.5 * a + b * 0.5 - a * b + c
""")
workload("horner_1e6_f64", lambda: (uniform(-1, 1, 10**6, dtype="f8"),))("""
    def f(x):
        y = 0.1 * x + 0.2
        y = y * x - 0.3
        y = y * x + 0.4
        y = y * x - 0.5
        y = y * x + 0.6
        y = y * x - 0.7
        y = y * x + 0.8
        y = y * x - 0.9
        return y * x + 1.0
""")
workload("black_scholes_1e6", lambda: (uniform(10, 50, 10**6), uniform(10, 50, 10**6, seed=1), uniform(1, 2, 10**6, seed=2)))("""
    def f(s, k, t):
        r = np.float32(0.1)
        v = np.float32(0.2)
        half = np.float32(0.5)
        d = np.sqrt(t) * v
        d1 = (np.log(s / k) + (r + half * v * v) * t) / d
        d2 = d1 - d
        c1 = half + half * np.tanh(np.float32(0.7978845608) * (d1 + np.float32(0.044715) * d1 * d1 * d1))
        c2 = half + half * np.tanh(np.float32(0.7978845608) * (d2 + np.float32(0.044715) * d2 * d2 * d2))
        return s * c1 - k * np.exp(-r * t) * c2
""")
workload("gelu_1e6", lambda: (normal(10**6),))("""
    def f(x):
        return np.float32(0.5) * x * (np.float32(1) + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)))
""")
workload("gaussian_loglik_4e6", lambda: (normal(4 * 10**6, dtype="f8"),))("""
    def f(x):
        return np.sum(-0.5 * ((x - 0.3) / 1.7) ** 2 - 0.53)
""")
workload("count_in_circle_4e6", lambda: (uniform(0, 1, 4 * 10**6, dtype="f8"), uniform(0, 1, 4 * 10**6, dtype="f8", seed=1)))("""
    def f(x, y):
        return np.sum(x * x + y * y < 1.0)
""")
workload("rms_norm_4096x256", lambda: (normal(4096, 256), normal(256, seed=1)))("""
    def f(x, g):
        m = np.sum(x * x, axis=1) / np.float32(256)
        return x / np.sqrt(m + np.float32(1e-6)).reshape(-1, 1) * g
""")
workload("softmax_4096x256", lambda: (normal(4096, 256),))("""
    def f(x):
        m = np.zeros((x.shape[0], 1), dtype=np.float32) + np.max(x)
        e = np.exp(x - m)
        return e / np.sum(e, axis=1).reshape(-1, 1)
""")
workload("kmeans_step_2e4x8x16", lambda: (normal(20000, 8), normal(16, 8, seed=1)))("""
    def f(x, c):
        d = np.sum((x.reshape(-1, 1, 8) - c.reshape(1, 16, 8)) ** 2, axis=2)
        return np.argmin(d, axis=1)
""")
workload("jacobi_1000x1000", lambda: (normal(1000, 1000, dtype="f8"),))("""
    def f(a):
        return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
""")
workload("gray_scott_512", lambda: (uniform(0, 1, 514, 514, dtype="f8"), uniform(0, 1, 514, 514, dtype="f8", seed=1)))("""
    def f(u, v):
        lu = u[:-2, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1] - 4.0 * u[1:-1, 1:-1]
        lv = v[:-2, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] + v[2:, 1:-1] - 4.0 * v[1:-1, 1:-1]
        uc = u[1:-1, 1:-1]
        vc = v[1:-1, 1:-1]
        r = uc * vc * vc
        return uc + 0.16 * lu - r + 0.035 * (1.0 - uc) + vc + 0.08 * lv + r - 0.095 * vc
""")
workload("nbody_forces_600", lambda: (normal(600, 3, dtype="f8"), uniform(1, 2, 600, dtype="f8")))("""
    def f(p, m):
        d = p.reshape(1, -1, 3) - p.reshape(-1, 1, 3)
        r2 = np.sum(d * d, axis=2) + 0.01
        w = m / (r2 * np.sqrt(r2))
        return np.sum(d * w.reshape(600, 600, 1), axis=1)
""")
workload("mandelbrot_20_512", lambda: (uniform(-2, 1, 512, 512, dtype="f8"), uniform(-1, 1, 512, 512, dtype="f8", seed=1)))("""
    def f(cr, ci):
        zr = cr * 0.0
        zi = ci * 0.0
        n = cr * 0.0
        for _ in range(20):
            t = zr * zr - zi * zi + cr
            zi = 2.0 * zr * zi + ci
            zr = t
            inside = zr * zr + zi * zi < 4.0
            n = n + np.where(inside, 1.0, 0.0)
            zr = np.where(inside, zr, 2.0)
            zi = np.where(inside, zi, 2.0)
        return n
""")
workload("adam_1e6", lambda: (normal(10**6), normal(10**6, seed=1), normal(10**6, seed=2), uniform(0, 1, 10**6, seed=3)))("""
    def f(p, g, m, v):
        m = np.float32(0.9) * m + np.float32(0.1) * g
        v = np.float32(0.999) * v + np.float32(0.001) * g * g
        return p - np.float32(1e-3) * (m / np.float32(0.1)) / (np.sqrt(v / np.float32(0.001)) + np.float32(1e-8))
""")
workload("gru_cell_16x32", lambda: (normal(16, 32), normal(16, 32, seed=1), normal(32, 96, seed=2), normal(32, 96, seed=3)))("""
    def f(x, h, w, u):
        for _ in range(10):
            a = np.dot(x, w)
            b = np.dot(h, u)
            z = np.float32(1) / (np.float32(1) + np.exp(-(a[:, :32] + b[:, :32])))
            r = np.float32(1) / (np.float32(1) + np.exp(-(a[:, 32:64] + b[:, 32:64])))
            n = np.tanh(a[:, 64:] + r * b[:, 64:])
            h = (np.float32(1) - z) * n + z * h
        return h
""")
workload("small_chain_64", lambda: (normal(64), normal(64, seed=1)))("""
    def f(a, b):
        for _ in range(10):
            a = np.tanh(a * b + np.float32(0.5)) - np.float32(0.1) * b
        return a
""")


def bind(source, np):
    space = {"np": np}
    exec(compile(source, "<workload>", "exec"), space)  # numba and dynamo read the code object
    return space["f"]


def prepared(backend, source, inputs, expression, device):
    """(call, to_numpy) of a workload on a backend."""
    if backend == "numpy":
        f = bind(source, numpy)
        return (lambda: f(*inputs)), numpy.asarray
    if backend == "numexpr":
        if expression is None:
            raise NotImplementedError("no expression")
        import numexpr
        names = dict(zip("abc", inputs))
        expression = re.sub(r"\b\d+\.\d+\b", lambda m: f"k{m[0].replace('.', '_')}", expression)
        names.update({k: inputs[0].dtype.type(k[1:].replace("_", ".")) for k in re.findall(r"k\d+_\d+", expression)})
        return (lambda: numexpr.evaluate(expression, names)), numpy.asarray
    if backend == "numba":
        import numba
        f = numba.njit(parallel=True)(bind(source, numpy))
        return (lambda: f(*inputs)), numpy.asarray
    if backend == "jax":
        import jax
        jax.config.update("jax_enable_x64", True)
        f = jax.jit(bind(source, importlib.import_module("jax.numpy")))
        arrays = [jax.numpy.asarray(x) for x in inputs]
        return (lambda: f(*arrays).block_until_ready()), numpy.asarray
    if backend == "cupy":
        import cupy
        f = bind(source, cupy)
        arrays = [cupy.asarray(x) for x in inputs]
        return waiting(lambda: f(*arrays), cupy.cuda.Device().synchronize), cupy.asnumpy
    if backend == "torch_compile" and device == "cuda":
        import torch
        f = torch.compile(torch.compiler.wrap_numpy(bind(source, numpy)), dynamic=False)
        arrays = [torch.as_tensor(x, device="cuda") for x in inputs]
        return waiting(lambda: f(*arrays), torch.cuda.synchronize), lambda x: x.cpu().numpy()
    if backend == "torch_compile":
        import torch
        f = torch.compile(bind(source, numpy), dynamic=False)
        return (lambda: f(*inputs)), numpy.asarray
    torch_np, fusion = importlib.import_module("torch_np"), importlib.import_module("torch_np.fusion")
    ours = torch_np.numpy
    f = bind(source, ours)
    arrays = [ours.array(x) for x in inputs]
    mode = "off" if backend == "torch_np_unfused" else "auto"
    if backend == "torch_np_compile":
        f = torch_np.compile(f, fullgraph=True)
    if device == "cuda":
        torch_np.set_default_device("cuda")  # for arrays that the function creates
        arrays = [x._cuda() for x in arrays]
        return waiting(lambda: f(*arrays), torch_np.cuda.synchronize), lambda x: numpy.asarray(x._cpu())

    def call():
        fusion.set_mode(mode)
        return numpy.asarray(f(*arrays))
    return call, numpy.asarray


def waiting(call, synchronize):
    def waited():
        result = call()
        synchronize()
        return result
    return waited


def close(got, want):
    if got.shape != want.shape:
        return f"shape {got.shape}"
    if want.dtype.kind in "iub":
        return None if numpy.mean(got == want) > 0.999 else "values"
    tolerance = 2e-4 if want.dtype.itemsize <= 4 else 1e-9
    return None if numpy.allclose(got, want, rtol=tolerance, atol=tolerance) else "values"


def per_call(call, seconds):
    time.sleep(0.05)  # OpenMP threads spin for some milliseconds after their work, on the next backend's cores
    call()
    n, start = 0, time.perf_counter()
    while True:
        call()
        n += 1
        spent = time.perf_counter() - start
        if spent > seconds:
            return spent / n


def too_long(*_):
    raise TimeoutError("no result within 60 s")


def main():
    signal.signal(signal.SIGALRM, too_long)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", help="default: all that run there, but with --device cuda not torch_compile")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--only", default=".")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--json")
    args = parser.parse_args()
    backends = (args.backends or DEFAULT[args.device]).split(",")
    warnings.simplefilter("ignore")
    rows = {}
    print(f"{'workload':22}" + "".join(f"{b:>17}" for b in backends))
    for name, (source, make, expression) in WORKLOADS.items():
        if not re.search(args.only, name):
            continue
        inputs = make()
        want = numpy.asarray(bind(source, numpy)(*inputs))
        calls, row = {}, {}
        for b in backends:
            try:
                signal.setitimer(signal.ITIMER_REAL, 60, 1)  # some compilers hang on some rows
                call, to_numpy = prepared(b, source, inputs, expression, args.device)
                start = time.perf_counter()
                got = to_numpy(call())
                first = time.perf_counter() - start
                signal.setitimer(signal.ITIMER_REAL, 0)
                wrong = close(got, want)
                row[b] = {"first": first, "wrong": wrong} if wrong else {"first": first, "us": math.inf}
                if not wrong:
                    calls[b] = call
            except Exception as error:
                signal.setitimer(signal.ITIMER_REAL, 0)
                row[b] = {"wrong": f"{type(error).__name__}: {error}"[:200]}
        for _ in range(4):  # interleaved, so that load affects all backends
            for b, call in calls.items():
                row[b]["us"] = min(row[b]["us"], 1e6 * per_call(call, args.seconds / 4))
        rows[name] = row
        print(f"{name:22}" + "".join(f"{row[b]['us']:17.1f}" if "us" in row[b] else f"{row[b]['wrong'][:15]:>17}" for b in backends),
              flush=True)
    print("\ngeometric mean against NumPy, over the rows that each has; rows; slowest first call")
    for b in backends:
        ratios = [r[b]["us"] / r["numpy"]["us"] for r in rows.values() if "us" in r.get(b, {}) and "us" in r.get("numpy", {})]
        if ratios:
            first, row = max((r[b]["first"], name) for name, r in rows.items() if "us" in r[b])
            print(f"geomean {b}: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}  ({len(ratios)} rows, {1e3 * first:.1f} ms in {row})")
    others = [b for b in backends if b != "numpy" and not b.startswith("torch_np")]
    for b in backends:
        worst = [(r[b]["us"] / min(r[o]["us"] for o in others if "us" in r[o]), name) for name, r in rows.items()
                 if b.startswith("torch_np") and "us" in r[b] and any("us" in r[o] for o in others)]
        if worst:
            print(f"{b}: {math.exp(sum(math.log(ratio) for ratio, _ in worst) / len(worst)):.2f} of the fastest of the others, at most " +
                  ", ".join(f"{ratio:.2f} in {name}" for ratio, name in sorted(worst, reverse=True)[:4]))
    if args.json:
        with open(args.json, "w") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    sys.exit(main())
