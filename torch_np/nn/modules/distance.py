"""Distances between vectors."""
from __future__ import annotations

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The norm of `x1 - x2 + eps` over the last axis.

    Args:
      p: order of the norm
      eps: term added to the difference
      keepdim: keep the last axis with size 1
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Shapes: (N, D) or (D,) both; the result is (N,) or (), or (N, 1) or (1,) if `keepdim`."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between two vectors, `x1 . x2 / (|x1| |x2|)`.

    Args:
      dim: axis of the vectors
      eps: smallest norm
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Shapes: both broadcast; the result is without the axis `dim`."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
