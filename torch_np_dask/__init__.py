"""torch_np_dask: uses arrays of torch_np.numpy as chunks of `dask.array`, by
`dask.config.set({"array.backend": "torch_np"})`; see docs/dask.md.

Importing this package registers everything that Dask looks up by an array's class: joining,
products, quantiles, sizes, serialisation. Setting the backend imports it if it is installed. So do
tasks and arrays that are sent to a worker.

Note [Why this is a package of its own]: Dask looks up `random.default_rng` in the library named by
the first part of a generator's module name (`dask.array.random`: "Assumes typename starts with
importable library name"). For torch_np that would be the PyTorch-style face. This package has the
NumPy names that Dask looks up there: `random`, `arange`, `array`.
"""
from dask.array.backends import array_creation_dispatch

from torch_np.numpy import arange, array, random

from torch_np_dask import lookups, serialization, workers
from torch_np_dask.creation import eye, linspace
from torch_np_dask.entry_point import TorchNPBackendEntrypoint

__all__ = ["TorchNPBackendEntrypoint", "arange", "array", "eye", "linspace", "random"]

# Works without an installed entry point, too.
array_creation_dispatch.register_backend("torch_np", TorchNPBackendEntrypoint())
lookups.register()
serialization.register()
workers.register()
