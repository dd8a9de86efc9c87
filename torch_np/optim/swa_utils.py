"""Averaged models: means of a model's parameters over its training."""
from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np.nn.modules.batchnorm import _BatchNorm
from torch_np.nn.modules.module import Module
from torch_np.optim.lr_scheduler import LRScheduler
from torch_np.optim.lr_scheduler._scheduler import for_groups
from torch_np.optim.optimizer import Optimizer

__all__ = ["AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn"]


def _check_decay(decay: float) -> None:
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _is_inexact(t: Tensor) -> bool:
    return t.is_floating_point() or t.is_complex()


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[list[Tensor], list[Tensor], Any], None]:
    """A function that updates an exponential moving average of lists of tensors.

    Args:
      decay: weight of the average

    Errors: ValueError unless `decay` is from 0 to 1.
    """
    _check_decay(decay)
    average = get_ema_avg_fn(decay)

    def ema_update(ema_param_list: list[Tensor], current_param_list: list[Tensor], _: Any) -> None:
        with torch_np.no_grad():
            for mean, current in zip(ema_param_list, current_param_list):
                mean.copy_(average(mean, current, _))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[[list[Tensor], list[Tensor], Any], None]:
    """A function that updates an equally weighted average of lists of tensors."""
    average = get_swa_avg_fn()

    def swa_update(averaged_param_list: list[Tensor], current_param_list: list[Tensor], num_averaged: Any) -> None:
        with torch_np.no_grad():
            for mean, current in zip(averaged_param_list, current_param_list):
                mean.copy_(average(mean, current, num_averaged))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """A function that returns the next exponential moving average.

    Args:
      decay: weight of the average

    Errors: ValueError unless `decay` is from 0 to 1.
    """
    _check_decay(decay)

    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        with torch_np.no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[[Tensor, Tensor, Any], Tensor]:
    """A function that returns the next equally weighted average."""

    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        with torch_np.no_grad():
            return averaged_param + (current_param - averaged_param) / (float(num_averaged) + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model, under the attribute `module`, whose parameters are means of the model's.

    Args:
      model: the model
      device: device of the copy; None is that of the model
      avg_fn: function (mean, current, count) that returns the next mean; the default averages with
        equal weights
      multi_avg_fn: function of lists of tensors that updates the means in place
      use_buffers: average buffers too; otherwise they are copied

    Errors: AssertionError for both functions together.
    Source: Izmailov et al., UAI 2018, arXiv 1803.05407.
    """

    n_averaged: Tensor

    def __init__(self, model: Module, device: Any = None, avg_fn: Callable[..., Tensor] | None = None,
                 multi_avg_fn: Callable[..., None] | None = None, use_buffers: bool = False) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch_np.tensor(0, dtype=torch_np.long, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the averaged model.

        Shapes: those of the model.
        """
        return self.module(*args, **kwargs)

    def _tensors(self, model: Module) -> list[Tensor]:
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]

    def update_parameters(self, model: Module) -> None:
        """Includes the current parameters of a model in the means.

        Args:
          model: the model
        """
        own, other = self._tensors(self.module), [t.detach() for t in self._tensors(model)]
        average = self.avg_fn or get_swa_avg_fn()
        with torch_np.no_grad():
            if self.n_averaged == 0:
                for mean, current in zip(own, other):
                    mean.copy_(current)
            elif self.multi_avg_fn is not None:
                pairs = [(mean, current.to(mean.device)) for mean, current in zip(own, other)]
                inexact = [pair for pair in pairs if _is_inexact(pair[0])]
                self.multi_avg_fn([m.detach() for m, _ in inexact], [c for _, c in inexact], self.n_averaged)
                for mean, current in pairs:
                    if not _is_inexact(mean):
                        mean.copy_(current)
            else:
                for mean, current in zip(own, other):
                    mean.copy_(average(mean.detach(), current.to(mean.device), self.n_averaged))
            if not self.use_buffers:
                for buffer, current in zip(self.module.buffers(), model.buffers()):
                    buffer.copy_(current.detach())
        self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Computes the running statistics of all batch normalisations of a model anew, by a pass over
    data.

    Args:
      loader: iterable of batches; of a list or tuple the first entry is the input
      model: the model
      device: device to which batches are moved; None leaves them
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    momenta = [module.momentum for module in norms]
    was_training = model.training
    model.train()
    for module in norms:
        module.reset_running_stats()
        module.momentum = None
    with torch_np.no_grad():
        for batch in loader:
            input = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(input if device is None else input.to(device))
    for module, momentum in zip(norms, momenta):
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Anneals the learning rate of each group to a fixed value, and keeps it.

    Args:
      optimizer: optimiser whose learning rates are scheduled
      swa_lr: the value, or one for each group
      anneal_epochs: number of epochs of annealing
      anneal_strategy: 'cos' or 'linear'
      last_epoch: -1 starts anew; otherwise the epoch to resume after

    Errors: ValueError for another strategy, for negative or fractional `anneal_epochs`, and for a
    list of another length.
    """

    def __init__(self, optimizer: Optimizer, swa_lr: float, anneal_epochs: int = 10, anneal_strategy: str = "cos", last_epoch: int = -1) -> None:
        for value, group in zip(for_groups(swa_lr, optimizer, "swa_lr"), optimizer.param_groups):
            group["swa_lr"] = value
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self.anneal_strategy == "cos" else t

    def get_lr(self) -> list[Any]:
        """The learning rates for `last_epoch`, from the current ones."""
        self._warn_unless_stepping()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            last = group["swa_lr"]
            first = last if before == 1 else (group["lr"] - before * last) / (1 - before)
            rates.append(last * now + first * (1 - now))
        return rates
