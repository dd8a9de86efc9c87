"""Instructions per call, counted by callgrind. Other load on the machine does not affect them.

    python benchmarks/instructions.py [--native DIR] [--update]

Prints a table beside the counts stored in benchmarks/instructions.txt, and exits with 1 if
* a call takes over 10 % more than stored (--update stores the new counts instead);
* t.sum() or sum(t, dim=0) of the torch face takes more than in DIR, a build without the bindings of NumPy's face: that face
  must not slow down the other;
* np.sum(a, axis=0) takes over 15 % more than torch_np.sum(t, dim=0): names are translated at build time.

Each statement runs kRepeats times between two calls of getppid(), at which callgrind dumps its
counters. The cost of an empty loop is subtracted. Counts depend on the interpreter, the compiler
and the C library's functions for the processor, so store new ones (--update) after changing these.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "instructions.txt"
REPEATS = 2000

CALLS = {  # name: statement over a, b (4 float32), m (4 x 4), t, u, n (the same as Tensors)
    "a + b": "a + b",
    "np.add(a, b)": "np.add(a, b)",
    "a * 2.0": "a * 2.0",
    "a < b": "a < b",
    "np.exp(a)": "np.exp(a)",
    "a.__iadd__(b)": "a.__iadd__(b)",
    "m.sum()": "m.sum()",
    "np.sum(m, axis=0)": "np.sum(m, axis=0)",
    "m[1, 2]": "m[1, 2]",
    "m[1:3, ::2]": "m[1:3, ::2]",
    "m.reshape(2, 8)": "m.reshape(2, 8)",
    "m.T": "m.T",
    "m.shape": "m.shape",
    "np.zeros((4, 4))": "np.zeros((4, 4))",
    "m @ m": "m @ m",
    "t + u": "t + u",
    "n.dim()": "n.dim()",
    "n.sum()": "n.sum()",
    "torch_np.sum(n, dim=0)": "torch_np.sum(n, dim=0)",
}

PACKAGE = """
import os, torch_np, torch_np.numpy as np
a = np.ones(4, dtype="f4"); b = np.ones(4, dtype="f4"); m = np.ones((4, 4), dtype="f4")
t, u, n = a._torch(), b._torch(), m._torch()
"""
# The bare extension, without the Python package: the statements only need sum.
EXTENSION = """
import os, sys, importlib.util
spec = importlib.util.spec_from_file_location("_C", {path!r})
_C = importlib.util.module_from_spec(spec); spec.loader.exec_module(_C)
torch_np = _C._torch
n = torch_np.ones((4, 4))
"""
LOOP = """
def _{i}():
    for _ in range({repeats}):
        {statement}
_{i}(); os.getppid(); _{i}(); os.getppid()
"""


def count(setup, statements):
    """Instructions per execution of each statement."""
    program = setup + "".join(LOOP.format(i=i, repeats=REPEATS, statement=s) for i, s in enumerate(["pass", *statements]))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "calls.py"
        script.write_text(program)
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--dump-before=getppid", sys.executable, str(script)],
            env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"callgrind failed:\n{done.stderr[-3000:]}")
        dumps = sorted(Path(folder).glob("out.*"), key=lambda p: int(p.suffix[1:]))
        totals = [int(re.search(r"^(?:totals|summary): (\d+)", p.read_text(), re.M)[1]) for p in dumps]
    # Dump 2k contains the warm-up of statement k and all before it, dump 2k + 1 the measured run.
    measured = totals[1::2][:len(statements) + 1]
    empty, *rest = measured
    return [(n - empty) / REPEATS for n in rest]


def read_kept():
    if not KEPT.exists():
        return {}
    rows = (line.rsplit(None, 1) for line in KEPT.read_text().splitlines() if line and not line.startswith("#"))
    return {name.strip(): float(n) for name, n in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--native", help="folder of the extension without NumPy's face")
    parser.add_argument("--update", action="store_true", help="keep the new counts")
    options = parser.parse_args()
    counts = dict(zip(CALLS, count(PACKAGE, list(CALLS.values())), strict=True))
    kept, failures = read_kept(), []
    print(f"{'call':28s}{'instructions':>14s}{'kept':>10s}")
    for name, n in counts.items():
        before = kept.get(name)
        print(f"{name:28s}{n:14.0f}" + (f"{before:10.0f}" if before else ""))
        if before and n > 1.02 * before and not options.update:
            failures.append(f"{name}: {n:.0f} instructions, {before:.0f} were kept")
    if options.update:
        KEPT.write_text("# Instructions per call; see instructions.py. CPython 3.11, g++ 12.\n" +
                        "".join(f"{name:28s}{n:10.0f}\n" for name, n in counts.items()))
    compat, native = counts["np.sum(m, axis=0)"], counts["torch_np.sum(n, dim=0)"]
    print(f"\nnp.sum(m, axis=0) takes {compat / native:.3f} of torch_np.sum(n, dim=0)")
    if compat > 1.15 * native:
        failures.append(f"np.sum(m, axis=0) takes {compat:.0f} instructions, torch_np.sum(n, dim=0) {native:.0f}")
    if options.native:
        statements = ["n.sum()", "torch_np.sum(n, dim=0)"]
        with_numpy, without = (count(EXTENSION.format(path=str(path)), statements) for path in
                               (next((ROOT / "torch_np").glob("_C.*.so")), next(Path(options.native).resolve().glob("_C*.so"))))
        for name, n, alone in zip(statements, with_numpy, without, strict=True):
            print(f"{name:28s}{n:10.1f} with NumPy's face in the build, {alone:10.1f} without")
            if n > alone * 1.005:
                failures.append(f"{name}: {n:.1f} instructions, {alone:.1f} without NumPy's face")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
