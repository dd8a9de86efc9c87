"""Files of tensors, in PyTorch's format: `save` and `load`.

A file is a zip archive: `data.pkl`, a pickle of the object in which tensors are calls that name a storage, and the bytes of each storage
in `data/<number>`. Only data is read from it: the pickle is run by a machine of this module that knows containers, numbers, text and
tensors, and calls nothing else. What a file asks for beyond that, and whatever is wrong with it, is an UnpicklingError.
"""
from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import IO, Any

from torch_np.serialization._archive import Reader, Writer
from torch_np.serialization._globals import Loader
from torch_np.serialization._pickler import Pickler

__all__ = ["MapLocation", "load", "save"]

MapLocation = Any  # a device, its name, a dictionary of such names, or a function of a storage and a name


def save(obj: Any, f: str | os.PathLike[str] | IO[bytes], pickle_module: Any = None, pickle_protocol: int = 2,
         _use_new_zipfile_serialization: bool = True) -> None:
    """Writes `obj` into `f`, a path or a file that is open for writing, such that `load` and PyTorch's read it: tensors, parameters and
    storages of all dtypes, numbers, text, bytes, and lists, tuples, dictionaries and sets of them. Tensors over the same memory share it
    in the file, and all of that memory is written. Of a module, save the `state_dict()`.

    Errors: pickle.PicklingError for other objects; NotImplementedError for the format of before PyTorch 1.6, and for a pickle module or
    protocol of one's own."""
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("save(): the format of before PyTorch 1.6 is not written")
    if pickle_protocol != 2 or pickle_module not in (None, pickle):
        raise NotImplementedError("save(): the pickle in the file is of protocol 2, and written by this module")
    pickler = Pickler()
    data = pickler.dump(obj)  # whatever cannot be saved raises before a file is begun
    name = os.path.splitext(os.path.basename(os.fspath(f)))[0] if isinstance(f, (str, os.PathLike)) else "archive"
    with Writer(f, name or "archive") as archive:
        archive.write("data.pkl", data)
        archive.write(".format_version", b"1")
        archive.write(".storage_alignment", b"64")
        archive.write("byteorder", b"little")
        for key, storage in pickler.storages():
            archive.write(f"data/{key}", storage)
        archive.write("version", b"3\n")


def load(f: str | os.PathLike[str] | IO[bytes], map_location: MapLocation = None, pickle_module: Any = None, *,
         weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any) -> Any:
    """What `save`, here or in PyTorch, wrote into `f`, a path or a file that is open for reading and seekable.

    `map_location`: where tensors go: a device, a dictionary from the devices of the file to others, or a function of a storage (on the
    CPU) and the name of its device in the file, which gives the storage to take, or None. By default, where they were.
    `mmap`: tensors are views of the file, given as a path, which is mapped into memory and read when they are; changes stay in memory.
    `weights_only`: nothing but data is ever loaded; False changes nothing.

    Errors: pickle.UnpicklingError for files that are damaged, have tensors beyond their bytes, or ask for anything but data; RuntimeError
    for tensors of a GPU where there is none and no `map_location`; FileNotFoundError; ValueError for `mmap` without a path;
    NotImplementedError for a `pickle_module` or its options."""
    if pickle_module not in (None, pickle) or set(pickle_load_args) - {"encoding"}:
        raise NotImplementedError("load(): pickles are read by this module, without options")
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    with Reader(f, mapped=bool(mmap)) as archive:
        return Loader(archive, locate(map_location)).load()


def locate(map_location: MapLocation) -> Callable[[Any, str], Any]:
    """A function of a storage on the CPU and the name of its device in the file, which gives the storage where it is to be."""
    import torch_np

    def moved(storage, device):
        device = torch_np.device(device)
        if device.type == "cpu":
            return storage
        if device.type == "cuda" and not torch_np.cuda.is_available():
            raise RuntimeError("Attempting to deserialize object on a CUDA device but torch_np.cuda.is_available() is False. If you are "
                               "running on a CPU-only machine, please use torch_np.load with map_location='cpu'.")
        return torch_np.UntypedStorage._of(storage._bytes.to(device))

    if map_location is None:
        return moved
    if isinstance(map_location, dict):
        return lambda storage, name: moved(storage, map_location.get(name, name))
    if callable(map_location) and not isinstance(map_location, torch_np.device):
        def chosen(storage, name):
            found = map_location(storage, name)
            if isinstance(found, torch_np.TypedStorage):
                found = found.untyped()
            return moved(storage, name) if found is None else found
        return chosen
    torch_np.device(map_location)  # raises for what is none
    return lambda storage, name: moved(storage, map_location)
