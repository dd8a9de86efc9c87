"""Packages whose compiled code uses NumPy's C interface, which has no place for other arrays."""
from __future__ import annotations

import mmap
import os
from importlib.machinery import EXTENSION_SUFFIXES

# import_array() of NumPy's header imports one of these modules; both names are in the file.
_MARKS = (b"numpy.core._multiarray_umath", b"numpy._core._multiarray_umath", b"_ARRAY_API")
_SKIPPED = frozenset(("tests", "test", "__pycache__", "node_modules"))


def is_in(folder: str) -> bool:
    """Whether an extension module in the folder, or below it, uses NumPy's C interface."""
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        if any(name.endswith(suffix) and uses(os.path.join(where, name)) for name in files for suffix in EXTENSION_SUFFIXES):
            return True
    return False


def uses(path: str) -> bool:
    """Whether the extension module in the file uses NumPy's C interface."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return any(data.find(mark) >= 0 for mark in _MARKS)
    except (OSError, ValueError):  # a file that cannot be read, or an empty one
        return False
