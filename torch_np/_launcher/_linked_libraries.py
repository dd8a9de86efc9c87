"""Extension modules that are linked with PyTorch's libraries. They would load PyTorch beside
torch_np, or fail with the name of a library that is missing; the launcher refuses them.
"""
from __future__ import annotations

import os
import re
import struct

_PYTORCHS = re.compile(r"lib(torch(_(python|cpu|cuda\w*|hip|xpu\w*|global_deps|nvshmem))?|c10(_\w+)?|caffe2\w*)\.so")
_DYNAMIC, _NEEDED, _STRINGS, _LOAD = 2, 1, 5, 1


def check(name: str, path: str | None) -> None:
    """Raises ImportError if the extension module `name` in the file `path` is linked with a library
    of PyTorch's.
    """
    if path is None or not os.path.isfile(path):
        return
    theirs = sorted({library for library in needed(path) if _PYTORCHS.match(os.path.basename(library))})
    if theirs:
        raise ImportError(f"{name} is an extension module for PyTorch: it is linked with {', '.join(theirs)}, which torch_np, which stands for "
                          "PyTorch here, does not have; run the program without the launcher, or without this module", name=name, path=path)


def names_pytorchs(text: str) -> bool:
    """Returns whether a message names one of PyTorch's libraries."""
    return _PYTORCHS.search(text) is not None


def needed(path: str) -> list[str]:
    """Returns the libraries that an ELF file is linked with; none for a file of another format."""
    with open(path, "rb") as file:
        ident = file.read(64)
        if ident[:5] != b"\x7fELF\2" or len(ident) < 64:  # 64-bit ELF
            return []
        order = "<" if ident[5] == 1 else ">"
        offset, size, count = struct.unpack_from(f"{order}Q", ident, 32)[0], *struct.unpack_from(f"{order}HH", ident, 54)
        file.seek(offset)
        table = file.read(size * count)
        segments = []
        for at in range(0, size * count, size):
            if at + 56 > len(table):
                return []
            kind, _, begins, address, _, length = struct.unpack_from(f"{order}IIQQQQ", table, at)
            segments.append((kind, begins, address, length))
        entries: list[tuple[int, int]] = []
        for kind, begins, _, length in segments:
            if kind == _DYNAMIC:
                file.seek(begins)
                data = file.read(length)
                entries = [struct.unpack_from(f"{order}qQ", data, at) for at in range(0, len(data) - 15, 16)]
        strings = next((value for tag, value in entries if tag == _STRINGS), None)
        if strings is None:
            return []
        names = []
        for kind, begins, address, length in segments:
            if kind == _LOAD and address <= strings < address + length:
                for tag, value in entries:
                    if tag == _NEEDED:
                        file.seek(begins + strings - address + value)
                        names.append(file.read(4096).partition(b"\0")[0].decode(errors="replace"))
        return names
