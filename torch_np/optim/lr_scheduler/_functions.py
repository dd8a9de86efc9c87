"""Schedules defined by a function of the epoch."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from torch_np.optim.lr_scheduler._scheduler import LRScheduler, checked
from torch_np.optim.optimizer import Optimizer


class _OfFunctions(LRScheduler):
    """Base class of LambdaLR and MultiplicativeLR, which hold one function for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | list[Callable[[int], float]], last_epoch: int = -1) -> None:
        n = len(checked(optimizer).param_groups)
        if isinstance(lr_lambda, (list, tuple)):
            if len(lr_lambda) != n:
                raise ValueError(f"Expected {n} lr_lambdas, but got {len(lr_lambda)}")
            functions = list(lr_lambda)
        else:
            functions = [lr_lambda] * n
        if not all(callable(f) for f in functions):
            raise TypeError("lr_lambda should be a function")
        self.lr_lambdas: list[Callable[[int], float]] = functions
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """The scheduler's attributes except the optimiser.

        Plain functions are not saved. For callable objects, their attributes are saved.
        """
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a state returned by `state_dict()`."""
        saved = dict(state_dict)
        attributes = saved.pop("lr_lambdas")
        self.__dict__.update(saved)
        for f, own in zip(self.lr_lambdas, attributes):
            if own is not None:
                f.__dict__.update(own)


class LambdaLR(_OfFunctions):
    """Multiplies the initial learning rate by a function of the epoch.

    Args:
      optimizer: optimiser whose learning rates are scheduled
      lr_lambda: function of the epoch's number that returns the factor, or a list with one for each
        group
      last_epoch: epoch to resume after; -1 starts anew

    Errors: ValueError unless there is one function for each group.
    """

    def get_lr(self) -> list[Any]:
        """The learning rates for `last_epoch`."""
        self._warn_unless_stepping()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(_OfFunctions):
    """Multiplies the current learning rate by a function of the epoch, every epoch.

    Args:
      optimizer: optimiser whose learning rates are scheduled
      lr_lambda: function of the epoch's number that returns the factor, or a list with one for each
        group
      last_epoch: epoch to resume after; -1 starts anew

    Errors: ValueError unless there is one function for each group.
    """

    def get_lr(self) -> list[Any]:
        """The learning rates for `last_epoch`."""
        self._warn_unless_stepping()
        if self._is_initial:
            return self._rates()
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self._rates())]
