"""States of optimizers by the names of parameters: their two forms, and the part of one optimizer.

The nested form is `{"state": {"weight": {"exp_avg": ...}}, "param_groups": [{"params": ["weight"], "lr": 0.1}]}`. The flat one has
the keys `state.weight.exp_avg` and `param_groups.weight.lr`.
"""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np.optim import Optimizer

_Names = dict[Any, list[str]]  # of each parameter


def initialised(optimizer: Optimizer) -> None:
    """Makes a step without effect if the optimizer has no state and no parameter has a gradient."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    if optimizer.state or any(p.grad is not None for p in parameters):
        return
    for p in parameters:
        if p.requires_grad:
            p.grad = torch_np.zeros_like(p)
    rates = [group.get("lr") for group in optimizer.param_groups]
    for group, rate in zip(optimizer.param_groups, rates):
        if rate is not None:
            group["lr"] = torch_np.zeros_like(rate) if isinstance(rate, torch_np.Tensor) else 0.0
    optimizer.step()
    for group, rate in zip(optimizer.param_groups, rates):
        if rate is not None:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def is_nested(state: dict[str, Any]) -> bool:
    """Whether a state has the nested form."""
    return "state" in state


def _leaves(value: Any, prefix: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return {key: leaf for name, v in value.items() for key, leaf in _leaves(v, f"{prefix}.{name}").items()}
    if not isinstance(value, (torch_np.Tensor, int, float)):
        raise NotImplementedError(f"Flattening optimizer state_dict only supports tensor, int, float, dict states now. Type is {type(value)}.")
    return {prefix: value}


def flattened(state: dict[str, Any]) -> dict[str, Any]:
    """Returns the flat form of a nested one."""
    result = _leaves(state["state"], "state")
    for group in state["param_groups"]:
        result.update((f"param_groups.{name}.{key}", value) for name in group["params"] for key, value in group.items() if key != "params")
    return result


def unflattened(optimizer: Optimizer, state: dict[str, Any], names: _Names) -> dict[str, Any]:
    """Returns the nested form of the part of a flat one that belongs to an optimizer."""
    result: dict[str, Any] = {"state": {}, "param_groups": []}
    for group in optimizer.param_groups:
        keys = [key for key in group if key != "params"]
        saved = [name for p in group["params"] for name in names[p] if len(names[p]) == 1 or f"param_groups.{name}.{keys[0]}" in state]
        values = [{key: state[f"param_groups.{name}.{key}"] for key in keys} for name in saved]
        for name, others in zip(saved[1:], values[1:]):
            if others != values[0]:
                raise RuntimeError("All the parameters in the same parameter group should have the same saved param_group value. "
                                   f"But those of {name} and {saved[0]} differ.")
        result["param_groups"].append({"params": saved, **(values[0] if values else {})})
        for name in saved:
            prefix = f"state.{name}."
            found: dict[str, Any] = {}
            for key in (k for k in state if k.startswith(prefix)):
                *within, last = key[len(prefix):].split(".")
                at: dict[str, Any] = found
                for part in within:
                    at = at.setdefault(part, {})
                at[last] = state[key]
            if found:
                result["state"][name] = found
    return result


def part_of_optimizer(optimizer: Optimizer, state: dict[str, Any], names: _Names, strict: bool) -> dict[str, Any]:
    """Returns what `optimizer.load_state_dict` loads of a nested form, which may hold several optimizers."""
    if all(isinstance(key, int) for key in state["state"]) and state["state"]:
        return state  # the optimizer's own
    saved_groups = {name: group for group in state["param_groups"] for name in group["params"]}
    result: dict[str, Any] = {"state": {}, "param_groups": []}
    number = 0
    for group in optimizer.param_groups:
        settings = {key: value for key, value in group.items() if key != "params"}
        numbers = []
        for p in group["params"]:
            name = next((n for n in names[p] if n in saved_groups), names[p][0])
            if name in state["state"]:
                result["state"][number] = state["state"][name]
            elif p.requires_grad and strict and optimizer.state.get(p):
                raise RuntimeError(f"Missing optimizer state for parameter '{name}' in checkpoint. The parameter requires gradients but has no "
                                   "saved optimizer state. To load anyway, use StateDictOptions(strict=False).")
            settings.update((key, value) for key, value in saved_groups.get(name, {}).items() if key != "params")
            numbers.append(number)
            number += 1
        result["param_groups"].append({"params": numbers, **settings})
    return result
