"""The engine's share of the static thread-local memory for libraries that are loaded at run time:
Note [Thread-local memory] in aten/core/threads/thread_object.h."""
from __future__ import annotations

import pathlib
import struct
import sys

import pytest

import torch_np
from torch_np import _C

pytestmark = [pytest.mark.same_on_devices("reads the libraries"), pytest.mark.same_when_pending("reads the libraries")]

FOLDER = pathlib.Path(torch_np.__file__).parent
PT_DYNAMIC, PT_TLS, DT_NULL, DT_FLAGS, DF_STATIC_TLS, SHT_DYNSYM, STT_TLS = 2, 7, 0, 30, 0x10, 11, 6


def static_bytes(path: pathlib.Path) -> int:
    """Bytes of a library's thread-local variables that must lie in static memory (ELF, 64 bits, little-endian)."""
    data = path.read_bytes()
    (program_headers,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    of_threads, is_static = 0, False
    for i in range(count):
        kind, _, offset, _, _, in_file, in_memory, alignment = struct.unpack_from("<IIQQQQQQ", data, program_headers + i * size)
        if kind == PT_TLS:
            of_threads = -(-in_memory // alignment) * alignment
        if kind == PT_DYNAMIC:
            entries = dict(struct.iter_unpack("<qQ", data[offset:offset + in_file]))
            is_static = bool(entries.get(DT_FLAGS, 0) & DF_STATIC_TLS)
    return of_threads if is_static else 0


def foreign_variables(path: pathlib.Path) -> list[str]:
    """Thread-local variables that a library imports from another one."""
    data = path.read_bytes()
    (headers,) = struct.unpack_from("<Q", data, 40)
    size, count, _ = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, headers + i * size) for i in range(count)]
    found = []
    for _, kind, _, _, offset, length, link, _, _, _ in sections:
        if kind != SHT_DYNSYM:
            continue
        names = sections[link][4]
        for name, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", data[offset:offset + length]):
            if info & 15 == STT_TLS and section == 0:
                found.append(data[names + name:data.index(b"\0", names + name)].decode())
    return found


@pytest.mark.skipif(sys.platform != "linux" or struct.calcsize("P") != 8 or sys.byteorder != "little", reason="reads such ELF files")
def test_thread_local_memory_is_small():
    libraries = [FOLDER / "libtorch_np.so", pathlib.Path(_C.__file__)]
    has_mkl = b"Math Kernel Library" in libraries[0].read_bytes()
    assert sum(map(static_bytes, libraries)) <= 320 + (32 if has_mkl else 48)  # ducc has slightly more than oneMKL
    assert static_bytes(libraries[0]) > 0  # proves that the bytes were read
    for path in FOLDER.glob("libtorch_np_cuda*.so"):
        assert static_bytes(path) == 0
    assert foreign_variables(libraries[0]) == []
    assert all(v.startswith("_ZN3tnp") for v in foreign_variables(libraries[1]))
    assert foreign_variables(libraries[1])
