"""Schedules made of schedules."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from torch_np.optim.lr_scheduler._plateau import ReduceLROnPlateau
from torch_np.optim.lr_scheduler._scheduler import LRScheduler, set_rate
from torch_np.optim.optimizer import Optimizer


class _OfSchedulers(LRScheduler):
    """What SequentialLR and ChainedScheduler share: schedules of one optimiser, whose states are saved with theirs."""

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
        """As LRScheduler's, with the states of all schedules."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave."""
        saved = dict(state_dict)
        inner = saved.pop("_schedulers")
        self.__dict__.update(saved)
        for s, own in zip(self._schedulers, inner):
            s.load_state_dict(own)


class SequentialLR(_OfSchedulers):
    """One schedule after the other: the next one begins at each of `milestones`.

    Errors: ValueError for schedules of another optimiser, none of them, or not one milestone less than schedules.
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
        # The first steps of all of them have changed the rates; only the first one's counts.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for s in schedulers:
            self.recursive_undo(s)
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Takes back the first step of `sched`, and of the schedules in it."""
        inner = self if sched is None else sched
        if hasattr(inner, "_schedulers"):
            for s in inner._schedulers:
                self.recursive_undo(s)
        elif hasattr(inner, "last_epoch"):
            inner.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """The next epoch's rates."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_OfSchedulers):
    """Several schedules at once: each changes the rate that those before it have set.

    Errors: ValueError for none of them, and for schedules of different optimisers.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check_each(schedulers, optimizer)
        self._schedulers, self.optimizer = list(schedulers), optimizer
        self._remember_rates()

    def step(self) -> None:  # type: ignore[override]
        """The next epoch's rates."""
        for s in self._schedulers:
            s.step()
        self._remember_rates()
