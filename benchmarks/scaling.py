"""Estimates the efficiency of data-parallel training on many nodes from the output of
benchmarks/processes.py: the tables of docs/scaling.md, which cites the sources of the formulas.

    python benchmarks/scaling.py figures.json
"""
import argparse
import json
import math

NETWORKS = {"25 Gbit/s Ethernet, TCP": (30e-6, 2.9e9), "200 Gbit/s InfiniBand": (2e-6, 23e9)}  # seconds per message, bytes per second
NODES = (8, 64, 1024)
BUCKET, FIRST = 25 << 20, 1 << 20


def ring(p, size, latency, bandwidth, addition):
    """Reduce-scatter and all-gather around a ring: 2 (p - 1) messages of size / p."""
    return 2 * (p - 1) * (latency + size / p / bandwidth) + (p - 1) / p * size * addition


def halving(p, size, latency, bandwidth, addition):
    """Rabenseifner's algorithm: reduce-scatter by recursive halving, all-gather by doubling: 2 log2
    p messages."""
    return 2 * math.ceil(math.log2(p)) * latency + (p - 1) / p * size * (2 / bandwidth + addition)


def doubling(p, size, latency, bandwidth, addition):
    """Recursive doubling: log2 p messages of the whole size."""
    return math.ceil(math.log2(p)) * (latency + size * (1 / bandwidth + addition))


def all_reduce(p, size, network, addition):
    """The fastest of the algorithms from which MPICH and Open MPI choose, and its name."""
    return min((f(p, size, *network, addition), f.__name__) for f in (ring, halving, doubling))


def buckets_of(size):
    """Bytes of each bucket of DistributedDataParallel, as if parameters could be split anywhere."""
    sizes = [min(size, FIRST)]
    while sum(sizes) < size:
        sizes.append(min(BUCKET, size - sum(sizes)))
    return sizes


def efficiency(times, p, network, addition, speed, hidden):
    """The time of a step on one node divided by that on p nodes with equally many rows each, and
    the exchange time. `speed`: a node's speed relative to the measured machine; `hidden`: whether
    all-reduces overlap the part of backward after the first full bucket."""
    size = 4 * times["parameters"]
    compute = (times["forward"] + times["backward"] + times["optimizer"]) / speed
    sizes = buckets_of(size)
    exchange = sum(all_reduce(p, s, network, addition / speed)[0] for s in sizes)
    beside = times["backward"] / speed * (1 - sizes[0] / size) if hidden else 0.0
    return compute / (compute + max(exchange - beside, 0.0, all_reduce(p, sizes[-1], network, addition / speed)[0] if hidden else 0.0)), exchange


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures")
    options = parser.parse_args()
    with open(options.figures) as file:
        figures = json.load(file)
    addition = 3 / figures["memory"]  # seconds per byte: two are read and one is written
    for name in ("digits", "ten million"):
        print(f"\n{name}: {4 * figures[name]['parameters'] / 1e6:.2f} MB of gradients in {len(buckets_of(4 * figures[name]['parameters']))} buckets\n")
        print("| nodes | network | node | all-reduce, ms | by | efficiency, nothing hidden | hidden behind backward |\n|---|---|---|---|---|---|---|")
        for p in NODES:
            for network, values in NETWORKS.items():
                for speed in (1, 32):
                    plain, exchange = efficiency(figures[name], p, values, addition, speed, False)
                    by = all_reduce(p, buckets_of(4 * figures[name]["parameters"])[-1], values, addition / speed)[1]
                    beside = efficiency(figures[name], p, values, addition, speed, True)[0]
                    print(f"| {p:,} | {network} | {speed}x | {exchange * 1e3:.2f} | {by} | {plain:.0%} | {beside:.0%} |")


if __name__ == "__main__":
    main()
