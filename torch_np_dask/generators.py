"""The classes of torch_np.numpy.random that Dask makes generators of: as they are, by names of this package.

Note [Why this is a package of its own] in __init__.py says what the names are for.
"""
import torch_np.numpy.random as _random


class PCG64(_random.PCG64):
    """The bit generator of `dask.array.random.default_rng`, each chunk's of a SeedSequence of its own. NumPy's stream."""


class RandomState(_random.RandomState):
    """The generator of `dask.array.random.RandomState`. NumPy's stream."""
