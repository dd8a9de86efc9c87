"""Prints, for CMake, where pip put the libraries: include folders, then the paths of named libraries, `key=value` a line."""
import importlib.metadata
import pathlib
import sys

WANTED = {  # key: (distribution, file in it)
    "MKL_INCLUDE": ("mkl-include", "mkl.h"),
    "MKL_LP64": ("mkl-static", "libmkl_intel_lp64.a"),
    "MKL_THREAD": ("mkl-static", "libmkl_tbb_thread.a"),
    "MKL_CORE": ("mkl-static", "libmkl_core.a"),
    "TBB_INCLUDE": ("tbb-devel", "oneapi/tbb.h"),
    "TBB_LIBRARY": ("tbb", "libtbb.so.12"),
}


def locate(distribution, name):
    """The path of the file `name` (its last parts) of an installed distribution."""
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        sys.exit(f"the PyPI package {distribution!r} is not installed for {sys.executable}")
    for file in files:
        if str(file).endswith("/" + name):
            return pathlib.Path(file.locate()).resolve()
    sys.exit(f"{distribution} has no file {name}")


for key, (distribution, name) in WANTED.items():
    path = locate(distribution, name)
    for _ in range(name.count("/") + 1 if key.endswith("_INCLUDE") else 0):
        path = path.parent
    print(f"{key}={path}")
