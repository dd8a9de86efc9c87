"""Passes tensors between processes in shared memory: files that are unlinked as soon as the
receiver has mapped them.
"""
from __future__ import annotations

import glob
import io
import itertools
import mmap
import os
import pickle
import tempfile
from collections.abc import Sequence
from typing import Any

from torch_np import _C

_SMALLEST = 4096  # bytes; smaller tensors are sent through the pipe

_prefix = ""             # prefix of the names of this process's files; if empty, nothing is shared
_numbers = itertools.count()
# Paths of this process's shared files that were not sent yet, by storage id.
_made: dict[int, str] = {}


def folders() -> list[str]:
    """The folders for shared files: in memory, and on disk as a fallback if memory is full."""
    return [d for d in ("/dev/shm", tempfile.gettempdir()) if os.path.isdir(d)]


def use_prefix(prefix: str) -> None:
    """Sets the prefix of the names of this process's shared files."""
    global _prefix
    _prefix = prefix


def remove_all(prefix: str) -> None:
    """Removes the files that a terminated process created and nothing has mapped."""
    for folder in folders():
        for path in glob.glob(os.path.join(glob.escape(folder), glob.escape(prefix) + "*")):
            try:
                os.unlink(path)
            except OSError:
                pass


def _map_new(size: int) -> tuple[str, mmap.mmap] | None:
    name = f"{_prefix}{os.getpid()}_{next(_numbers)}"
    for folder in folders():
        path = os.path.join(folder, name)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:  # the folder is read-only or full
            continue
        try:
            if hasattr(os, "posix_fallocate"):
                # Lack of space raises here instead of at a later write.
                os.posix_fallocate(descriptor, 0, size)
            else:
                os.ftruncate(descriptor, size)
            return path, mmap.mmap(descriptor, size)
        except BaseException as error:
            os.unlink(path)
            if not isinstance(error, OSError):
                raise
        finally:
            os.close(descriptor)
    return None


def new(shape: Sequence[int], dtype: _C.dtype) -> _C.Tensor | None:
    """A tensor in shared memory; None if it is too small to benefit or there is no space."""
    import torch_np

    size = dtype.itemsize
    for n in shape:
        size *= n
    if size < _SMALLEST or not _prefix:
        return None
    found = _map_new(size)
    if found is None:
        return None
    path, memory = found
    made = torch_np.frombuffer(memory, dtype=dtype).view(tuple(shape))
    _made[_C._storage_id(made)] = path
    return made


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, (_C.Tensor, _C.ndarray)):
            return NotImplemented
        tensor = obj if isinstance(obj, _C.Tensor) else obj._torch()
        if type(obj) not in (_C.Tensor, _C.ndarray) or not tensor.is_cpu or tensor.requires_grad:
            return NotImplemented
        tensor = tensor.detach()
        path = _made.pop(_C._storage_id(tensor), None) if tensor.is_contiguous() and tensor.storage_offset() == 0 else None
        if path is None:
            shared = new(tensor.shape, tensor.dtype)
            if shared is None:
                return NotImplemented
            shared.copy_(tensor)
            path = _made.pop(_C._storage_id(shared))
        return _attached, (path, str(tensor.dtype).rpartition(".")[2], tuple(tensor.shape), isinstance(obj, _C.ndarray))


def _attached(path, dtype, shape, numpy_face):
    import torch_np

    descriptor = os.open(path, os.O_RDWR)
    try:
        memory = mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)
        os.unlink(path)
    made = torch_np.frombuffer(memory, dtype=getattr(_C, dtype))[:_count(shape)].view(shape)
    return made._np_compat() if numpy_face else made


def _count(shape):
    count = 1
    for n in shape:
        count *= n
    return count


def dumps(obj: Any) -> bytes:
    """A pickle whose large tensors are in shared memory."""
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(obj)
    for path in _made.values():  # files of batches that were created but not sent
        try:
            os.unlink(path)
        except OSError:
            pass
    _made.clear()
    return file.getvalue()
