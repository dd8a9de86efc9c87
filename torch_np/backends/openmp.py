"""torch_np.backends.openmp: OpenMP, which is not used; the threads are oneTBB's."""
from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Returns False: the threads are oneTBB's."""
    return False
