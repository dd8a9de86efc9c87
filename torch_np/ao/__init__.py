"""torch_np.ao: PyTorch's optimisation of architectures, by name."""
from __future__ import annotations

from torch_np.ao import quantization as quantization

__all__ = ["quantization"]
