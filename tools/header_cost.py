"""Checks the size of headers after the preprocessor, which every source that includes them pays for; part of `make lint`.

    python -m tools.header_cost

It counts the lines of aten/core/tensor.h, and of the median of every 16th source of aten/. The standard library is most of both: of the
45,700 lines of tensor.h <memory> has 35,500 (GCC 12, C++20), for std::unique_ptr and std::shared_ptr.
"""
from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_LINES = {"aten/core/tensor.h": 50_000, "median source": 60_000}


def lines(path: str) -> int:
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-march=x86-64-v2", "-I.", "-Ibuild/dev/generated", "-isystem", ".venv/include",
               "-DMKL_ILP64", "-E", "-P", "-w", "-x", "c++", path]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.count("\n")


def main() -> int:
    sources = subprocess.run(["git", "ls-files", "aten/*.cpp"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    chosen = [s for s in sources if not s.startswith(("aten/cuda", "aten/kernels"))][::16]
    found = {"aten/core/tensor.h": lines("aten/core/tensor.h"), "median source": int(statistics.median(map(lines, chosen)))}
    for name, count in found.items():
        print(f"{name}: {count:,} lines after the preprocessor (at most {MOST_LINES[name]:,})")
    return any(count > MOST_LINES[name] for name, count in found.items())


if __name__ == "__main__":
    sys.exit(main())
