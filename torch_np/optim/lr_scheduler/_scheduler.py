"""What all schedules are derived from."""
from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

from torch_np import Tensor
from torch_np.optim.optimizer import Optimizer


class LRScheduler:
    """The base class: subclasses have get_lr(), which gives the rates of the groups for `last_epoch` from those before.

    `last_epoch`: -1 to begin, else where to go on, with groups that know their 'initial_lr'. Errors: KeyError where they do not,
    TypeError unless `optimizer` is one.
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
        """All that it knows, but for the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that the last step() set."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates for `last_epoch`; called by step(), others want get_last_lr(). Errors: NotImplementedError if a subclass has none."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr()")

    def step(self, epoch: int | None = None) -> None:
        """The next epoch's rates, or those of `epoch`. Warns where it is called before the optimiser's first step."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn("Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, "
                              "make sure to call `optimizer.step()` before `lr_scheduler.step()`.", UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`: call them in the opposite order, "
                              "or the first value of the schedule is skipped.", UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn("The epoch parameter in `scheduler.step()` is deprecated: call `scheduler.step()`.", UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        if epoch is None:
            self.last_epoch += 1
            self._set_rates(self.get_lr)
        else:
            self.last_epoch = epoch
            self._set_rates(getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_rates(self, rates: Callable[[], list[Any]]) -> None:
        """Sets what `rates` gives, which may be, or call, get_lr()."""
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
    """Remembers that step() was called, for the warning about the wrong order."""
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
    """The optimiser. Errors: TypeError unless it is one."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def for_groups(value: Any, optimizer: Optimizer, name: str) -> list[Any]:
    """A value for each group, of one or a list of them. Errors: ValueError for a list of another length."""
    n = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != n:
            raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                             f"param_groups has {n}.")
        return list(value)
    return [value] * n


def set_rate(group: dict[str, Any], value: Any) -> None:
    """Sets the rate of a group; one that is a Tensor stays that Tensor."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(float(value))
    else:
        group["lr"] = value


def copied(x: Any) -> Any:
    """A rate that later steps don't change."""
    return x.clone() if isinstance(x, Tensor) else x
