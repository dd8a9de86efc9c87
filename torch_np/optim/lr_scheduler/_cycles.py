"""Schedules that raise and lower the learning rate while they move the momentum in the opposite
direction.
"""
from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

from torch_np.optim.lr_scheduler._scheduler import LRScheduler, checked, for_groups, set_rate
from torch_np.optim.optimizer import Optimizer


def _cycles_beta1(optimizer: Optimizer) -> bool:
    """Whether the optimiser's momentum is the first of its "betas".

    Errors: ValueError if the optimiser has neither "momentum" nor "betas".
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def _set_momentum(group: dict[str, Any], value: float, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def _begin_momentum(optimizer: Optimizer, least: list[float], most: list[float], use_beta1: bool) -> None:
    """Sets the largest momentum, which belongs to the lowest rate, and stores the bounds in the
    groups.
    """
    for group, low, high in zip(optimizer.param_groups, least, most):
        _set_momentum(group, high, use_beta1)
        group["max_momentum"], group["base_momentum"] = high, low


class CyclicLR(LRScheduler):
    """Cycles the learning rate between two bounds, and the momentum in the opposite direction.

    Args:
      optimizer: optimiser whose learning rates are scheduled
      base_lr: lower bound of the rate, one number for all groups or one for each
      max_lr: upper bound of the rate, one number for all groups or one for each
      step_size_up: batches of the rising half
      step_size_down: batches of the falling half; `step_size_up` by default
      mode: "triangular"; "triangular2", which halves the amplitude each cycle; or "exp_range",
        which scales it by `gamma ** batch`
      gamma: base of "exp_range"
      scale_fn: function that returns the amplitude's factor, used instead of `mode`
      scale_mode: argument of `scale_fn`: "cycle" (the cycle's number) or "iterations" (the batch's
        number)
      cycle_momentum: whether to cycle the momentum (or the first of "betas")
      base_momentum: lower bound of the momentum
      max_momentum: upper bound of the momentum
      last_epoch: batch to resume after; -1 starts anew

    Errors: ValueError for an unknown mode, for lists without one item for each group, and if the
    optimiser has no momentum to cycle.
    Source: Smith, arXiv 1506.01186.
    """

    def __init__(self, optimizer: Optimizer, base_lr: float | list[float], max_lr: float | list[float], step_size_up: int = 2000,
                 step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", cycle_momentum: bool = True,
                 base_momentum: float = 0.8, max_momentum: float = 0.9, last_epoch: int = -1) -> None:
        self.optimizer = checked(optimizer)
        base_lrs = for_groups(base_lr, optimizer, "base_lr")
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                set_rate(group, lr)
        self.max_lrs = for_groups(max_lr, optimizer, "max_lr")
        up = float(step_size_up)
        down = float(step_size_down) if step_size_down is not None else up
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self.scale_mode = mode, gamma, scale_mode
        self._scale_fn_custom = scale_fn
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self._choose_scale()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _cycles_beta1(optimizer)
            self.base_momentums = for_groups(base_momentum, optimizer, "base_momentum")
            self.max_momentums = for_groups(max_momentum, optimizer, "max_momentum")
            if last_epoch == -1:
                _begin_momentum(optimizer, self.base_momentums, self.max_momentums, self.use_beta1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _choose_scale(self) -> None:
        """Sets the function of `mode`, which states of the scheduler leave out."""
        if self._scale_fn_custom is None:
            functions: dict[str, Callable[..., float]] = {
                "triangular": self._triangular_scale_fn, "triangular2": self._triangular2_scale_fn,
                "exp_range": functools.partial(self._exp_range_scale_fn, self.gamma)}
            self._scale_fn_ref = functions[self.mode]

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / 2.0 ** (x - 1)

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma ** x

    def scale_fn(self, x: float) -> float:
        """The amplitude's factor for a cycle or batch number `x`."""
        return self._scale_fn_ref(x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    def get_lr(self) -> list[Any]:
        """The learning rates for `last_epoch`; it sets the momentum too."""
        self._warn_unless_stepping()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for least, most, group in zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups):
                _set_momentum(group, most - (most - least) * height * scale, self.use_beta1)
        return [base + (most - base) * height * scale for base, most in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self) -> dict[str, Any]:
        """The scheduler's attributes except the optimiser.

        A plain function passed as `scale_fn` is not saved. For a callable object, its attributes
        are saved.
        """
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        function = state.pop("_scale_fn_custom")
        state["_scale_fn_custom"] = None if function is None or isinstance(function, types.FunctionType) else function.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a state returned by `state_dict()`."""
        saved = dict(state_dict)
        attributes = saved.pop("_scale_fn_custom")
        super().load_state_dict(saved)
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._choose_scale()


class OneCycleLR(LRScheduler):
    """Raises the learning rate once to `max_lr` and lowers it far below the initial rate, while the
    momentum moves in the opposite direction.

    The number of steps is `total_steps`, or `epochs * steps_per_epoch`.

    Args:
      optimizer: optimiser whose learning rates are scheduled
      max_lr: highest rate, one number for all groups or one for each
      total_steps: number of steps
      epochs: number of epochs
      steps_per_epoch: number of steps in an epoch
      pct_start: fraction of the steps in which the rate rises
      anneal_strategy: "cos" or "linear"
      cycle_momentum: whether to cycle the momentum (or the first of "betas")
      base_momentum: lower bound of the momentum
      max_momentum: upper bound of the momentum
      div_factor: the initial rate is `max_lr / div_factor`
      final_div_factor: the final rate is the initial rate divided by `final_div_factor`
      three_phase: first fall to the initial rate in as many steps as the rise took, and then to the
        final rate
      last_epoch: step to resume after; -1 starts anew

    Errors: ValueError for options out of range, and for steps after the last one.
    Source: Smith and Topin, arXiv 1708.07120.
    """

    def __init__(self, optimizer: Optimizer, max_lr: float | list[float], total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
                 base_momentum: float | list[float] = 0.85, max_momentum: float | list[float] = 0.95, div_factor: float = 25.0,
                 final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1) -> None:
        self.optimizer = checked(optimizer)
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            self.total_steps = total_steps
        elif epochs is not None and steps_per_epoch is not None:
            if epochs <= 0 or not isinstance(epochs, int):
                raise ValueError(f"Expected positive integer epochs, but got {epochs}")
            if steps_per_epoch <= 0 or not isinstance(steps_per_epoch, int):
                raise ValueError(f"Expected positive integer steps_per_epoch, but got {steps_per_epoch}")
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        top = float(pct_start * self.total_steps) - 1

        def phase(end: float, rates: tuple[str, str], momenta: tuple[str, str]) -> dict[str, Any]:
            return {"end_step": end, "start_lr": rates[0], "end_lr": rates[1], "start_momentum": momenta[0], "end_momentum": momenta[1]}

        falls, rises = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
        self._schedule_phases = [phase(top, ("initial_lr", "max_lr"), falls)]
        if three_phase:
            self._schedule_phases += [phase(2 * float(pct_start * self.total_steps) - 2, ("max_lr", "initial_lr"), rises),
                                      phase(self.total_steps - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum"))]
        else:
            self._schedule_phases.append(phase(self.total_steps - 1, ("max_lr", "min_lr"), rises))
        self._anneal_func_type = anneal_strategy
        max_lrs = for_groups(max_lr, optimizer, "max_lr")
        if last_epoch == -1:
            for most, group in zip(max_lrs, optimizer.param_groups):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _cycles_beta1(optimizer)
            if last_epoch == -1:
                most = for_groups(max_momentum, optimizer, "max_momentum")
                _begin_momentum(optimizer, for_groups(base_momentum, optimizer, "base_momentum"), most, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start: float, end: float, done: float) -> float:
        if not hasattr(self, "_anneal_func_type"):     # a state of older versions has the function itself
            return self.anneal_func(start, end, done)
        return (self._annealing_cos if self._anneal_func_type == "cos" else self._annealing_linear)(start, end, done)

    anneal_func: Callable[[float, float, float], float]

    @staticmethod
    def _annealing_cos(start: float, end: float, pct: float) -> float:
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start: float, end: float, pct: float) -> float:
        return (end - start) * pct + start

    def get_lr(self) -> list[Any]:
        """The learning rates for `last_epoch`; it sets the momentum too.

        Errors: ValueError after the last step.
        """
        self._warn_unless_stepping()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        rates = []
        for group in self.optimizer.param_groups:
            start = 0.0
            for i, phase in enumerate(self._schedule_phases):
                if step <= phase["end_step"] or i == len(self._schedule_phases) - 1:
                    done = (step - start) / (phase["end_step"] - start)
                    rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], done))
                    if self.cycle_momentum:
                        _set_momentum(group, self._anneal(group[phase["start_momentum"]], group[phase["end_momentum"]], done), self.use_beta1)
                    break
                start = phase["end_step"]
        return rates
