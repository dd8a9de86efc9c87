"""Batch normalisation (Ioffe and Szegedy, 2015)."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules._affine import Affine
from torch_np.nn.modules._sync_batch_norm import synchronized_batch_norm
from torch_np.nn.modules.lazy import LazyModuleMixin, materialize, uninitialized
from torch_np.nn.parameter import UninitializedBuffer
# Names that layers of packages import from here.
from torch_np.nn.modules.module import Module as Module
from torch_np.nn.parameter import Parameter as Parameter, UninitializedParameter as UninitializedParameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "SyncBatchNorm"]


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


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """Batch or instance normalisation with the channels of the first input."""

    def __init__(self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = uninitialized(affine, device, dtype)
        self.bias = uninitialized(affine and bias, device, dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = _C._torch.tensor(0, dtype=_C.int64, device=device)

    def reset_parameters(self) -> None:
        """Resets parameters and running statistics, if they have a shape."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Gives parameters and statistics the shape for the channels of the input.

        Args:
          input: the first input

        Shapes: (N, C, ...).
        """
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            materialize((self.num_features,), self.weight, self.bias, self.running_mean, self.running_var)
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """BatchNorm1d with the channels of the first input. It becomes a BatchNorm1d in the first call.

    Args:
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance; None uses plain means
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: those of BatchNorm1d.
    Errors: those of BatchNorm1d.
    """

    cls_to_become = BatchNorm1d
    _check_input_dim = BatchNorm1d._check_input_dim


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """BatchNorm2d with the channels of the first input. It becomes a BatchNorm2d in the first call.

    Args:
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance; None uses plain means
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: those of BatchNorm2d.
    Errors: those of BatchNorm2d.
    """

    cls_to_become = BatchNorm2d
    _check_input_dim = BatchNorm2d._check_input_dim


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """BatchNorm3d with the channels of the first input. It becomes a BatchNorm3d in the first call.

    Args:
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance; None uses plain means
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: those of BatchNorm3d.
    Errors: those of BatchNorm3d.
    """

    cls_to_become = BatchNorm3d
    _check_input_dim = BatchNorm3d._check_input_dim


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation whose mean and variance in training are those of the batches of all
    processes of a group. In evaluation, and with one process, it is batch normalisation.

    Args:
      num_features: number of channels C
      eps: term added to the denominator, for numerical stability
      momentum: weight of the new value in the running mean and variance; None uses plain means
      affine: learn a weight and a bias for each channel
      track_running_stats: keep a running mean and variance
      process_group: group of processes of torch_np.distributed; None is all of them
      device: device of the parameters
      dtype: dtype of the parameters
      bias: learn a bias, if there is a weight

    Shapes: (N, C, ...); the result has the same shape. Batches of the processes may differ in N.
    Errors: ValueError for fewer than two dimensions.
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
                 process_group: Any = None, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Normalises by the mean and variance of the batches of all processes in training, and by
        the running ones otherwise.

        Shapes: (N, C, ...); the result has the same shape.
        Errors: ValueError for fewer than two dimensions.
        """
        from torch_np import distributed
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        if not by_batch or not distributed.is_initialized() or distributed.get_world_size(self.process_group) == 1:
            return super().forward(input)
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        kept = not self.training or self.track_running_stats
        return synchronized_batch_norm(input, self.running_mean if kept else None, self.running_var if kept else None, self.weight, self.bias,
                                       factor, self.eps, self.process_group)

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """Replaces all batch normalisations within a module by synchronised ones with the same
        parameters, and returns the module, or its replacement.

        Args:
          module: the module
          process_group: group of processes; None is all of them
        """
        made = module
        if isinstance(module, _BatchNorm):
            made = cls(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats, process_group)
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            made.running_mean, made.running_var = module.running_mean, module.running_var
            made.num_batches_tracked = module.num_batches_tracked
            made.training = module.training
            if hasattr(module, "qconfig"):
                made.qconfig = module.qconfig
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made
