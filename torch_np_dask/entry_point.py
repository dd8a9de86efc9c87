"""The array backend `torch_np`, in the form of Dask's own of CuPy (`dask.array.backends`)."""
from __future__ import annotations

from typing import Any

import dask.array as da
from dask import config
from dask.array.backends import ArrayBackendEntrypoint

import torch_np.numpy as np
from torch_np import _C
from torch_np_dask import creation, generators
from torch_np_dask.lookups import to_torch_np

# Of one dimension: an element of a 0-d array, which Dask asks for, is NumPy's scalar.
_META = np.empty(0)


def _create(function: str, /, *args: Any, meta: Any = None, **kwargs: Any) -> da.Array:
    """What Dask's `function` creates out of `meta`: its own loops over chunks, by NumPy's functions, which are ours for ours."""
    with config.set({"array.backend": "numpy"}):  # the functions of Dask are dispatched themselves
        return getattr(da, function)(*args, meta=_META if meta is None else meta, **kwargs)


class TorchNPBackendEntrypoint(ArrayBackendEntrypoint):
    """What `dask.array` creates when `array.backend` is `torch_np`."""

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """The function that makes a chunk of this backend of one of another."""
        return to_torch_np

    @classmethod
    def to_backend(cls, data: da.Array, **kwargs: Any) -> da.Array:
        """`data` with chunks of ours: NumPy's are taken over where they are, without a copy."""
        if _C._is_array(data._meta):
            return data
        return data.map_blocks(cls.to_backend_dispatch(), meta=to_torch_np(data._meta), **kwargs)

    @property
    def RandomState(self) -> type[generators.RandomState]:
        """The class that `dask.array.random.RandomState` draws chunks with."""
        return generators.RandomState

    @property
    def default_bit_generator(self) -> type[generators.PCG64]:
        """The bit generator that `dask.array.random.default_rng` makes of a seed."""
        return generators.PCG64

    @staticmethod
    def ones(*args: Any, **kwargs: Any) -> da.Array:
        """As `dask.array.ones`."""
        return _create("ones", *args, **kwargs)

    @staticmethod
    def zeros(*args: Any, **kwargs: Any) -> da.Array:
        """As `dask.array.zeros`."""
        return _create("zeros", *args, **kwargs)

    @staticmethod
    def empty(*args: Any, **kwargs: Any) -> da.Array:
        """As `dask.array.empty`."""
        return _create("empty", *args, **kwargs)

    @staticmethod
    def full(*args: Any, **kwargs: Any) -> da.Array:
        """As `dask.array.full`."""
        return _create("full", *args, **kwargs)

    @staticmethod
    def arange(*args: Any, **kwargs: Any) -> da.Array:
        """As `dask.array.arange`."""
        return creation.arange(*args, **kwargs)
