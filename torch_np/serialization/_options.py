"""Options of `save` and `load`, and small functions that PyTorch keeps beside them."""
from __future__ import annotations

import enum
import mmap as _mmap
import shutil
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class LoadEndianness(enum.Enum):
    """Byte orders of files."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class SourceChangeWarning(Warning):
    """Category of PyTorch's warnings of changed source code. `load` gives none."""


class _Options(threading.local):
    skips_data = False


_local = _Options()
_settings: dict[str, Any] = {"crc32": True, "endianness": None, "mmap": _mmap.MAP_PRIVATE}


def skips_data() -> bool:
    """Whether `save` writes zeros in place of the elements of tensors."""
    return _local.skips_data


class skip_data:  # noqa: N801  (PyTorch's name)
    """A context in which `save` leaves out the elements of tensors: the file has zeros in their
    place.

    Args:
      materialize_fake_tensors: Only False.

    Errors: NotImplementedError for `materialize_fake_tensors=True`, and for `load` in the context.
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        if materialize_fake_tensors:
            raise NotImplementedError("skip_data(): there are no fake tensors; materialize_fake_tensors must be False")
        self.materialize_fake_tensors = materialize_fake_tensors
        self._before = False

    def __enter__(self) -> None:
        self._before, _local.skips_data = _local.skips_data, True

    def __exit__(self, *exception: object) -> None:
        _local.skips_data = self._before


def get_crc32_options() -> bool:
    """Returns what `set_crc32_options` was given; True at first."""
    return bool(_settings["crc32"])


def set_crc32_options(compute_crc32: bool) -> None:
    """Says whether `save` may leave out checksums. It has no effect: they are always written.

    Args:
      compute_crc32: Has no effect.
    """
    _settings["crc32"] = compute_crc32


def get_default_load_endianness() -> LoadEndianness | None:
    """Returns the byte order of files that do not name one; None is the machine's."""
    found: LoadEndianness | None = _settings["endianness"]
    return found


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Sets the byte order of files that do not name one.

    Args:
      endianness: NATIVE, LITTLE, BIG, or None for NATIVE.

    Errors: TypeError for another object.
    """
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _settings["endianness"] = endianness


def get_default_mmap_options() -> int:
    """Returns the flags with which `load(mmap=True)` maps files; `mmap.MAP_PRIVATE` at first."""
    return int(_settings["mmap"])


class set_default_mmap_options:  # noqa: N801  (PyTorch's name)
    """Sets the flags with which `load(mmap=True)` maps files. In a `with` statement, the flags are
    restored at its end.

    Args:
      flags: `mmap.MAP_PRIVATE`, changes of tensors stay in this process, or `mmap.MAP_SHARED`, they
        are written to the file.

    Errors: ValueError for other flags.
    """

    def __init__(self, flags: int) -> None:
        if flags not in (_mmap.MAP_PRIVATE, _mmap.MAP_SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got "
                             f"{flags}")
        self.prev, _settings["mmap"] = _settings["mmap"], flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _settings["mmap"] = self.prev


@contextmanager
def mkdtemp() -> Iterator[str]:
    """A context with a new folder, which is removed at its end."""
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def check_module_version_greater_or_equal(module: ModuleType, req_version_tuple: tuple[Any, ...], error_if_malformed: bool = True) -> bool:
    """Whether the version of a module is at least the required one.

    Args:
      module: The module, with a `__version__` of numbers between dots.
      req_version_tuple: The required version, as numbers or texts.
      error_if_malformed: Whether a version without numbers raises, instead of counting as new
        enough with a warning.

    Errors: RuntimeError for a version that cannot be compared.
    """
    try:
        parts = module.__version__.split(".")
        return tuple(type(required)(part) for required, part in zip(req_version_tuple, parts)) >= req_version_tuple
    except Exception as error:
        message = f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared with tuple {req_version_tuple}"
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(message + ", but continuing assuming that requirement is met", stacklevel=2)
        return True


def normalize_storage_type(storage_type: type) -> Any:
    """Returns the class of storages with that name, such as torch_np.FloatStorage.

    Args:
      storage_type: A class of storages.

    Errors: AttributeError if there is none of that name.
    """
    import torch_np

    return getattr(torch_np, storage_type.__name__)


def storage_to_tensor_type(storage: Any) -> Any:
    """Returns the class of tensors for a storage, such as torch_np.FloatTensor.

    Args:
      storage: A TypedStorage.
    """
    import torch_np
    from torch_np._torch.dtype_names import LEGACY

    return getattr(torch_np, f"{LEGACY[storage.dtype]}Tensor")
