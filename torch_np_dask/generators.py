"""The classes of torch_np.numpy.random from which Dask creates generators, under names of this
package.

Note [Why this is a package of its own] in __init__.py explains the need for these names.
"""
import torch_np.numpy.random as _random


class PCG64(_random.PCG64):
    """The bit generator of `dask.array.random.default_rng`, seeded by one SeedSequence for each
    chunk; it produces NumPy's stream.
    """


class RandomState(_random.RandomState):
    """The generator of `dask.array.random.RandomState`; it produces NumPy's stream."""
