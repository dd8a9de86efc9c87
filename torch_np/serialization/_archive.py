"""Zip archives with uncompressed records aligned to 64 bytes, so that they can be memory-mapped."""
from __future__ import annotations

import io
import mmap
import os
import struct
import zipfile
from pickle import UnpicklingError
from typing import IO, Any, Self

ALIGNMENT = 64
_LOCAL_HEADER = 30
_ZIP64 = 20            # bytes of the extra field for sizes above 4 GB
_LARGE = 1 << 31


class Writer:
    """Writes a new archive, with its records in the folder `name`."""

    def __init__(self, f: str | os.PathLike[str] | IO[bytes], name: str) -> None:
        # An object that is no file of Python's may have no more than write().
        self._target: Any = None if isinstance(f, (str, os.PathLike)) or hasattr(f, "seekable") else f
        self._zip = zipfile.ZipFile(f if self._target is None else io.BytesIO(), "w", zipfile.ZIP_STORED)
        self._name = name

    def write(self, record: str, data: Any) -> None:
        """Adds a record from bytes or another object that supports the buffer protocol."""
        view = memoryview(data).cast("B")
        info = zipfile.ZipInfo(f"{self._name}/{record}")
        large = view.nbytes >= _LARGE
        header = self._zip.start_dir + _LOCAL_HEADER + len(info.filename.encode()) + _ZIP64 * large
        padding = -(header + 4) % ALIGNMENT
        info.extra = struct.pack("<2sH", b"FB", padding) + b"Z" * padding
        info.file_size = view.nbytes
        with self._zip.open(info, "w", force_zip64=large) as record_file:
            record_file.write(view)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        held: Any = self._zip.fp
        self._zip.close()
        if self._target is not None:
            self._target.write(held.getvalue())


class _File:
    """A file of a class with no more than read, seek and tell, as zipfile wants it."""

    def __init__(self, f: Any) -> None:
        self.seek, self.tell, self._read, self._read_into = f.seek, f.tell, f.read, getattr(f, "readinto", None)

    def seekable(self) -> bool:
        """Whether the position can be changed: always."""
        return True

    def read(self, n: int = -1) -> bytes:
        """At most n bytes."""
        if self._read_into is None or n < 0:
            return self._read(n)
        into = bytearray(n)
        return bytes(into[:self._read_into(into)])


class Reader:
    """Reads an archive written by PyTorch or by Writer. A damaged archive raises UnpicklingError.
    With `mapped`, records can be views of the file; with `shared`, changes are written to it.
    """

    def __init__(self, f: str | os.PathLike[str] | IO[bytes], mapped: bool = False, shared: bool = False) -> None:
        self._mapped: Any = None
        try:
            self._zip = zipfile.ZipFile(f if isinstance(f, (str, os.PathLike)) or hasattr(f, "seekable") else _File(f))
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, EOFError, UnicodeDecodeError) as error:
            raise UnpicklingError(f"the file is damaged, or was not written by torch_np.save or by PyTorch 1.6 or later: {error}") \
                from error
        self._infos = {info.filename: info for info in self._zip.infolist()}
        pickles = [name for name in self._infos if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(pickles) != 1:
            self._zip.close()
            raise UnpicklingError(f"the archive has {len(pickles)} records data.pkl in place of one")
        self._folder = pickles[0].removesuffix("data.pkl")
        if mapped:
            with open(f, "r+b" if shared else "rb") as file:  # type: ignore[arg-type]
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)

    def has(self, record: str) -> bool:
        """Whether the archive has the record."""
        return self._folder + record in self._infos

    def size(self, record: str) -> int:
        """The size of a record in bytes."""
        info = self._infos.get(self._folder + record)
        if info is None:
            raise UnpicklingError(f"the archive has no record {record!r}")
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size or info.flag_bits & 1:
            raise UnpicklingError(f"the record {record!r} is compressed or encrypted")
        end = self._zip.start_dir  # start of the central directory, after all records
        if info.file_size > end:
            raise UnpicklingError(f"the record {record!r} is said to have {info.file_size} bytes, more than the file")
        return info.file_size

    def read(self, record: str) -> bytes:
        """The bytes of a record, verified by their checksum."""
        into = bytearray(self.size(record))
        self.read_into(record, memoryview(into))
        return bytes(into)

    def read_into(self, record: str, view: memoryview) -> None:
        """Copies a record into a buffer."""
        try:
            with self._zip.open(self._infos[self._folder + record]) as file:
                at = 0
                while piece := file.read(1 << 24):
                    view[at:at + len(piece)] = piece
                    at += len(piece)
        except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, EOFError, OSError, UnicodeDecodeError) as error:
            raise UnpicklingError(f"the record {record!r} is damaged: {error}") from error
        if at != view.nbytes:
            raise UnpicklingError(f"the record {record!r} has {at} bytes in place of {view.nbytes}")

    def mapped(self, record: str) -> memoryview | None:
        """The bytes of a record in the memory-mapped file; None if the file is not mapped."""
        if self._mapped is None:
            return None
        size, at = self.size(record), self._infos[self._folder + record].header_offset
        header = self._mapped[at:at + _LOCAL_HEADER]
        if len(header) < _LOCAL_HEADER or header[:4] != b"PK\3\4":
            raise UnpicklingError(f"the record {record!r} is damaged")
        begin = at + _LOCAL_HEADER + sum(struct.unpack_from("<HH", header, 26))
        if begin + size > len(self._mapped):
            raise UnpicklingError(f"the record {record!r} reaches beyond the file")
        return memoryview(self._mapped)[begin:begin + size]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._zip.close()
