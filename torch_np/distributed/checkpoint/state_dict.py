"""torch_np.distributed.checkpoint.state_dict: the states of a network and its optimizers, by the names of parameters.

The names are those of the bare network: without the prefixes of DistributedDataParallel, of `torch_np.compile` and of
checkpoint wrappers. Every process has whole tensors.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch_np
from torch_np import distributed, nn
from torch_np.distributed.algorithms._checkpoint.checkpoint_wrapper import _CHECKPOINT_PREFIX
from torch_np.distributed.checkpoint._optimizer_state import (
    flattened, initialised, is_nested, part_of_optimizer, unflattened,
)
from torch_np.nn.modules._state_dict import _IncompatibleKeys
from torch_np.nn.parallel import DistributedDataParallel
from torch_np.optim import Optimizer

__all__ = ["StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
           "set_optimizer_state_dict", "set_state_dict"]

_Optimizers = Optimizer | Iterable[Optimizer]
_Modules = set[nn.Module] | None


@dataclass
class StateDictOptions:
    """What is read, and how it is loaded.

    Args:
      full_state_dict: Whole tensors, which all processes have in any case.
      cpu_offload: Tensors on the CPU; with `full_state_dict` only in process 0, and nothing in others.
      ignore_frozen_params: Leaves out parameters without gradient.
      keep_submodule_prefixes: Whether names of parts of the network begin with the names of the parts.
      strict: Whether the names must be those of the network.
      broadcast_from_rank0: Loads the state of process 0 in all processes.
      flatten_optimizer_state_dict: One dictionary of names such as 'state.weight.exp_avg', in place of nested ones.
      dsd_fqn_modifiers: Accepted for compatibility; has no effect.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _bare(model: nn.Module, name: str) -> str:
    """The name without the prefixes of wrappers."""
    parts, kept, at = name.replace(_CHECKPOINT_PREFIX, "").split("."), [], model
    for part in parts:
        while (inner := at._modules.get(_CHECKPOINT_PREFIX[:-1]) if isinstance(at, nn.Module) else None) is not None:
            at = inner
        wraps = isinstance(at, DistributedDataParallel) and part == "module" or part == "_orig_mod" and hasattr(at, "_orig_mod")
        if not wraps:
            kept.append(part)
        at = getattr(at, part, None)  # type: ignore[assignment]
    return ".".join(kept)


def _checked(options: StateDictOptions | None) -> StateDictOptions:
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _is_alone() -> bool:
    return not distributed.is_initialized() or distributed.get_world_size() == 1


def _moved(value: Any) -> Any:
    if isinstance(value, torch_np.Tensor):
        return value.detach().cpu()
    if isinstance(value, dict):
        return {key: _moved(v) for key, v in value.items()}
    return type(value)(map(_moved, value)) if isinstance(value, (list, tuple)) else value


def _delivered(state: dict[str, Any], options: StateDictOptions) -> dict[str, Any]:
    if not options.cpu_offload:
        return state
    return {} if options.full_state_dict and not _is_alone() and distributed.get_rank() else _moved(state)


def _received(state: dict[str, Any], options: StateDictOptions) -> dict[str, Any]:
    """The state of process 0, or that of this one."""
    if not options.broadcast_from_rank0 or _is_alone():
        return state
    sent = [_moved(state)]
    distributed.broadcast_object_list(sent, 0)
    return sent[0]


def _prefixes(model: nn.Module, submodules: _Modules) -> list[str]:
    return [f"{_bare(model, name)}." for name, module in model.named_modules() if module in (submodules or ())]


def get_model_state_dict(model: nn.Module, *, submodules: _Modules = None, options: StateDictOptions | None = None) -> dict[str, Any]:
    """Returns the parameters and buffers of a network by name.

    Args:
      model: The network.
      submodules: Parts of it; None for all.
      options: See StateDictOptions.

    Shapes: those of the parameters and buffers.
    Errors: ValueError for `broadcast_from_rank0` without `full_state_dict`.
    """
    options = _checked(options)
    state = {_bare(model, key): value for key, value in model.state_dict().items()}
    if submodules:
        prefixes = _prefixes(model, submodules)
        state = {key if options.keep_submodule_prefixes else key[len(p):]: value
                 for key, value in state.items() for p in prefixes if key.startswith(p)}
    if options.ignore_frozen_params:
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                state.pop(_bare(model, name), None)
    return _delivered(state, options)


def set_model_state_dict(model: nn.Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None) -> _IncompatibleKeys:
    """Loads the parameters and buffers of a network. Returns the names that are missing and those that are unexpected.

    Args:
      model: The network.
      model_state_dict: What `get_model_state_dict` returned, perhaps of a network in another wrapper.
      options: See StateDictOptions.

    Errors: RuntimeError for other names or shapes than those of the network, if `strict`.
    """
    options = _checked(options)
    state = _received(model_state_dict, options)
    if not state:
        return _IncompatibleKeys([], [])
    given = dict(state)
    names = {key: _bare(model, key) for key in model.state_dict()}
    loaded = {key: given.pop(name) for key, name in names.items() if name in given}
    return model.load_state_dict({**loaded, **given}, strict=options.strict)


def _all(optimizers: _Optimizers) -> tuple[Optimizer, ...]:
    return (optimizers,) if isinstance(optimizers, Optimizer) else tuple(optimizers)


def _named(model: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    for name, parameter in model.named_parameters(remove_duplicate=False):
        yield _bare(model, name), parameter


def get_optimizer_state_dict(model: nn.Module, optimizers: _Optimizers, *, submodules: _Modules = None,
                             options: StateDictOptions | None = None) -> dict[str, Any]:
    """Returns the states of optimizers, with the names of parameters in place of numbers.

    An optimizer without a state makes a step with gradients of 0 and a learning rate of 0 first, which creates it.

    Args:
      model: The network.
      optimizers: One or more optimizers of its parameters.
      submodules: Accepted for compatibility; has no effect.
      options: See StateDictOptions.

    Shapes: those of the states.
    Errors: ValueError for `broadcast_from_rank0` without `full_state_dict`.
    """
    options = _checked(options)
    names: dict[Any, str] = {}
    for name, parameter in _named(model):
        names.setdefault(parameter, name)
    result: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in _all(optimizers):
        initialised(optimizer)
        ordered = [names[p] for group in optimizer.param_groups for p in group["params"]]
        own = optimizer.state_dict()
        result["state"].update((ordered[number], value) for number, value in own["state"].items())
        result["param_groups"] += [{**group, "params": [ordered[number] for number in group["params"]]} for group in own["param_groups"]]
    return _delivered(flattened(result) if options.flatten_optimizer_state_dict else result, options)


def set_optimizer_state_dict(model: nn.Module, optimizers: _Optimizers, optim_state_dict: dict[str, Any], *,
                             options: StateDictOptions | None = None) -> None:
    """Loads the states of optimizers.

    Args:
      model: The network.
      optimizers: One or more optimizers of its parameters.
      optim_state_dict: What `get_optimizer_state_dict` returned, nested or flat.
      options: See StateDictOptions.

    Errors: RuntimeError for a parameter without a state, if `strict`.
    """
    options = _checked(options)
    state = _received(optim_state_dict, options)
    names: dict[Any, list[str]] = {}
    for name, parameter in _named(model):
        names.setdefault(parameter, []).append(name)
    for optimizer in _all(optimizers):
        initialised(optimizer)
        if state:
            nested = state if is_nested(state) else unflattened(optimizer, state, names)
            optimizer.load_state_dict(part_of_optimizer(optimizer, nested, names, options.strict))


def get_state_dict(model: nn.Module, optimizers: _Optimizers, *, submodules: _Modules = None,
                   options: StateDictOptions | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the state of a network and that of its optimizers. The arguments are those of `get_optimizer_state_dict`.

    Args:
      model: The network.
      optimizers: One or more optimizers of its parameters.
      submodules: Parts of the network; None for all.
      options: See StateDictOptions.

    Shapes: those of the parameters, buffers and states.
    """
    return (get_model_state_dict(model, submodules=submodules, options=options),
            get_optimizer_state_dict(model, optimizers, options=options) if _all(optimizers) else {})


def set_state_dict(model: nn.Module, optimizers: _Optimizers, *, model_state_dict: dict[str, Any], optim_state_dict: dict[str, Any],
                   options: StateDictOptions | None = None) -> _IncompatibleKeys:
    """Loads the state of a network and that of its optimizers.

    Args:
      model: The network.
      optimizers: One or more optimizers of its parameters.
      model_state_dict: The state of the network.
      optim_state_dict: That of the optimizers.
      options: See StateDictOptions.

    Errors: as `set_model_state_dict` and `set_optimizer_state_dict`.
    """
    if optim_state_dict or options is not None and options.broadcast_from_rank0:
        set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
