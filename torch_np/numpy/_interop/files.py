"""NumPy's functions that read and write bytes, adapted to this package's arrays."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _differentiation, _native as nx
from torch_np.numpy._dtypes import as_numpy_dtype, bfloat16
from torch_np.numpy._interop import exchange as _exchange


_VOID2 = _numpy.dtype("V2")


def _mapped(value):
    """The memmap of the same part of the file."""
    from torch_np.numpy import memmap  # imported late: few programs map files

    order = "C" if value.flags.c_contiguous else "F"
    return memmap(value.filename, value.dtype, value.mode, value.offset, value.shape, order)


def _ours(value):
    if not isinstance(value, _numpy.ndarray):
        return value
    if isinstance(value, _numpy.memmap) and value.filename is not None and _exchange.holds(value.dtype):
        return _mapped(value)
    # NumPy's files store bfloat16 as a void of two bytes, which no other dtype of the engine is
    # stored as.
    value = value.view(bfloat16) if value.dtype == _VOID2 else value
    # An array that the engine does not hold is returned as NumPy read it, since a file may not be
    # readable twice.
    return value if _C._fallback_allowed() and not _C._is_array(_C._held(value)) else nx.asarray(value)


def _theirs(value):
    if _C._is_array(value):
        return _C._numpy_view(value)
    if type(value) is _C.dtype:
        return as_numpy_dtype(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_theirs(v) for v in value) if type(value) in (list, tuple) else value
    return value


def _reader(function: Callable[..., Any], archive: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Wraps a reader of NumPy, whose result is converted: by `archive` if it is a file of several arrays."""
    @functools.wraps(function)
    def read(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("like", None)
        if archive is None and _C._fallback_allowed() and str(_C._get_default_device()) == "cpu":
            found = _C._outermost(_C._call_numpys, function, args, kwargs)
            if found is not NotImplemented:
                return _ours(found)
        if _differentiation.compute_requires_grad(*args, *kwargs.values()):
            raise NotImplementedError(f"{function.__name__}(): bytes carry no gradient, so there is no derivative; detach the array")
        found = _C._outermost(function, *map(_theirs, args), **{k: _theirs(v) for k, v in kwargs.items()})
        if archive is not None and isinstance(found, _numpy.lib.npyio.NpzFile):
            return archive(found)
        if isinstance(found, (tuple, list)):
            return type(found)(_ours(v) for v in found)
        return _ours(found)
    _exchange.copy_signature(read, function)
    read.__module__ = "torch_np.numpy"
    return read


def _writer(function: Callable[..., Any]) -> Callable[..., None]:
    @functools.wraps(function)
    def write(*args: Any, **kwargs: Any) -> None:
        _C._outermost(function, *map(_theirs, args), **{k: _theirs(v) for k, v in kwargs.items()})
    _exchange.copy_signature(write, function)
    write.__module__ = "torch_np.numpy"
    return write
