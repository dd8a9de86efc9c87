"""Other parameters and another state in an optimiser, for a while."""
from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from torch_np import Tensor
from torch_np.optim.optimizer import Optimizer


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(optimizer: Optimizer, swapin_parameters: dict[str, Tensor],
                                       swapin_optim_state: dict[str, Any]) -> Iterator[None]:
    """Context manager that gives an optimiser other parameters and another state. At the end it has
    its own again; in-place changes of the given tensors stay.

    Args:
      optimizer: the optimiser
      swapin_parameters: tensors, in the order of the optimiser's parameters
      swapin_optim_state: a state as `optimizer.state_dict()` returns it

    Shapes: as the parameters.
    Errors: ValueError for other numbers of parameters or groups.
    """
    groups, state = optimizer.param_groups, optimizer.state
    given, saved = list(swapin_parameters.values()), swapin_optim_state["param_groups"]
    count = sum(len(group["params"]) for group in groups)
    if len(given) != count or [len(g["params"]) for g in saved] != [len(g["params"]) for g in groups]:
        raise ValueError(f"swap_in_optimizer_params_and_state(): the optimizer has {count} parameters in {len(groups)} groups, got {len(given)} "
                         f"parameters and a state of {[len(g['params']) for g in saved]} in its groups")
    by_number = dict(zip([number for group in saved for number in group["params"]], given))
    new: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
    new.update((by_number.get(key, key), dict(value) if isinstance(value, dict) else value)
               for key, value in swapin_optim_state["state"].items())
    try:
        optimizer.param_groups = [{**group, "params": [by_number[number] for number in group["params"]]} for group in saved]
        optimizer.state = new
        yield
    finally:
        optimizer.param_groups, optimizer.state = groups, state
