"""The array backend `torch_np`, modelled on Dask's backend for CuPy (`dask.array.backends`)."""
from __future__ import annotations

from typing import Any

import dask.array as da
from dask import config
from dask.array.backends import ArrayBackendEntrypoint

import torch_np.numpy as np
from torch_np import _C
from torch_np_dask import creation, generators
from torch_np_dask.lookups import to_torch_np

# It has one dimension because Dask reads an element of it. That of a 0-d array is a NumPy scalar.
_META = np.empty(0)


def _create(function: str, /, *args: Any, meta: Any = None, **kwargs: Any) -> da.Array:
    """The Dask array that Dask's own `function` creates for the class of `meta`: Dask loops over
    chunks and calls NumPy functions, which dispatch to torch_np.
    """
    with config.set({"array.backend": "numpy"}):  # so that `da` calls Dask's own functions
        return getattr(da, function)(*args, meta=_META if meta is None else meta, **kwargs)


class TorchNPBackendEntrypoint(ArrayBackendEntrypoint):
    """The creation functions that `dask.array` uses when `array.backend` is `torch_np`."""

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """The function that converts a chunk of another library to torch_np."""
        return to_torch_np

    @classmethod
    def to_backend(cls, data: da.Array, **kwargs: Any) -> da.Array:
        """`data` with chunks of torch_np; NumPy chunks are shared without a copy."""
        if _C._is_array(data._meta):
            return data
        return data.map_blocks(cls.to_backend_dispatch(), meta=to_torch_np(data._meta), **kwargs)

    @property
    def RandomState(self) -> type[generators.RandomState]:
        """The class whose instances draw the chunks of `dask.array.random.RandomState`."""
        return generators.RandomState

    @property
    def default_bit_generator(self) -> type[generators.PCG64]:
        """The bit generator that `dask.array.random.default_rng` creates from a seed."""
        return generators.PCG64

    @staticmethod
    def ones(*args: Any, **kwargs: Any) -> da.Array:
        """A Dask array of ones, with the arguments of `dask.array.ones`."""
        return _create("ones", *args, **kwargs)

    @staticmethod
    def zeros(*args: Any, **kwargs: Any) -> da.Array:
        """A Dask array of zeros, with the arguments of `dask.array.zeros`."""
        return _create("zeros", *args, **kwargs)

    @staticmethod
    def empty(*args: Any, **kwargs: Any) -> da.Array:
        """A Dask array with uninitialised elements, with the arguments of `dask.array.empty`."""
        return _create("empty", *args, **kwargs)

    @staticmethod
    def full(*args: Any, **kwargs: Any) -> da.Array:
        """A Dask array filled with a value, with the arguments of `dask.array.full`."""
        return _create("full", *args, **kwargs)

    @staticmethod
    def arange(*args: Any, **kwargs: Any) -> da.Array:
        """A Dask array of evenly spaced numbers, with the arguments of `dask.array.arange`."""
        return creation.arange(*args, **kwargs)
