"""numpy.random.bit_generator: NumPy's module of the base classes of bit generators."""
from numpy.random.bit_generator import ISeedSequence, ISpawnableSeedSequence, SeedlessSeedSequence, SeedSequence

from torch_np.numpy.random._bit_generator import BitGenerator

__all__ = ["BitGenerator", "ISeedSequence", "ISpawnableSeedSequence", "SeedSequence", "SeedlessSeedSequence"]
