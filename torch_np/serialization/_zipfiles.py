"""PyTorch's private helpers of archives, `torch.serialization._open_zipfile_reader` and others, which
packages and its tests import."""
from __future__ import annotations

import contextlib
import os
import struct
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from torch_np.serialization._archive import Writer


def _is_zipfile(f: IO[bytes]) -> bool:
    """Whether an archive begins at the file's position. The position stays."""
    at = f.tell()
    start = f.read(4)
    f.seek(at)
    return start == b"PK\3\4"


def _open_file_like(name_or_buffer: Any, mode: str) -> Any:
    """A context manager of a path's file, or of a file that is open."""
    if isinstance(name_or_buffer, (str, os.PathLike)):
        return open(name_or_buffer, mode)
    return contextlib.nullcontext(name_or_buffer)


class _RecordWriter:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def write_record(self, name: str, data: Any, size: int) -> None:
        """Adds the first `size` bytes as a record."""
        self._writer.write(name, (data.encode() if isinstance(data, str) else memoryview(data).cast("B"))[:size])

    def write_record_metadata(self, name: str, size: int) -> None:
        """Adds a record of zeros."""
        self._writer.write(name, bytes(size))


class _RecordReader:
    def __init__(self, file: IO[bytes], archive: zipfile.ZipFile) -> None:
        self._file = file
        self._records = {info.filename.partition("/")[2]: info for info in archive.infolist()}
        self._archive = archive

    def get_all_records(self) -> list[str]:
        """The names of all records."""
        return list(self._records)

    def has_record(self, name: str) -> bool:
        """Whether there is such a record."""
        return name in self._records

    def get_record(self, name: str) -> bytes:
        """The bytes of a record."""
        return self._archive.read(self._records[name])

    def get_record_offset(self, name: str) -> int:
        """Where the bytes of a record begin in the file."""
        at = self._records[name].header_offset
        self._file.seek(at)
        return at + 30 + sum(struct.unpack_from("<HH", self._file.read(30), 26))


@contextlib.contextmanager
def _open_zipfile_writer(name_or_buffer: Any) -> Iterator[_RecordWriter]:
    """A context manager of a new archive."""
    is_path = isinstance(name_or_buffer, (str, os.PathLike))
    with Writer(name_or_buffer, os.path.splitext(os.path.basename(name_or_buffer))[0] if is_path else "archive") as writer:
        yield _RecordWriter(writer)


@contextlib.contextmanager
def _open_zipfile_reader(name_or_buffer: Any) -> Iterator[_RecordReader]:
    """A context manager of an archive's records."""
    with _open_file_like(name_or_buffer, "rb") as file, zipfile.ZipFile(file) as archive:
        yield _RecordReader(file, archive)
