"""numpy.memmap: an array over a memory-mapped file. The class is NumPy's source executed over this
namespace (_interop/source.py).
"""
import importlib
from typing import Any

import numpy as _numpy

from torch_np.numpy._interop import exchange as _exchange, subclasses as _subclasses

memmap: Any = importlib.import_module("torch_np.numpy._core.memmap").memmap


def _flush(self: Any) -> None:
    """Writes changed elements to the file."""
    if self._mmap is not None:
        self._mmap.flush()


def _new(subtype: Any, filename: Any, dtype: Any = _numpy.uint8, mode: Any = "r+", offset: int = 0, shape: Any = None,
         order: Any = "C") -> Any:
    if not _exchange.holds(_numpy.dtype(dtype)):  # records and text: use NumPy's class
        return _numpy.memmap(filename, dtype, mode, offset, shape, order)
    return _new_of_ours(subtype, filename, dtype, mode, offset, shape, order)


_new_of_ours = memmap.__new__
memmap.__new__ = _new
memmap.flush = _flush
_subclasses.override_ufuncs(memmap)
memmap.register(_numpy.memmap)
