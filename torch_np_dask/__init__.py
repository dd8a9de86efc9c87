"""Arrays of torch_np.numpy as chunks of `dask.array`: `dask.config.set({"array.backend": "torch_np"})`. docs/dask.md.

Importing this registers all that Dask asks for by an array's class: joining, products, quantiles, sizes, serialisation. Setting the
backend imports it, where the package is installed; so do tasks and arrays that a worker is sent.

Note [Why this is a package of its own]: Dask takes the first part of the name of a generator's module for the library that has
`random.default_rng` (`dask.array.random`: "Assumes typename starts with importable library name"). For torch_np that would be PyTorch's
language. This package has NumPy's names that Dask looks up there: `random`, `arange`, `array`.
"""
from dask.array.backends import array_creation_dispatch

from torch_np.numpy import arange, array, random

from torch_np_dask import lookups, serialization, workers
from torch_np_dask.creation import eye, linspace
from torch_np_dask.entry_point import TorchNPBackendEntrypoint

__all__ = ["TorchNPBackendEntrypoint", "arange", "array", "eye", "linspace", "random"]

array_creation_dispatch.register_backend("torch_np", TorchNPBackendEntrypoint())  # also where the package is not installed
lookups.register()
serialization.register()
workers.register()
