"""numpy.random.mtrand: where NumPy keeps the legacy generator."""
from torch_np.numpy.random._legacy import RandomState
from torch_np.numpy.random._legacy import _global_state as _rand  # noqa: F401

__all__ = ["RandomState"]
