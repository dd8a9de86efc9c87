"""Principal components and k-means of data that exceed memory: 20 GB, generated on the fly, in two
processes with 2 GB each.

The data: rows of 64 correlated measurements in ten Gaussian clusters, generated again in each pass.
The first pass sums up the mean and the second moments, whose eigenvectors are the principal
components (Pearson, 1901). The second pass projects all rows to eight numbers. The workers keep
these in memory, or spill them to disk if memory is short. Lloyd's iterations (1957, published 1982)
are passes over the projections. For comparison, the same functions process the rows of the first
chunks in this process, without Dask.

    python examples/out_of_core.py [--gigabytes 20] [--memory 4] [--figure PATH] [--backend numpy]
"""
import argparse
import resource
import time

import dask
import dask.array as da
import numpy
from distributed import Client, LocalCluster, progress, wait

import torch_np.numpy
import torch_np_dask  # noqa: F401  (registers the backend if the package is not installed)

MEASUREMENTS, FACTORS, COMPONENTS, CLUSTERS, WORKERS = 64, 6, 8, 10, 2
BACKENDS = {"torch_np": torch_np.numpy, "numpy": numpy}


# --- the algorithms, for Dask arrays and plain arrays alike

def moments(x):
    """The mean (d) and the second moments about 0 (d, d) of the rows of x (n, d), not divided by n."""
    return x.sum(axis=0), x.T @ x


def components(n, total, squares):
    """The mean, the principal components (d, p) of largest variance, and all variances, of the `moments` of n rows."""
    mean = total / n
    variances, vectors = numpy.linalg.eigh(squares / n - mean[:, None] * mean)
    vectors = vectors[:, ::-1]
    signs = numpy.sign(vectors.sum(axis=0))  # the sign of an eigenvector is arbitrary
    return mean, (vectors * signs)[:, :COMPONENTS], variances[::-1]


def nearest(scores, centers):
    """The index of the nearest of `centers` (k, p) for each row of `scores` (n, p). Terms equal for
    all centers are omitted."""
    return ((centers ** 2).sum(axis=1) - 2 * (scores @ centers.T)).argmin(axis=1)


def cluster_sums(scores, centers):
    """The row count of each center's cluster, and the sum of its rows: (1, k, p + 1), to be added
    over chunks."""
    belongs = (nearest(scores, centers)[:, None] == numpy.arange(len(centers))).astype(scores.dtype)
    return numpy.concatenate([belongs.sum(axis=0)[:, None], belongs.T @ scores], axis=1)[None]


def first_centers(scores, rng):
    """Initial centers by k-means++ (Arthur and Vassilvitskii, 2007): rows sampled by squared
    distance to the previous centers."""
    chosen = scores[:1]
    for _ in range(CLUSTERS - 1):
        distances = ((scores[:, None] - chosen[None]) ** 2).sum(axis=2).min(axis=1)
        chosen = numpy.concatenate([chosen, scores[rng.choice(len(scores), size=1, p=distances / distances.sum())]])
    return chosen


def next_centers(sums, centers):
    """The means of the clusters; a center without rows stays unchanged."""
    counts, totals = sums[:, :1], sums[:, 1:]
    return numpy.where(counts > 0, totals / numpy.maximum(counts, 1), centers)


def iterate(sums_of, centers, iterations):
    """Lloyd's iterations from `centers` until convergence. `sums_of(centers)` returns the clusters'
    sums over all rows."""
    for done in range(1, iterations + 1):
        before, centers = centers, next_centers(sums_of(centers), centers)
        if abs(centers - before).max() < 1e-9:
            break
    return centers, done


# --- the data

def generator(seed=0):
    """A random generator of the backend, for this process."""
    return BACKENDS[dask.config.get("array.backend")].random.default_rng(seed)


def make_data(rows, chunk_rows, seed=0):
    """A Dask array (rows, 64), from NumPy's random streams for the seed, regardless of the
    backend."""
    rng = da.random.default_rng(seed)
    fixed = generator(seed)
    mixing = fixed.standard_normal((FACTORS, MEASUREMENTS))
    prototypes = 4 * fixed.standard_normal((CLUSTERS, MEASUREMENTS))
    scales = fixed.random(MEASUREMENTS)
    labels = rng.integers(0, CLUSTERS, size=rows, chunks=chunk_rows)
    factors = rng.standard_normal((rows, FACTORS), chunks=(chunk_rows, FACTORS))
    noise = rng.standard_normal((rows, MEASUREMENTS), chunks=(chunk_rows, MEASUREMENTS))
    return da.map_blocks(rows_of, labels[:, None], factors, noise, prototypes, mixing, scales, chunks=noise.chunks, dtype=float,
                         meta=noise._meta)


def rows_of(labels, factors, noise, prototypes, mixing, scales):
    return prototypes[labels[:, 0]] + factors @ mixing + scales * noise


# --- the run

def watched(what, *collections):
    """Computes Dask collections and shows a progress bar."""
    print(what, flush=True)
    futures = [c.persist() for c in collections]
    progress(futures, notebook=False)
    print(flush=True)
    return dask.compute(*futures)


def peak_memory():
    """The largest resident size of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def processor_time():
    """The CPU time of this process so far in seconds, over all threads."""
    return time.process_time()


def spilled(dask_worker):
    """The bytes of a worker's chunks that are on disk."""
    return dask_worker.data.spilled_total.disk


def agree(name, found, expected):
    """Prints the difference of two results, and ends the program if it exceeds the effect of
    another summation order."""
    error = float(abs(numpy.asarray(found) - numpy.asarray(expected)).max() / abs(numpy.asarray(expected)).max())
    print(f"  {name}: largest difference {error:.1e} of the largest number")
    if not error < 1e-9:
        raise SystemExit(f"{name}: the workers' result is another")


def check(x, rows, iterations):
    """Compares the results of Dask's workers for the first `rows` of x with those of this process,
    without Dask."""
    sample = x[:rows]
    plain = sample.compute(scheduler="synchronous")
    print(f"the first {rows:,} rows, by the workers and by this process alone:")
    ours = components(rows, *moments(plain))
    theirs = components(rows, *dask.compute(*moments(sample)))
    for name, a, b in zip(("mean", "components", "variances"), theirs, ours):
        agree(name, a, b)
    mean, vectors, _ = ours
    scores = (plain - mean) @ vectors
    starts = first_centers(scores[:1000], generator())
    spread = ((sample - mean) @ vectors).persist()
    for name, a, b in zip(("centers", "iterations"), iterate(lambda c: dask_sums(spread, c).compute(), starts, iterations),
                          iterate(lambda c: cluster_sums(scores, c)[0], starts, iterations)):
        agree(name, a, b)


def dask_sums(scores, centers):
    """`cluster_sums` over all chunks, as a Dask array (k, p + 1)."""
    shape = (1, CLUSTERS, COMPONENTS + 1)
    sums = scores.map_blocks(cluster_sums, centers, new_axis=2, chunks=((1,) * scores.numblocks[0], *shape[1:]), dtype=float,
                             meta=scores._meta[:, :, None])
    return sums.sum(axis=0)


def draw(path, variances, scores, labels, centers, title):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6))
    left.semilogy(numpy.arange(1, len(variances) + 1), variances, "o-", ms=3)
    left.axvspan(0.5, COMPONENTS + 0.5, alpha=0.15)
    left.set(xlabel="principal component", ylabel="variance", title=f"{COMPONENTS} components are kept")
    right.scatter(scores[:, 0], scores[:, 1], c=labels, s=2, cmap="tab10", alpha=0.5)
    right.plot(centers[:, 0], centers[:, 1], "k+", ms=12, mew=2)
    right.set(xlabel="first component", ylabel="second component", title="clusters (a sample of rows)")
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"figure: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=20.0, help="size of the data")
    parser.add_argument("--memory", type=float, default=4.0, help="gigabytes that the workers may use together")
    parser.add_argument("--chunk", type=float, default=64.0, help="megabytes of a chunk")
    parser.add_argument("--iterations", type=int, default=10, help="of k-means, at most")
    parser.add_argument("--backend", choices=BACKENDS, default="torch_np", help="whose arrays the chunks are")
    parser.add_argument("--figure", default="out_of_core.png", help="where to draw; an empty text for nowhere")
    options = parser.parse_args()
    chunk_rows = int(options.chunk * 1e6) // (8 * MEASUREMENTS)
    rows = max(int(options.gigabytes * 1e9) // (8 * MEASUREMENTS), WORKERS * chunk_rows)
    dask.config.set({"array.backend": options.backend})
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, memory_limit=int(options.memory * 1e9 / WORKERS),
                      dashboard_address=None) as cluster, Client(cluster) as client:
        x = make_data(rows, chunk_rows)
        print(f"{rows:,} rows, {x.nbytes / 1e9:.2f} GB in {x.npartitions} chunks of {type(x._meta).__module__}; "
              f"{WORKERS} workers of {options.memory / WORKERS:.2f} GB")
        check(x, min(rows, 2 * chunk_rows), options.iterations)
        before, start = sum(client.run(processor_time).values()), time.perf_counter()
        mean, vectors, variances = components(rows, *watched("mean and second moments", *moments(x)))
        first = time.perf_counter()
        scores = ((x - mean) @ vectors).persist()
        print("projections")
        progress(scores, notebook=False)
        wait(scores)
        print(flush=True)
        second = time.perf_counter()
        starts = first_centers(scores[:1000].compute(), generator())
        centers, iterations = iterate(lambda c: dask_sums(scores, c).compute(), starts, options.iterations)
        end = time.perf_counter()
        print(f"{COMPONENTS} components have {100 * float(variances[:COMPONENTS].sum() / variances.sum()):.1f}% of the variance; "
              f"k-means: {iterations} iterations")
        print(f"moments {first - start:.2f} s, projections {second - first:.2f} s, k-means {end - second:.2f} s, "
              f"together {end - start:.2f} s; processor time of the workers {sum(client.run(processor_time).values()) - before:.2f} s")
        peaks, disks = client.run(peak_memory).values(), client.run(spilled).values()
        print(f"peak memory of the workers: {', '.join(f'{p / 1e9:.2f}' for p in peaks)} GB; on disk at the end: {sum(disks) / 1e9:.2f} GB")
        if options.figure:
            seen = numpy.asarray(scores[:4000].compute())
            draw(options.figure, numpy.asarray(variances), seen, nearest(seen, numpy.asarray(centers)), numpy.asarray(centers),
                 f"{x.nbytes / 1e9:.2f} GB in {options.memory:g} GB of memory: {end - start:.0f} s")


if __name__ == "__main__":
    main()
