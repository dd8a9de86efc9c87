"""Classes of autograd by the names that PyTorch's extension module gives them."""
from __future__ import annotations

from torch_np import _C

__all__ = ["SavedTensor"]

SavedTensor = _C.SavedTensor
