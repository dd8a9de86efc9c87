"""numpy.random.bit_generator: where NumPy keeps the base classes."""
from numpy.random.bit_generator import ISeedSequence, ISpawnableSeedSequence, SeedlessSeedSequence, SeedSequence  # noqa: F401

from torch_np.numpy.random._bit_generator import BitGenerator  # noqa: F401
