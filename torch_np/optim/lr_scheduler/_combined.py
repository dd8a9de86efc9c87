"""Schedules composed of other schedules."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from torch_np.optim.lr_scheduler._plateau import ReduceLROnPlateau
from torch_np.optim.lr_scheduler._scheduler import LRScheduler, set_rate
from torch_np.optim.optimizer import Optimizer


class _OfSchedulers(LRScheduler):
    """Base class of SequentialLR and ChainedScheduler, which save the states of their inner
    schedules with their own.
    """

    _schedulers: list[LRScheduler]

    def _check_each(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer) -> None:
        for i, s in enumerate(schedulers):
            if not hasattr(s, "optimizer"):
                raise TypeError(f"{type(self).__name__} at index {i} should have `optimizer` as its attribute.")
            if isinstance(s, ReduceLROnPlateau):
                raise ValueError(f"{type(self).__name__} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                                 f"specified when calling `step`, but got one at index {i} in the given schedulers sequence.")
            if optimizer != s.optimizer:
                raise ValueError(f"{type(self).__name__} expects all schedulers to belong to the same optimizer, but got scheduler "
                                 f"{type(s).__name__} at index {i} that has another one.")

    def state_dict(self) -> dict[str, Any]:
        """The scheduler's attributes except the optimiser, with the states of all inner schedules.
        """
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a state returned by `state_dict()`."""
        saved = dict(state_dict)
        inner = saved.pop("_schedulers")
        self.__dict__.update(saved)
        for s, own in zip(self._schedulers, inner):
            s.load_state_dict(own)


class SequentialLR(_OfSchedulers):
    """Runs several schedules one after the other.

    Args:
      optimizer: optimiser whose learning rates are scheduled
      schedulers: the schedules, in order
      milestones: epochs at which the next schedule begins; one epoch fewer than there are schedules
      last_epoch: epoch to resume after; -1 starts anew

    Errors: ValueError for no schedules, for schedules of an optimiser that is not `optimizer`, and
    unless there is one milestone fewer than schedules.
    """

    def __init__(self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_each(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                             f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                             f"{len(milestones)}")
        self._schedulers, self._milestones, self.last_epoch = schedulers, milestones, last_epoch + 1
        self.optimizer = optimizer
        # Every schedule made its initial step and changed the rates. Only the first one's may
        # count.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for s in schedulers:
            self.recursive_undo(s)
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Reverts the initial step of `sched` and of its inner schedules."""
        inner = self if sched is None else sched
        if hasattr(inner, "_schedulers"):
            for s in inner._schedulers:
                self.recursive_undo(s)
        elif hasattr(inner, "last_epoch"):
            inner.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Sets the learning rates of the next epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_OfSchedulers):
    """Applies several schedules at every epoch; each one modifies the rates set by those before it.

    Args:
      schedulers: the schedules, in the order of application
      optimizer: the schedules' optimiser; by default the optimiser of the first schedule

    Errors: ValueError for no schedules and for schedules of different optimisers.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check_each(schedulers, optimizer)
        self._schedulers, self.optimizer = list(schedulers), optimizer
        self._remember_rates()

    def step(self) -> None:  # type: ignore[override]
        """Sets the learning rates of the next epoch."""
        for s in self._schedulers:
            s.step()
        self._remember_rates()
