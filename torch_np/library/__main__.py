"""Prints the compiler flags and folders for building an operator library: python -m
torch_np.library --cflags.
"""
from __future__ import annotations

import argparse

from torch_np.library._paths import cflags, cmake_dir, include_dir


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m torch_np.library", description="What a library of operators is built with.")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--cflags", action="store_true", help="flags of the compiler, the include directory among them")
    group.add_argument("--include-dir", action="store_true", help="the folder of torch_np/extension.h")
    group.add_argument("--cmake-dir", action="store_true", help="the folder of the CMake package: -Dtorch_np_DIR=...")
    given = parser.parse_args()
    print(cflags() if given.cflags else include_dir() if given.include_dir else cmake_dir())


if __name__ == "__main__":
    main()
