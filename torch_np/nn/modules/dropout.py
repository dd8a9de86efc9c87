"""Dropout: zeros in random places, in training."""
from __future__ import annotations

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training zeros with probability `p`, and all else divided by 1 - `p` (Hinton et al., 2012)."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result's is the same."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, L) or (C, L)."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W) or (C, H, W)."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, D, H, W) or (C, D, H, W)."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance behind SELU (Klambauer et al., 2017)."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result's is the same."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, ...)."""
        return F.feature_alpha_dropout(input, self.p, self.training)
