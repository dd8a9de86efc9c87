"""`save` and `load`: files of tensors in PyTorch's format.

A file is a zip archive. `data.pkl` is a pickle of the object, in which tensors refer to storages,
and `data/<number>` holds the bytes of each storage. Loading runs no code from the file: the pickle
interpreter of this module supports only containers, numbers, text and tensors, and what
`add_safe_globals` names. Anything else in a file, or a damaged file, raises UnpicklingError.
`load(weights_only=False)` reads everything, and runs the code that the file names.
"""
from __future__ import annotations

import io
import mmap as _mmap
import os
import pickle
import warnings
from typing import IO, Any

from torch_np.serialization._archive import Reader, Writer
from torch_np.serialization._full import globals_of, unpickled
from torch_np.serialization._globals import Loader
from torch_np.serialization._locations import (
    MapLocation, default_restore_location, locate, location_tag, register_package, validate_cuda_device,
)
from torch_np.serialization._options import (
    LoadEndianness, SourceChangeWarning, check_module_version_greater_or_equal, get_crc32_options, get_default_load_endianness,
    get_default_mmap_options, mkdtemp, normalize_storage_type, set_crc32_options, set_default_load_endianness, set_default_mmap_options,
    skip_data, skips_data, storage_to_tensor_type,
)
from torch_np.serialization._pickler import Pickler
from torch_np.serialization._safe_globals import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from torch_np.serialization._zipfiles import (
    _is_zipfile as _is_zipfile, _open_file_like as _open_file_like, _open_zipfile_reader as _open_zipfile_reader,
    _open_zipfile_writer as _open_zipfile_writer,
)

MAP_LOCATION = MapLocation  # PyTorch's name
DEFAULT_PROTOCOL = 2  # of pickles

__all__ = [
    "LoadEndianness", "MapLocation", "SourceChangeWarning", "add_safe_globals", "check_module_version_greater_or_equal", "clear_safe_globals",
    "default_restore_location", "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options", "get_safe_globals",
    "get_unsafe_globals_in_checkpoint", "load", "location_tag", "mkdtemp", "normalize_storage_type", "register_package", "safe_globals", "save",
    "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options", "skip_data", "storage_to_tensor_type",
    "validate_cuda_device",
]


def save(obj: Any, f: str | os.PathLike[str] | IO[bytes], pickle_module: Any = None, pickle_protocol: int = 2,
         _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False) -> None:
    """Writes an object to a file that `load` and PyTorch's `load` can read.

    Tensors that share memory share it in the file too, and all of that memory is written. Objects
    other than tensors and containers, such as a module or a NumPy array, are written as Python's
    pickle does; `load` reads them with `weights_only=False`, or if `add_safe_globals` names their
    classes. For a module, better save its `state_dict()`. NumPy's float64 is read as a float.

    Args:
      obj: tensors, parameters and storages of all dtypes, numbers, text, bytes, and lists, tuples,
        dictionaries and sets of them; any object that can be pickled
      f: path, or file open for writing in binary mode
      pickle_module: only None or Python's `pickle`
      pickle_protocol: only 2
      _use_new_zipfile_serialization: False for the format of before PyTorch 1.6, which is no archive
      _disable_byteorder_record: whether the file does not name its byte order

    Errors: pickle.PicklingError for an object that cannot be pickled; RuntimeError for tensors of
    several dtypes that share memory; NotImplementedError for a pickle module or protocol that is not
    supported.
    """
    if pickle_protocol != 2 or pickle_module not in (None, pickle):
        raise NotImplementedError("save(): the pickle in the file is of protocol 2, and written by this module")
    if not _use_new_zipfile_serialization:
        from torch_np.serialization import _legacy

        with _open_file_like(f, "wb") as file:
            return _legacy.write(file, obj)
    pickler = Pickler()
    data = pickler.dump(obj)  # unsupported objects raise before the file is created
    name = os.path.splitext(os.path.basename(os.fspath(f)))[0] if isinstance(f, (str, os.PathLike)) else "archive"
    with Writer(f, name or "archive") as archive:
        archive.write("data.pkl", data)
        archive.write(".format_version", b"1")
        archive.write(".storage_alignment", b"64")
        if not _disable_byteorder_record:
            archive.write("byteorder", b"little")
        for key, storage in pickler.storages():
            archive.write(f"data/{key}", bytes(storage.nbytes) if skips_data() else storage)
        archive.write("version", b"3\n")


def load(f: str | os.PathLike[str] | IO[bytes], map_location: MapLocation = None, pickle_module: Any = None, *,
         weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any) -> Any:
    """Reads an object that `save`, here or in PyTorch, wrote to a file.

    Args:
      f: path, or seekable file open for reading in binary mode
      map_location: target of the tensors: a device, a dictionary from devices in the file to
        devices, or a function of a CPU storage and its device name in the file that returns the
        storage to use or None; by default the device in the file
      pickle_module: with `weights_only=False`, the module whose Unpickler reads the file; otherwise
        only None or Python's `pickle`
      weights_only: True, or None for it: load only data, and what `add_safe_globals` names. False:
        read the file with Python's pickle, which runs any code that the file names, and warn
      mmap: map the file into memory and return tensors that are views of it; changes are not
        written back, unless set_default_mmap_options says so; needs a path
      pickle_load_args: options of the pickle module: with `weights_only=False` all of them,
        otherwise only `encoding`, that of text which Python 2 wrote

    Errors: pickle.UnpicklingError for damaged files, tensors beyond their storage, and files that
    refer to anything but data; RuntimeError for GPU tensors without a GPU or `map_location`, and
    for `weights_only=True` with a `pickle_module`; FileNotFoundError; ValueError for `mmap` without
    a path; NotImplementedError for a `pickle_module` or its options, and in `skip_data`.
    """
    if skips_data():
        raise NotImplementedError("load(): files are not read without their data; call it outside of skip_data()")
    if _forced("TORCH_FORCE_WEIGHTS_ONLY_LOAD"):
        weights_only = True
    elif weights_only is None and _forced("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"):
        warnings.warn("Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not explicitly "
                      "passed to `torch.load`, forcing weights_only=False.", UserWarning, stacklevel=2)
        weights_only = False
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    if weights_only is None or weights_only:
        if pickle_module not in (None, pickle) or set(pickle_load_args) - {"encoding"}:
            raise NotImplementedError("load(): pickles are read by this module, without options; weights_only=False uses a pickle module")
    else:
        warnings.warn("load(weights_only=False) runs the code that the file names: do this only with files from a source that you trust",
                      stacklevel=3)
    place = locate(map_location)
    is_legacy = _has_first_format(f)
    if is_legacy and mmap:
        raise RuntimeError("mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True)`, "
                           "please torch.save your checkpoint with this option in order to use mmap.")
    if is_legacy:
        from torch_np.serialization import _legacy

        with _open_file_like(f, "rb") as file:
            if weights_only is None or weights_only:
                return _legacy.read(file, place, lambda loader: _safely(loader, pickle_load_args))
            return _legacy.read(file, place, lambda loader: unpickled(loader, pickle_module or pickle, pickle_load_args))
    with Reader(f, mapped=bool(mmap), shared=bool(mmap) and get_default_mmap_options() == _mmap.MAP_SHARED) as archive:
        loader = Loader(archive, place)
        if weights_only is None or weights_only:
            return _safely(loader, pickle_load_args)
        return unpickled(loader, pickle_module or pickle, pickle_load_args)


def _safely(loader: Loader, options: dict[str, Any]) -> Any:
    loader.encoding = options.get("encoding", "utf-8")
    return loader.load()


def _forced(variable: str) -> bool:
    return os.environ.get(variable, "0") in ("1", "y", "yes", "true")


def _has_first_format(f: Any) -> bool:
    from torch_np.serialization import _legacy

    with _open_file_like(f, "rb") as file:
        try:
            at = file.tell()
            start = file.read(32)
            file.seek(at)
        except (io.UnsupportedOperation, AttributeError) as error:
            raise type(error)(f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like "
                              "io.BytesIO and try to load from it instead.") from error
    return _legacy.begins(start)


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """Returns the full names of functions and classes in a file that `load` would refuse, without
    calling them.

    Args:
      f: path, or seekable file open for reading in binary mode

    Errors: pickle.UnpicklingError for damaged files.
    """
    with Reader(f) as archive:
        loader = Loader(archive, locate("cpu"))
        return [f"{module}.{name}" for module, name in globals_of(loader.pickle()) if loader.unknown(module, name)]
