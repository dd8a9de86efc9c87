"""Batch normalisation (Ioffe and Szegedy, 2015) and instance normalisation (Ulyanov et al., 2016).
"""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules._affine import Affine

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _NormBase(Affine):
    """Base class of batch and instance normalisation, with weight and bias and the running mean and
    variance of each channel.
    """

    _version = 2
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._add_weight_and_bias(num_features, affine, bias, device, dtype)
        if track_running_stats:
            self.register_buffer("running_mean", _C._torch.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", _C._torch.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", _C._torch.tensor(0, dtype=_C.int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Resets the running mean to 0, the running variance to 1 and the number of batches to 0.
        """
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Sets weights to 1 and biases to 0, and resets the running statistics."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, "
                f"track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
                              unexpected_keys: list[str], error_msgs: list[str]) -> None:
        key = prefix + "num_batches_tracked"
        # States of version 1 have no count.
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats and key not in state_dict:
            count = self.num_batches_tracked
            state_dict[key] = count if count is not None and not count.is_meta else _C._torch.tensor(0, dtype=_C.int64)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        """Normalises by the mean and variance of the batch in training, and by the running ones
        otherwise.

        In training, the running statistics are updated.

        Shapes: those documented by the class.
        """
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        kept = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if kept else None, self.running_var if kept else None, self.weight, self.bias, by_batch,
                            factor, self.eps)


class BatchNorm1d(_BatchNorm):
    """Normalises each channel to mean 0 and variance 1 over the batch, and applies its weight and
    bias.

    Args:
      num_features: number of channels C
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance; None uses plain means
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: (N, C) or (N, C, L); the result has the same shape.
    Errors: ValueError if the input does not have such a shape.
    Source: Ioffe and Szegedy, Batch Normalization, ICML 2015.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """Normalises each channel of images to mean 0 and variance 1 over the batch, and applies its
    weight and bias.

    Args:
      num_features: number of channels C
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance; None uses plain means
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: (N, C, H, W); the result has the same shape.
    Errors: ValueError if the input does not have such a shape.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """Normalises each channel of volumes to mean 0 and variance 1 over the batch, and applies its
    weight and bias.

    Args:
      num_features: number of channels C
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance; None uses plain means
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: (N, C, D, H, W); the result has the same shape.
    Errors: ValueError if the input does not have such a shape.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class _InstanceNorm(_NormBase):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    dimensions: int

    def _check_input_dim(self, input: Tensor) -> None:
        n = self.dimensions
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: with or without a batch; the result has the same shape."""
        self._check_input_dim(input)
        batched = input.dim() == self.dimensions + 2
        x = input if batched else input.unsqueeze(0)
        if x.shape[1] != self.num_features and self.affine:
            raise ValueError(f"expected input's size at dim={int(batched)} to match num_features ({self.num_features}), but got: {x.shape[1]}.")
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
