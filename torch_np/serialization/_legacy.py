"""Reads a storage that PyTorch pickled in its first file format: three pickles of a header, the
pickle of the object, the pickle of the storages' keys, and the bytes of the storages.
"""
from __future__ import annotations

import io
import pickletools
import struct
from pickle import UnpicklingError
from typing import Any

import torch_np
from torch_np import _C
from torch_np._torch.storage import TypedStorage, UntypedStorage
from torch_np.serialization import locate
from torch_np.serialization._globals import Loader
from torch_np.serialization._unpickler import Unpickler

_MAGIC, _VERSION = 0x1950a86a20f9469cfc6c, 1001


class _NoArchive:
    def has(self, record: str) -> bool:
        """Whether the archive has the record. It has none."""
        return False


class _StorageLoader(Loader):
    """Finds the types of storages, and makes storages whose bytes come later in the file."""

    def __init__(self) -> None:
        super().__init__(_NoArchive(), lambda storage, device: storage)  # type: ignore[arg-type]
        self.device = "cpu"

    def _read(self, key, device):
        self.device = device
        return torch_np.zeros((self.size,), dtype=torch_np.uint8, device="cpu")

    def persistent(self, name: Any) -> Any:
        """The storage of an identifier in the pickle."""
        if isinstance(name, tuple) and len(name) > 5 and name[5] is not None:
            raise UnpicklingError("the pickle holds a view of a storage, which PyTorch has not written since version 0.4")
        dtype = getattr(name[1], "dtype", None) if isinstance(name, tuple) and len(name) >= 5 else None
        count = name[4] if isinstance(name, tuple) and len(name) >= 5 else None
        if type(count) is not int or not 0 <= count <= self.limit:
            raise UnpicklingError("the pickle names a storage that is larger than the file")
        self.size = count * (1 if dtype is None else dtype.itemsize)
        return super().persistent(name[:5])

    limit = size = 0


def load_storage(data: bytes) -> TypedStorage | UntypedStorage:
    """Returns the storage in the bytes, on the device that they name.

    Errors: UnpicklingError for bytes that are no storage in this format; RuntimeError for a storage
    of a GPU, if there is none.
    """
    try:
        return _load(data)
    except (struct.error, ValueError, IndexError, TypeError, AttributeError) as error:
        raise UnpicklingError(f"the pickled storage is damaged: {error}") from error


def _load(data):
    parts, at = [], 0
    for _ in range(5):
        end = _end_of_pickle(data, at)
        parts.append(data[at:end])
        at = end
    loader = _StorageLoader()
    loader.limit = len(data)
    magic, version, system = (Unpickler(part, loader._find, loader.persistent).load() for part in parts[:3])
    if magic != _MAGIC or version != _VERSION or not isinstance(system, dict) or system.get("little_endian") is not True:
        raise UnpicklingError("the bytes are not a pickled storage with numbers in the byte order 'little'")
    storage = Unpickler(parts[3], loader._find, loader.persistent).load()
    keys = Unpickler(parts[4], loader._find, loader.persistent).load()
    if not isinstance(storage, (TypedStorage, UntypedStorage)) or not isinstance(keys, list) or len(keys) != 1:
        raise UnpicklingError("the bytes do not hold one storage")
    untyped = storage.untyped() if isinstance(storage, TypedStorage) else storage
    itemsize = storage.dtype.itemsize if isinstance(storage, TypedStorage) else 1
    (count,) = struct.unpack_from("<q", data, at)
    if count * itemsize != untyped.nbytes() or at + 8 + untyped.nbytes() > len(data):
        raise UnpicklingError(f"the storage has {untyped.nbytes()} bytes, and the bytes hold {count} elements of {itemsize} bytes")
    if count:
        memoryview(_C._numpy_view(untyped._bytes).data)[:] = data[at + 8:at + 8 + untyped.nbytes()]
    moved = locate(None)(untyped, loader.device)
    return TypedStorage(wrap_storage=moved, dtype=storage.dtype) if isinstance(storage, TypedStorage) else moved


def _end_of_pickle(data, at):
    stream = io.BytesIO(data)
    stream.seek(at)
    for _ in pickletools.genops(stream):
        pass
    return stream.tell()
