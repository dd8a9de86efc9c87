"""Dropout layers, which zero random elements or channels in training."""
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
    """Zeroes each element with probability `p` in training and divides the others by `1 - p`
    (Hinton et al., 2012).

    Args:
      p: probability of a zero
      inplace: overwrite the input with the result

    Errors: ValueError unless 0 <= `p` <= 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Zeroes each channel of signals with probability `p` in training and divides the others by `1
    - p`.

    Args:
      p: probability of a zero
      inplace: overwrite the input with the result

    Errors: ValueError unless 0 <= `p` <= 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, L) or (C, L); the result has the same shape."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Zeroes each channel of images with probability `p` in training and divides the others by `1 -
    p`.

    Args:
      p: probability of a zero
      inplace: overwrite the input with the result

    Errors: ValueError unless 0 <= `p` <= 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W); the result has the same shape. The first two axes of a 3-d input
        are samples and channels.
        """
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Zeroes each channel of volumes with probability `p` in training and divides the others by `1
    - p`.

    Args:
      p: probability of a zero
      inplace: overwrite the input with the result

    Errors: ValueError unless 0 <= `p` <= 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, D, H, W) or (C, D, H, W); the result has the same shape."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout for networks with SELU, which preserves mean 0 and variance 1 (Klambauer et al.,
    2017).

    Args:
      p: probability of a replacement
      inplace: overwrite the input with the result

    Errors: ValueError unless 0 <= `p` <= 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the result has the same shape."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """Dropout of whole channels for networks with SELU, which preserves mean 0 and variance 1.

    Args:
      p: probability of a replacement
      inplace: overwrite the input with the result

    Errors: ValueError unless 0 <= `p` <= 1.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, ...); the result has the same shape."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
