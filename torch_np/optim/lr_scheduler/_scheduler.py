"""LRScheduler, the base class of all schedules."""
from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

from torch_np import Tensor
from torch_np.optim.optimizer import Optimizer

# PyTorch's text, which programs use in warning filters.
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is used "
    "instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose.")

_MORE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


class LRScheduler:
    """Base class of learning-rate schedules.

    Subclasses define `get_lr()`, which returns the groups' rates for `last_epoch`, usually from the
    current ones.

    Args:
      optimizer: optimiser whose learning rates are scheduled
      last_epoch: -1 starts anew; otherwise the epoch to resume after, for which each group needs an
        "initial_lr"

    Errors: KeyError if a group has no "initial_lr" when resuming, TypeError if `optimizer` is not
    an Optimizer.
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = checked(optimizer)
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", copied(group["lr"]))
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer")
        self.base_lrs: list[Any] = [copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """The scheduler's attributes except the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a state returned by `state_dict()`."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates set by the last `step()`."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates for `last_epoch`. `step()` calls it; programs call `get_last_lr()`
        instead.

        Errors: NotImplementedError if a subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no get_lr()")

    def step(self, epoch: int | None = None) -> None:
        """Sets the learning rates of the next epoch.

        It warns if it is called before the optimiser's first step.

        Args:
          epoch: deprecated; epoch to set the rates of instead
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn("Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, "
                              f"make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_MORE}", UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`: call them in the opposite order, "
                              f"or the first value of the schedule is skipped. {_MORE}", UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        if epoch is None:
            self.last_epoch += 1
            self._set_rates(self.get_lr)
        else:
            self.last_epoch = epoch
            self._set_rates(getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_rates(self, rates: Callable[[], list[Any]]) -> None:
        """Sets the rates returned by `rates`, a function that is `get_lr` or may call it."""
        self._get_lr_called_within_step = True
        try:
            values = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, value in zip(self.optimizer.param_groups, values):
            set_rate(group, value)
        self._remember_rates()

    def _remember_rates(self) -> None:
        self._last_lr: list[Any] = [copied(lr) for lr in self._rates()]

    def _warn_unless_stepping(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning, stacklevel=3)

    def _rates(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def _scaled(self, factor: float) -> list[Any]:
        return [lr * factor for lr in self._rates()]


def _watch_steps(optimizer: Optimizer) -> None:
    """Wraps the optimiser's `step()` so that the scheduler can warn about calls in the wrong order.
    """
    step = optimizer.step
    if hasattr(step, "_wrapped_by_lr_sched"):
        return
    function: Callable[..., Any] = getattr(step, "__func__", step)

    @functools.wraps(function)
    def watched(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        self.__dict__["_opt_called"] = True
        return function(self, *args, **kwargs)
    setattr(watched, "_wrapped_by_lr_sched", True)
    setattr(optimizer, "step", types.MethodType(watched, optimizer))


def checked(optimizer: Any) -> Optimizer:
    """Returns `optimizer` unchanged.

    Errors: TypeError if the argument is not an Optimizer.
    """
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def for_groups(value: Any, optimizer: Optimizer, name: str) -> list[Any]:
    """A list with a copy of one value for each group, from a single value or such a list.

    Errors: ValueError if the length of the list is not the number of groups.
    """
    n = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != n:
            raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                             f"param_groups has {n}.")
        return [copied(v) for v in value]
    return [copied(value) for _ in range(n)]


def set_rate(group: dict[str, Any], value: Any) -> None:
    """Sets the learning rate of a group; a rate that is a Tensor is changed in place."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(float(value))
    else:
        group["lr"] = value


def copied(x: Any) -> Any:
    """A copy of a learning rate that later in-place changes do not affect."""
    return x.clone() if isinstance(x, Tensor) else x
