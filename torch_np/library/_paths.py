"""Paths and compiler flags for building operator libraries."""
from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def include_dir() -> str:
    """Returns the include folder for the compiler (`-I`), which contains `torch_np/extension.h`."""
    return os.path.join(_PACKAGE, "include")


def cmake_dir() -> str:
    """Returns the folder of the CMake package, for `find_package(torch_np)`: -Dtorch_np_DIR=..."""
    return os.path.join(_PACKAGE, "share", "cmake", "torch_np")


def cflags() -> str:
    """Returns the compiler flags for a library of operators: c++ $(python -m torch_np.library
    --cflags) mine.cc -o libmine.so.
    """
    return f"-std=c++17 -O2 -fPIC -shared -fvisibility=hidden -I{include_dir()}"
