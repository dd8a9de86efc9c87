"""The first file format of PyTorch, which is no archive: three pickles of a header, the pickle of the
object, the pickle of the storages' keys, and the bytes of the storages. Pickled storages have it, too.
"""
from __future__ import annotations

import io
import pickle
import pickletools
import struct
from collections.abc import Callable
from pickle import UnpicklingError
from typing import IO, Any

import torch_np
from torch_np import _C
from torch_np._torch.storage import TypedStorage, UntypedStorage
from torch_np.serialization._globals import Loader
from torch_np.serialization._locations import has_packages, locate
from torch_np.serialization._pickler import Pickler
from torch_np.serialization._unpickler import Unpickler

_MAGIC, _VERSION = 0x1950a86a20f9469cfc6c, 1001
_START = pickle.dumps(_MAGIC, 2)[2:]  # after the pickle's protocol


class _NoArchive:
    def has(self, record: str) -> bool:
        """Whether the archive has the record. It has none."""
        return False


class _StreamLoader(Loader):
    """Makes storages whose bytes come later in the file, which has at most `limit` bytes."""

    fills_late = True

    def __init__(self, place: Callable[[Any, str], Any], limit: int, data: bytes) -> None:
        super().__init__(_NoArchive(), place)  # type: ignore[arg-type]
        self._limit, self._data, self._size = limit, data, 0
        # For each key the bytes on the CPU, the storage in its place, and the size of an element.
        self._made: dict[str, tuple[_C.Tensor, _C.Tensor, int]] = {}

    def pickle(self) -> bytes:
        """The pickle of the object."""
        return self._data

    def _read(self, key, device, dtype):
        if not has_packages():
            self._check_device(device)
        held = torch_np.zeros((self._size,), dtype=torch_np.uint8, device="cpu")
        placed = self._place(UntypedStorage._of(held), device)._bytes
        self._made[key] = held, placed, 1 if dtype is None else dtype.itemsize
        return placed

    def persistent(self, name: Any) -> Any:
        """The storage of an identifier in the pickle."""
        if isinstance(name, tuple) and len(name) > 5 and name[5] is not None:
            raise UnpicklingError("the pickle holds a view of a storage, which PyTorch has not written since version 0.4")
        dtype = getattr(name[1], "dtype", None) if isinstance(name, tuple) and len(name) >= 5 else None
        count = name[4] if isinstance(name, tuple) and len(name) >= 5 else None
        if type(count) is not int or not 0 <= count <= self._limit:
            raise UnpicklingError("the pickle names a storage that is larger than the file")
        self._size = count * (1 if dtype is None else dtype.itemsize)
        return super().persistent(name[:5])

    def fill(self, f: IO[bytes], key: Any) -> None:
        """Reads the bytes of a storage."""
        held, placed, itemsize = self._made[key]
        (count,) = struct.unpack("<q", f.read(8))
        if count * itemsize != held.numel():
            raise UnpicklingError(f"the storage has {held.numel()} bytes, and the file holds {count} elements of {itemsize} bytes")
        if count:
            _read_into(f, memoryview(_C._numpy_view(held).data))
        if placed.device != held.device or placed.data_ptr() != held.data_ptr():
            placed.copy_(held)


def _read_into(f, view):
    read_into = getattr(f, "readinto", None)
    at = 0
    while at < view.nbytes:
        if read_into is not None:
            got = read_into(view[at:])
        else:
            piece = f.read(min(view.nbytes - at, 1 << 24))
            got = len(piece)
            view[at:at + got] = piece
        if not got:
            raise UnpicklingError("the file is damaged: it ends before its last storage")
        at += got


def begins(data: bytes) -> bool:
    """Whether the first bytes of a file, 20 or more, are those of this format."""
    return data[:1] == pickle.PROTO and data[2:2 + len(_START)] == _START


def _next_pickle(f):
    begin = f.tell()
    for _ in pickletools.genops(f):
        pass
    end = f.tell()
    f.seek(begin)
    return f.read(end - begin)


def read(f: IO[bytes], place: Callable[[Any, str], Any], unpickle: Callable[[Loader], Any] = Loader.load) -> Any:
    """The object of a file, from its present position. Afterwards the position is behind the object.

    Errors: UnpicklingError for a damaged file.
    """
    try:
        return _read(f, place, unpickle)
    except (struct.error, ValueError, IndexError, KeyError, TypeError) as error:
        raise UnpicklingError(f"the file in the format of before PyTorch 1.6 is damaged: {error}") from error


def _read(f, place, unpickle):
    at = f.tell()
    limit = f.seek(0, 2)
    f.seek(at)
    magic, version, system, data = (_next_pickle(f) for _ in range(4))
    loader = _StreamLoader(place, limit, data)
    magic, version, system = (Unpickler(part, loader._find, loader.persistent).load() for part in (magic, version, system))
    if magic != _MAGIC or version != _VERSION or not isinstance(system, dict) or system.get("little_endian") is not True:
        raise UnpicklingError("the file does not begin as files of before PyTorch 1.6 with numbers in the byte order 'little'")
    obj = unpickle(loader)
    keys = Unpickler(_next_pickle(f), loader._find, loader.persistent).load()
    if not isinstance(keys, list) or set(keys) != set(loader._made) or len(keys) != len(loader._made):
        raise UnpicklingError("the file does not hold the storages of its object")
    for key in keys:
        loader.fill(f, key)
    loader.check_sparse()
    return obj


def load_storage(data: bytes) -> TypedStorage | UntypedStorage:
    """Returns the storage in the bytes, on the device that they name.

    Errors: UnpicklingError for bytes that are no storage in this format; RuntimeError for a storage
    of a GPU, if there is none.
    """
    storage = read(io.BytesIO(data), locate(None))
    if not isinstance(storage, (TypedStorage, UntypedStorage)):
        raise UnpicklingError("the bytes do not hold one storage")
    return storage


def write(f: IO[bytes], obj: Any) -> None:
    """Writes an object to a file.

    Errors: PicklingError for an object that cannot be pickled.
    """
    pickler = Pickler(legacy=True)
    data = pickler.dump(obj)
    storages = list(pickler.storages())
    system = {"protocol_version": _VERSION, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    for part in (_MAGIC, _VERSION, system):
        f.write(pickle.dumps(part, 2))
    f.write(data)
    f.write(pickle.dumps([key for key, _ in storages], 2))
    f.flush()
    for key, view in storages:
        f.write(struct.pack("<q", view.nbytes // pickler.itemsize(key)))
        f.write(view)
    f.flush()
