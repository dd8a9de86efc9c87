"""Where the compiler finds the header of operator libraries."""
from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def include_dir() -> str:
    """The folder to give the compiler (`-I`), in which `torch_np/extension.h` is."""
    return os.path.join(_PACKAGE, "include")


def cmake_dir() -> str:
    """The folder of the CMake package, for `find_package(torch_np)`: -Dtorch_np_DIR=..."""
    return os.path.join(_PACKAGE, "share", "cmake", "torch_np")


def cflags() -> str:
    """The flags that a library of operators is compiled with: c++ $(python -m torch_np.library --cflags) mine.cc -o libmine.so"""
    return f"-std=c++17 -O2 -fPIC -shared -fvisibility=hidden -I{include_dir()}"
