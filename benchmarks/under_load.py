"""Measures the gain from threads on a loaded machine: an n-body step beside busy processes, with
one thread and with all.

    python benchmarks/under_load.py [--bodies 500] [--seconds 3]

Prints a table for 0, 1, 2, 4 and 8 independent busy processes: the median time of a step on one
thread, on all threads, and the latter divided by the former. This ratio stays below 1.3 if threads
do not wait for each other to be scheduled.
"""
import argparse
import statistics
import subprocess
import sys
import time

import torch_np
import torch_np.numpy as np

BUSY = (0, 1, 2, 4, 8)


def step(position, mass):
    d = position[:, None, :] - position[None, :, :]
    r2 = (d * d).sum(-1) + 0.01
    return (d * (mass[None, :, None] * r2[:, :, None] ** -1.5)).sum(1)


def median_seconds(call, seconds):
    call()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=3, help="of each cell of the table")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    position, mass = rng.normal(size=(options.bodies, 3)), rng.random(options.bodies)
    threads = torch_np.get_num_threads()
    print(f"{options.bodies} bodies, {threads} threads\n{'busy':>5} {'one thread':>12} {'all':>12} {'all / one':>10}")
    for count in BUSY:
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
        try:
            row = []
            for n in (1, threads):
                torch_np.set_num_threads(n)
                row.append(median_seconds(lambda: step(position, mass), options.seconds))
        finally:
            for process in busy:
                process.kill()
        print(f"{count:5d} {row[0] * 1e3:9.2f} ms {row[1] * 1e3:9.2f} ms {row[1] / row[0]:10.2f}", flush=True)


if __name__ == "__main__":
    main()
