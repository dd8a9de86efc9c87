"""Instance normalisation (Ulyanov et al., 2016)."""
from __future__ import annotations

import warnings
from typing import Any

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.batchnorm import _LazyNormBase, _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d"]


class _InstanceNorm(_NormBase):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    dimensions: int

    def _get_no_batch_dim(self) -> int:
        return self.dimensions + 1

    def _check_input_dim(self, input: Tensor) -> None:
        n = self.dimensions
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: with or without a batch; the result has the same shape."""
        self._check_input_dim(input)
        batched = input.dim() == self.dimensions + 2
        x = input if batched else input.unsqueeze(0)
        if x.shape[1] != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={int(batched)} to match num_features ({self.num_features}), "
                                 f"but got: {x.shape[1]}.")
            warnings.warn(f"input's size at dim={int(batched)} does not match num_features. You can silence this warning by not passing in "
                          "num_features, which is not used because affine=False")
        result = F.instance_norm(x, self.running_mean, self.running_var, self.weight, self.bias, self.training or not self.track_running_stats,
                                 0.0 if self.momentum is None else self.momentum, self.eps)
        return result if batched else result.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample to mean 0 and variance 1, and applies its weight and
    bias if `affine`.

    Args:
      num_features: number of channels C
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: (N, C, L) or (C, L); the result has the same shape.
    Errors: ValueError if the input does not have such a shape or, if `affine`, does not have
    `num_features` channels.
    Source: Ulyanov, Vedaldi and Lempitsky, arXiv 1607.08022.
    """

    dimensions = 1


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each image to mean 0 and variance 1, and applies its weight and
    bias if `affine`.

    Args:
      num_features: number of channels C
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: (N, C, H, W) or (C, H, W); the result has the same shape.
    Errors: ValueError if the input does not have such a shape or, if `affine`, does not have
    `num_features` channels.
    """

    dimensions = 2


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of each volume to mean 0 and variance 1, and applies its weight and
    bias if `affine`.

    Args:
      num_features: number of channels C
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: (N, C, D, H, W) or (C, D, H, W); the result has the same shape.
    Errors: ValueError if the input does not have such a shape or, if `affine`, does not have
    `num_features` channels.
    """

    dimensions = 3


class _LazyInstanceNorm(_LazyNormBase, _InstanceNorm):
    def __init__(self, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None,
                 dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def initialize_parameters(self, input: Tensor) -> None:
        """Gives parameters and statistics the shape for the channels of the input.

        Args:
          input: the first input

        Shapes: with or without a batch.
        """
        self._check_input_dim(input)
        super().initialize_parameters(input if input.dim() == self.dimensions + 2 else input.unsqueeze(0))


class LazyInstanceNorm1d(_LazyInstanceNorm):
    """InstanceNorm1d with the channels of the first input. It becomes a InstanceNorm1d in the first call.

    Args:
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: those of InstanceNorm1d.
    Errors: those of InstanceNorm1d.
    """

    cls_to_become = InstanceNorm1d
    dimensions = 1


class LazyInstanceNorm2d(_LazyInstanceNorm):
    """InstanceNorm2d with the channels of the first input. It becomes a InstanceNorm2d in the first call.

    Args:
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: those of InstanceNorm2d.
    Errors: those of InstanceNorm2d.
    """

    cls_to_become = InstanceNorm2d
    dimensions = 2


class LazyInstanceNorm3d(_LazyInstanceNorm):
    """InstanceNorm3d with the channels of the first input. It becomes a InstanceNorm3d in the first call.

    Args:
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: those of InstanceNorm3d.
    Errors: those of InstanceNorm3d.
    """

    cls_to_become = InstanceNorm3d
    dimensions = 3
