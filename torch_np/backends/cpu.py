"""torch_np.backends.cpu: the CPU's instruction set."""
from __future__ import annotations

from torch_np import _C

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """Returns the instruction set that kernels use, in PyTorch's words: 'AVX512', 'AVX2' or 'DEFAULT'."""
    name = _C._cpu.get_cpu_capability().upper()
    return next((known for known in ("AVX512", "AVX2") if name.startswith(known)), "DEFAULT")
