"""Normalisation layers over parts of each sample."""
from __future__ import annotations

import numbers
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules._affine import Affine
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
# Names that layers of packages import from here.
from torch_np._C import Size as Size
from torch_np.nn import init as init

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


def _shape(value: Any) -> tuple[int, ...]:
    return (int(value),) if isinstance(value, numbers.Integral) else tuple(value)


class LocalResponseNorm(Module):
    """Divides each element by `(k + alpha * m) ** beta`, where `m` is the mean of squares over
    neighbouring channels (Krizhevsky et al., 2012).

    Args:
      size: number of neighbouring channels
      alpha: factor of the mean
      beta: exponent
      k: constant term
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, ...); the result has the same shape."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LayerNorm(Affine):
    """Normalises to mean 0 and variance 1 over the last axes, and applies a learnt weight and bias
    (Ba et al., 2016).

    Args:
      normalized_shape: sizes of the last axes, a number or a sequence
      eps: term added to the denominator, for numerical stability
      elementwise_affine: learn a weight and a bias of that shape
      bias: learn a bias, if there is a weight
      device: device of the parameters
      dtype: dtype of the parameters
    """

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape, self.eps, self.elementwise_affine = _shape(normalized_shape), eps, elementwise_affine
        self._add_weight_and_bias(self.normalized_shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (..., *normalized_shape); the result has the same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"


class GroupNorm(Affine):
    """Normalises to mean 0 and variance 1 over each group of channels, and applies a learnt weight
    and bias for each channel (Wu and He, 2018).

    Args:
      num_groups: number of groups
      num_channels: number of channels
      eps: term added to the denominator, for numerical stability
      affine: learn a weight and a bias for each channel
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Errors: ValueError unless `num_groups` divides `num_channels`.
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None, dtype: Any = None, *,
                 bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._add_weight_and_bias(num_channels, affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, num_channels, ...); the result has the same shape."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Divides by the root mean square over the last axes, and applies a learnt weight (Zhang and
    Sennrich, 2019).

    Args:
      normalized_shape: sizes of the last axes, a number or a sequence
      eps: term added to the denominator, for numerical stability
      elementwise_affine: learn a weight of that shape
      device: device of the parameters
      dtype: dtype of the parameters
    """

    weight: Parameter | None

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape, self.eps, self.elementwise_affine = _shape(normalized_shape), eps, elementwise_affine
        self.register_parameter("weight", Parameter(_C._torch.empty(self.normalized_shape, device=device, dtype=dtype))
                                if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weights to 1."""
        from torch_np.nn import init
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (..., *normalized_shape); the result has the same shape."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class CrossMapLRN2d(Module):
    """Local response normalisation of images, in the version of PyTorch's first programs: the first
    channel stays within the windows of all later ones.

    Args:
      size: number of channels of a window
      alpha: factor of the sum of squares
      beta: exponent
      k: term added to the sum

    Source: Krizhevsky, Sutskever and Hinton, NIPS 2012.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, H, W); the result has the same shape.

        Errors: ValueError for another number of dimensions.
        """
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        t, channels = _C._torch, input.shape[1]
        ahead = (self.size - 1) // 2 + 1
        sums = (input * input).cumsum(1)
        last = [min(c + ahead, channels) - 1 for c in range(channels)]
        # channels 1 to c - ahead have left the window of channel c
        left = [max(c - ahead, 0) for c in range(channels)]
        windows = sums[:, last] - (sums[:, left] - sums[:, :1])
        return input * t.pow(self.k + self.alpha / self.size * windows, -self.beta)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
