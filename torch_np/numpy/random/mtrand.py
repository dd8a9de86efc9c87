"""numpy.random.mtrand: NumPy's module of the legacy generator, and of functions that draw from the
global one.
"""
from typing import TYPE_CHECKING, Any

from torch_np.numpy.random._legacy import RandomState
from torch_np.numpy.random._legacy import _global_state as _rand  # noqa: F401

__all__ = ["RandomState"]

if not TYPE_CHECKING:
    def __getattr__(name: str) -> Any:
        from numpy.random import mtrand

        from torch_np.numpy import random
        if name not in mtrand.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(random, name)
