"""Runs whole programs with NumPy and with torch_np.numpy. Only the import line differs; in the
manner of NPBench.

    python benchmarks/programs.py [--only REGEX] [--seconds 2] [--json OUT]     # those of program_sources.py
    python benchmarks/programs.py --npbench ~/npbench [--preset S]              # all of a checkout of github.com/spcl/npbench
    python benchmarks/programs.py --only spmv --lines                           # the lines that cause the difference

Calls alternate, each on fresh copies of the inputs, and the minimum time counts. The results must
agree.
"""
import argparse
import importlib
import json
import math
import os
import re
import sys
import time
import types
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from idle_threads import wait_for_idle_threads  # noqa: E402
from tools import processor  # noqa: E402

NUMPY, OURS = "numpy", "torch_np.numpy"
IMPORT = re.compile(r"^import numpy as np$", re.M)


@dataclass
class Program:
    """`function` of the program at `path`, called with `inputs`."""

    name: str
    path: Path
    function: str
    inputs: list

    def load(self, library):
        """The function, with `library` in place of NumPy."""
        text, found = IMPORT.subn(f"import {library} as np", self.path.read_text())
        if not found:
            raise ValueError(f"{self.path}: no line `import numpy as np`")
        module = types.ModuleType(f"{self.path.stem} with {library}")
        exec(compile(text, f"{self.path} with {library}", "exec"), module.__dict__)
        return getattr(module, self.function)

    def copies(self, library):
        array = importlib.import_module(library).array
        return [array(x) if isinstance(x, numpy.ndarray) else x for x in self.inputs]


def own_programs():
    import program_sources
    for name, make in program_sources.PROGRAMS.items():
        yield lambda name=name, make=make: Program(name, Path(program_sources.__file__), name, make(numpy.random.default_rng(0)))


def programs_of_npbench(checkout, preset):
    """One program for each file of bench_info/. The checkout's own code makes the inputs, with its
    NumPy."""
    def program(path):
        info = json.loads(path.read_text())["benchmark"]
        folder, module = checkout / "npbench/benchmarks" / info["relative_path"], info["module_name"]
        values = dict(info["parameters"][preset])
        if info.get("init"):
            made = types.ModuleType(module)
            sys.modules[module] = made
            exec((folder / f"{module}.py").read_text(), made.__dict__)
            results = getattr(made, info["init"]["func_name"])(*(values[k] for k in info["init"]["input_args"]))
            names = info["init"]["output_args"]
            values |= dict(zip(names, results if len(names) > 1 or isinstance(results, tuple) else [results]))
        return Program(path.stem, folder / f"{module}_numpy.py", info["func_name"], [values[k] for k in info["input_args"]])

    sys.path.insert(0, str(checkout))
    for path in sorted((checkout / "bench_info").glob("*.json")):
        yield lambda path=path: program(path)


def flat(result):
    """The arrays and numbers in a result, flattened; for a program's return value or its modified
    arguments."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in flat(part)]
    return [] if result is None else [numpy.asarray(result)]


def agree(theirs, ours):
    """Integers must agree exactly, floats to half of the digits of the largest number: orbits and
    recursions amplify rounding."""
    theirs, ours = flat(theirs), flat(ours)
    if [(x.shape, x.dtype) for x in theirs] != [(x.shape, x.dtype) for x in ours]:
        return False
    for t, o in zip(theirs, ours):
        if t.dtype.kind not in "fc":
            if not numpy.array_equal(t, o):
                return False
            continue
        bound, finite = numpy.sqrt(numpy.finfo(t.dtype).eps), t[numpy.isfinite(t)]
        if not numpy.allclose(o, t, rtol=bound, atol=bound * (abs(finite).max() if finite.size else 0), equal_nan=True):
            return False
    return True


def compare(program, seconds):
    """The minimum seconds of a call with either library, and whether the results agree."""
    functions = {library: program.load(library) for library in (NUMPY, OURS)}
    outcome, least, spent, rounds = {}, dict.fromkeys(functions, math.inf), 0.0, 0
    while (spent < seconds and rounds < 40) or rounds < 3:
        for library, function in functions.items():
            arguments = program.copies(library)
            wait_for_idle_threads()
            start = time.perf_counter()
            returned = function(*arguments)
            took = time.perf_counter() - start
            least[library] = min(least[library], took)
            spent += took
            outcome.setdefault(library, [returned, arguments])
        rounds += 1
    return least, agree(outcome[NUMPY], outcome[OURS])


def time_lines(program, library):
    """Line number to (seconds, count) over one call, for all functions of the program; tracing
    slows both libraries equally."""
    function, taken = program.load(library), {}
    name = f"{program.path} with {library}"
    last = [None, 0.0]

    def note(line):
        now = time.perf_counter()
        if last[0] is not None:
            seconds, times = taken.get(last[0], (0.0, 0))
            taken[last[0]] = seconds + now - last[1], times + 1
        last[:] = line, time.perf_counter()

    def trace(frame, event, _):
        if frame.f_code.co_filename != name:
            return None
        if event in ("line", "return"):
            note(frame.f_lineno if event == "line" else frame.f_back and frame.f_back.f_lineno)
        return trace

    arguments = program.copies(library)
    function(*program.copies(library))
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(None)
    return taken


def print_lines(program, most=8):
    """Prints the lines that take more time with ours than with NumPy, by decreasing difference."""
    theirs, ours = time_lines(program, NUMPY), time_lines(program, OURS)
    text = program.path.read_text().splitlines()
    difference = {line: ours[line][0] - theirs.get(line, (0.0,))[0] for line in ours}
    for line in sorted(difference, key=difference.get, reverse=True)[:most]:
        if difference[line] > 0 and line <= len(text):
            times = ours[line][1]
            print(f"    {difference[line] * 1e3:8.2f} ms more in {times} times, {theirs.get(line, (0.0,))[0] / times * 1e6:.2f} to "
                  f"{ours[line][0] / times * 1e6:.2f} us: {text[line - 1].strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--npbench", type=Path, help="a checkout of NPBench")
    parser.add_argument("--preset", default="S", help="of its sizes")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each program")
    parser.add_argument("--lines", action="store_true", help="and the lines of the programs where ours takes longer")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"{processor.line(processor.describe())}; load average {os.getloadavg()[0]:.1f}")
    print(f"{'program':32s}{'NumPy, ms':>12s}{'ours, ms':>12s}{'ours/NumPy':>12s}")
    rows, wrong = {}, []
    for make in programs_of_npbench(options.npbench, options.preset) if options.npbench else own_programs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = make()
            if not re.search(options.only, program.name):
                continue
            least, same = compare(program, options.seconds)
            rows[program.name] = least
            wrong += [] if same else [program.name]
            print(f"{program.name:32s}{least[NUMPY] * 1e3:12.3f}{least[OURS] * 1e3:12.3f}{least[OURS] / least[NUMPY]:12.2f}"
                  + ("" if same else "   OTHER RESULTS"), flush=True)
            if options.lines:
                print_lines(program)
    ratios = {name: least[OURS] / least[NUMPY] for name, least in rows.items()}
    if ratios:
        slower = {name: ratio for name, ratio in ratios.items() if ratio > 1}
        print(f"geometric mean {math.exp(sum(map(math.log, ratios.values())) / len(ratios)):.2f} of {len(ratios)}; "
              f"slower than NumPy: {', '.join(f'{n} {r:.2f}' for n, r in sorted(slower.items(), key=lambda x: -x[1])) or 'none'}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    sys.exit(f"other results than NumPy's: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
