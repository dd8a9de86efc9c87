"""`save` and `load`: files of tensors in PyTorch's format.

A file is a zip archive. `data.pkl` is a pickle of the object, in which tensors refer to storages,
and `data/<number>` holds the bytes of each storage. Loading runs no code from the file: the pickle
interpreter of this module supports only containers, numbers, text and tensors. Anything else in a
file, or a damaged file, raises UnpicklingError.
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
    """Writes an object to a file that `load` and PyTorch's `load` can read.

    Tensors that share memory share it in the file too, and all of that memory is written. For a
    module, save its `state_dict()`.

    Args:
      obj: tensors, parameters and storages of all dtypes, numbers, text, bytes, and lists, tuples,
        dictionaries and sets of them
      f: path, or file open for writing in binary mode
      pickle_module: only None or Python's `pickle`
      pickle_protocol: only 2
      _use_new_zipfile_serialization: only True

    Errors: pickle.PicklingError for an object of any other type; NotImplementedError for the format
    before PyTorch 1.6, and for a pickle module or protocol that is not supported.
    """
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("save(): the format of before PyTorch 1.6 is not written")
    if pickle_protocol != 2 or pickle_module not in (None, pickle):
        raise NotImplementedError("save(): the pickle in the file is of protocol 2, and written by this module")
    pickler = Pickler()
    data = pickler.dump(obj)  # unsupported objects raise before the file is created
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
    """Reads an object that `save`, here or in PyTorch, wrote to a file.

    Args:
      f: path, or seekable file open for reading in binary mode
      map_location: target of the tensors: a device, a dictionary from devices in the file to
        devices, or a function of a CPU storage and its device name in the file that returns the
        storage to use or None; by default the device in the file
      pickle_module: only None or Python's `pickle`
      weights_only: accepted for compatibility; only data is ever loaded
      mmap: map the file into memory and return tensors that are views of it; changes are not
        written back; needs a path
      pickle_load_args: options of the pickle module, of which only `encoding` is accepted; it has
        no effect

    Errors: pickle.UnpicklingError for damaged files, tensors beyond their storage, and files that
    refer to anything but data; RuntimeError for GPU tensors without a GPU or `map_location`;
    FileNotFoundError; ValueError for `mmap` without a path; NotImplementedError for a
    `pickle_module` or its options.
    """
    if pickle_module not in (None, pickle) or set(pickle_load_args) - {"encoding"}:
        raise NotImplementedError("load(): pickles are read by this module, without options")
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    with Reader(f, mapped=bool(mmap)) as archive:
        return Loader(archive, locate(map_location)).load()


def locate(map_location: MapLocation) -> Callable[[Any, str], Any]:
    """A function from a CPU storage and its device name in the file to the storage on its target
    device.
    """
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
    torch_np.device(map_location)  # raises for an invalid device
    return lambda storage, name: moved(storage, map_location)
