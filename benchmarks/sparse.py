"""Sparse products, conversions and a training step compared with PyTorch and SciPy, interleaved in one
run; and the peak memory of the training step.

    python benchmarks/sparse.py [--only REGEX] [--rounds 5] [--scale 1.0] [--threads N] [--json OUT] [--no-memory]

Rows are measured as those of benchmarks/nn.py. The ratio is the time as a part of the better peer's.
Matrices have 10^5 rows and columns and 10^6 elements of float32; those of `triplets` have 10^7.
`--scale` multiplies these numbers. `--threads` is for PyTorch and torch_np; SciPy has one. Without
PyTorch or SciPy their columns stay empty. Exit status 1 if results differ.
"""
import argparse
import importlib
import math
import re
import sys

import numpy
from nn import finish, number_of, peak_memory, print_mean, time_row

PEERS = "torch", "scipy.sparse"
LIBRARIES = *PEERS, "torch_np"
ROWS = {}
SCALE = 1.0


def row(f):
    """Registers a row: `f(t)` returns a closure for the library `t`, None if it has no such function."""
    ROWS[f.__name__] = f
    return f


def is_scipy(t):
    return t.__name__ == "scipy.sparse"


def triplets(elements, seed=0):
    """Rows, columns, values and the number of rows of a random square matrix."""
    n, elements = int(1e5 * SCALE), int(elements * SCALE)
    rng = numpy.random.default_rng(seed)
    return rng.integers(0, n, elements), rng.integers(0, n, elements), rng.standard_normal(elements).astype("float32"), n


def csr(t, elements=1e6, seed=0):
    """A CSR matrix of library `t`."""
    rows, columns, values, n = triplets(elements, seed)
    order = numpy.lexsort((columns, rows))
    pointers = numpy.searchsorted(rows[order], numpy.arange(n + 1))
    parts = pointers, columns[order], values[order]
    if is_scipy(t):
        matrix = t.csr_array((parts[2], parts[1].astype("int32"), parts[0].astype("int32")), shape=(n, n))
        return matrix
    return t.sparse_csr_tensor(*(t.from_numpy(p) for p in parts), (n, n))


def coo(t, elements=1e6, seed=0):
    rows, columns, values, n = triplets(elements, seed)
    if is_scipy(t):
        return t.coo_array((values, (rows.astype("int32"), columns.astype("int32"))), shape=(n, n))
    return t.sparse_coo_tensor(t.from_numpy(numpy.stack([rows, columns])), t.from_numpy(values), (n, n), check_invariants=False)


def dense(t, k, seed=1):
    x = numpy.random.default_rng(seed).standard_normal((int(1e5 * SCALE), k)).astype("float32")
    return x if is_scipy(t) else t.from_numpy(x)


def number(result):
    """A number that summarises a result of any library, for the comparison."""
    if hasattr(result, "tocsr"):
        return float(abs(result.data.astype("float64")).sum() / math.prod(result.shape))
    if isinstance(result, numpy.ndarray):
        return float(abs(result.astype("float64")).mean())
    if getattr(result, "is_sparse", False):
        return float(result.coalesce().values().double().abs().sum() / math.prod(result.shape))
    if getattr(result, "is_sparse_csr", False):
        return float(result.values().double().abs().sum() / math.prod(result.shape))
    return number_of(result)


@row
def spmv(t):
    a, x = csr(t), dense(t, 1)[:, 0]
    return lambda: a @ x


@row
def spmm_32(t):
    a, x = csr(t), dense(t, 32)
    return lambda: a @ x


@row
def spmm_256(t):
    a, x = csr(t), dense(t, 256)
    return lambda: a @ x


@row
def transposed_spmm_32(t):
    a, x = csr(t), dense(t, 32)
    transposed = a.T if is_scipy(t) else a.t()
    return lambda: transposed @ x


@row
def coo_spmm_32(t):
    a, x = coo(t), dense(t, 32)
    a = a if is_scipy(t) else a.coalesce()
    return lambda: a @ x


@row
def sampled_product_32(t):
    if is_scipy(t):
        return None
    a, x = csr(t), dense(t, 32)
    return lambda: t.sparse.sampled_addmm(a, x, x.T, beta=0.0)


@row
def maxima_of_products_32(t):
    if is_scipy(t):
        return None
    a, x = csr(t), dense(t, 32)
    return lambda: t.sparse.mm(a, x, "amax")


@row
def csr_of_triplets(t):
    a = coo(t, 1e7)
    if is_scipy(t):
        return lambda: t.coo_array((a.data, a.coords), shape=a.shape).tocsr()
    indices, values = a._indices(), a._values()
    return lambda: t.sparse_coo_tensor(indices, values, tuple(a.shape), check_invariants=False).to_sparse_csr()


@row
def coalesce(t):
    a = coo(t)
    if is_scipy(t):
        def run():
            b = t.coo_array((a.data, a.coords), shape=a.shape)
            b.sum_duplicates()
            return b
        return run
    indices, values = a._indices(), a._values()
    return lambda: t.sparse_coo_tensor(indices, values, tuple(a.shape), check_invariants=False).coalesce()


@row
def row_sums(t):
    a = csr(t)
    return (lambda: a.sum(axis=1)) if is_scipy(t) else (lambda: a.sum(dim=1, keepdim=True))


@row
def sum_of_two(t):
    a, b = csr(t), csr(t, seed=5)
    return lambda: a + b


@row
def product_of_two(t):
    if t.__name__ == "torch":  # the elements of the product cannot be read: PyTorch 2.15 ends the process
        return None
    a, b = csr(t, 3e5), csr(t, 3e5, seed=5)
    return lambda: a @ b


@row
def to_dense(t):
    rows, columns, values, _ = triplets(1e6)
    n = int(3000 * SCALE)
    if is_scipy(t):
        a = t.csr_array((values, (rows % n, columns % n)), shape=(n, n))
        return lambda: a.toarray()
    a = t.sparse_coo_tensor(t.from_numpy(numpy.stack([rows % n, columns % n])), t.from_numpy(values), (n, n)).coalesce().to_sparse_csr()
    return lambda: a.to_dense()


@row
def gcn_step(t):
    """A training step of two graph convolutions on 10^5 nodes and 10^6 edges."""
    if is_scipy(t):
        return None
    a, x = csr(t), dense(t, 64)
    labels = t.from_numpy(numpy.random.default_rng(3).integers(0, 16, x.shape[0]))
    rng = numpy.random.default_rng(4)
    w1, w2 = (t.from_numpy((rng.standard_normal(s) * 0.1).astype("float32")).requires_grad_() for s in ((64, 64), (64, 16)))
    optimizer = t.optim.SGD([w1, w2], 0.01)

    def run():
        optimizer.zero_grad()
        h = t.relu(a @ (x @ w1))
        loss = t.nn.functional.cross_entropy(a @ (h @ w2), labels)
        loss.backward()
        optimizer.step()
        return loss
    return run


@row
def embedding_step(t):
    """A step of SGD on a sparse gradient of a table of 10^6 rows."""
    if is_scipy(t):
        return None
    table = t.nn.Embedding(int(1e6 * SCALE), 64, sparse=True)
    with t.no_grad():
        table.weight.copy_(dense(t, 64).repeat(10, 1)[:table.num_embeddings])
    at = t.from_numpy(numpy.random.default_rng(0).integers(0, table.num_embeddings, 4096))
    optimizer = t.optim.SGD(table.parameters(), 0.01)

    def run():
        optimizer.zero_grad()
        loss = (table(at) ** 2).sum()
        loss.backward()
        optimizer.step()
        return loss
    return run


def main():
    global SCALE
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json")
    parser.add_argument("--no-memory", action="store_true")
    options = parser.parse_args()
    SCALE = options.scale
    modules, results, wrong = {}, {}, []
    for name in LIBRARIES:
        try:
            modules[name] = importlib.import_module(name)
            if options.threads and hasattr(modules[name], "set_num_threads"):
                modules[name].set_num_threads(options.threads)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    print(f"{'':24}" + "".join(f"{n:>14}" for n in LIBRARIES) + f"{'ratio':>8}{'peak MB':>18}")
    for name, make in ROWS.items():
        if not re.search(options.only, name):
            continue
        usable = {}
        for library, module in modules.items():
            try:
                run = make(module)
                if run is not None:
                    run()
                    usable[library] = module
            except (NotImplementedError, RuntimeError, AttributeError, TypeError) as e:
                print(f"{name}: {library}: {type(e).__name__}: {str(e)[:90]}", file=sys.stderr)
        seconds, numbers = time_row(make, usable, options.rounds, number)
        line = f"{name:24}" + "".join(f"{seconds[n] * 1e3:12.3f}ms" if n in seconds else f"{'':14}" for n in LIBRARIES)
        results[name] = {"seconds": seconds}
        peers = [seconds[n] for n in PEERS if n in seconds]
        if peers and "torch_np" in seconds:
            results[name]["ratio"] = seconds["torch_np"] / min(peers)
            line += f"{results[name]['ratio']:8.2f}"
        if len(numbers) > 1 and max(numbers.values()) - min(numbers.values()) > 1e-3 * max(numbers.values()):
            wrong.append(f"{name}: {numbers}")
        if name.endswith("_step") and not options.no_memory and SCALE == 1:
            results[name]["peak"] = {n: peak_memory(n, name, "sparse") for n in usable}
            line += f"{' / '.join(f'{b / 1e6:.1f}' for b in results[name]['peak'].values()):>18}"
        print(line, flush=True)
    print_mean(results, 66)
    return finish(results, wrong, options)


if __name__ == "__main__":
    sys.exit(main())
