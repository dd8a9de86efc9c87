"""Layers and training steps compared with PyTorch's eager mode, interleaved in one run; and the
peak memory of training steps.

    python benchmarks/nn.py [--only REGEX] [--rounds 9] [--json OUT] [--no-memory]

Each row runs alternately on both libraries, after all spinning threads have stopped, and the
minimum time per call is kept. Peak memory is measured in a separate process for each library and
row: the growth of its resident set from the first step on. Without PyTorch, its columns stay empty.
Exit status 1 if results differ.
"""
import argparse
import importlib
import json
import math
import re
import subprocess
import sys
import time

from idle_threads import wait_for_idle_threads
from nn_workloads import ROWS

LIBRARIES = "torch", "torch_np"
SECONDS = 0.15  # approximate duration of one measurement


def installed():
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    return found


def number_of(result):
    """A number that summarises a result, for the comparison."""
    if result is None:
        return 0.0
    result = result[0] if isinstance(result, tuple) else result
    return float(result.detach().double().abs().mean())


def time_row(make, modules, rounds, number_of=number_of):
    """Seconds per call of each library, and its result's number after the same count of calls."""
    runs, numbers, best, calls = {}, {}, {}, {}
    for name, module in modules.items():
        runs[name] = make(module)
        numbers[name] = number_of(runs[name]())
        begin = time.perf_counter()
        runs[name]()
        calls[name] = max(1, min(1000, int(SECONDS / (time.perf_counter() - begin))))
    for _ in range(rounds):
        for name, run in runs.items():
            wait_for_idle_threads()
            run()
            begin = time.perf_counter()
            for _ in range(calls[name]):
                run()
            best[name] = min(best.get(name, math.inf), (time.perf_counter() - begin) / calls[name])
    return best, numbers


MEMORY = """
import importlib, sys
sys.path.insert(0, sys.argv[3])
ROWS = importlib.import_module(sys.argv[4]).ROWS
def resident(at):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(at))
step = ROWS[sys.argv[2]](importlib.import_module(sys.argv[1]))
open("/proc/self/clear_refs", "w").write("5")  # the peak so far, which imports make, is forgotten
before = resident("VmRSS")
for _ in range(3):
    step()
print(resident("VmHWM") - before)
"""


def peak_memory(library, name, workloads="nn_workloads"):
    """Bytes that three steps of a row of `workloads` add to the peak resident set, in a separate
    process."""
    done = subprocess.run([sys.executable, "-c", MEMORY, library, name, sys.path[0], workloads], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return int(done.stdout)


def print_mean(results, column):
    """Prints the geometric mean of the ratios, in the column where they end."""
    ratios = [r["ratio"] for r in results.values() if "ratio" in r]
    if ratios:
        print(f"{'geometric mean':{column}}{math.exp(sum(map(math.log, ratios)) / len(ratios)):8.2f}")


def finish(results, wrong, options):
    """Writes the rows to --json and prints those whose results differ; returns the exit status."""
    if options.json:
        with open(options.json, "w") as f:
            json.dump(results, f, indent=1)
    for text in wrong:
        print(f"results differ: {text}")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    parser.add_argument("--no-memory", action="store_true")
    options = parser.parse_args()
    modules, results, wrong = installed(), {}, []
    print(f"{'':34}{'torch':>12}{'torch_np':>12}{'ratio':>8}{'peak MB':>18}")
    for name, make in ROWS.items():
        if not re.search(options.only, name):
            continue
        try:
            seconds, numbers = time_row(make, modules, options.rounds)
        except (NotImplementedError, AttributeError, TypeError) as e:
            print(f"{name:34} not there: {type(e).__name__}: {e}")
            continue
        line = f"{name:34}" + "".join(f"{seconds[n] * 1e6:11.1f}u" if n in seconds else f"{'':12}" for n in LIBRARIES)
        results[name] = {"seconds": seconds}
        if len(seconds) == 2:
            results[name]["ratio"] = seconds["torch_np"] / seconds["torch"]
            line += f"{results[name]['ratio']:8.2f}"
            if not math.isclose(*numbers.values(), rel_tol=1e-3, abs_tol=1e-6):
                wrong.append(f"{name}: {numbers}")
        if name.endswith("_step") and name != "adam_step" and not options.no_memory:
            results[name]["peak"] = {n: peak_memory(n, name) for n in modules}
            line += f"{' / '.join(f'{b / 1e6:.1f}' for b in results[name]['peak'].values()):>18}"
        print(line, flush=True)
    print_mean(results, 58)
    return finish(results, wrong, options)


if __name__ == "__main__":
    sys.exit(main())
