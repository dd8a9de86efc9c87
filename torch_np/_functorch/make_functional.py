"""Modules as functions of their parameters, in the interface that torch.func.functional_call replaces."""
from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch_np
from torch_np._C import Tensor
from torch_np.func import stack_module_state
from torch_np.nn import Module
from torch_np.nn.utils.stateless import _place, functional_call


def _extract(model: Module, kind: str) -> tuple[tuple[Tensor, ...], list[list[str]]]:
    """Takes the parameters or buffers out of a module. Returns them, and all names of each."""
    names: dict[int, list[str]] = {}
    tensors: dict[int, Tensor] = {}
    for name, tensor in getattr(model, kind)(remove_duplicate=False):
        names.setdefault(id(tensor), []).append(name)
        tensors[id(tensor)] = tensor
    for group in names.values():
        for name in group:
            table, last = _place(model, name)
            table[last] = None
    return tuple(tensors.values()), list(names.values())


class FunctionalModuleWithBuffers(Module):
    """A module without tensors of its own. It is called with them, as `fmodule(params, buffers, *args)`."""

    def __init__(self, stateless_model: Module, param_names: list[list[str]], buffer_names: list[list[str]]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = [group[0] for group in param_names], [group[0] for group in buffer_names]
        self._groups = [*param_names, *buffer_names]

    def forward(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """Calls the module with these parameters and buffers.

        Args:
          params: Parameters, in the order of `make_functional_with_buffers`.
          buffers: Buffers.
          args: Arguments of the module.
          kwargs: Its keywords.
        """
        tensors = {name: tensor for group, tensor in zip(self._groups, [*params, *buffers], strict=True) for name in group}
        return functional_call(self.stateless_model, tensors, args, kwargs, tie_weights=False)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without parameters of its own. It is called with them, as `fmodule(params, *args)`."""

    def forward(self, params: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """Calls the module with these parameters.

        Args:
          params: Parameters, in the order of `make_functional`.
          args: Arguments of the module.
          kwargs: Its keywords.
        """
        return super().forward(params, (), *args, **kwargs)


def _parameters_of(model: Module, disable_autograd_tracking: bool) -> tuple[Module, tuple[Tensor, ...], list[list[str]]]:
    model = copy.deepcopy(model)
    params, names = _extract(model, "named_parameters")
    if disable_autograd_tracking:
        for param in params:
            param.requires_grad_(False)
    return model, params, names


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple[Tensor, ...]]:
    """Returns a function of the parameters of a module, `fmodel(params, *args)`, and copies of the parameters.

    Args:
      model: Module without buffers.
      disable_autograd_tracking: Whether the parameters do not require gradients.

    Shapes: those of the module.
    Errors: RuntimeError for a module with buffers.
    """
    if next(iter(model.buffers()), None) is not None:
        raise RuntimeError("make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead.")
    stateless, params, names = _parameters_of(model, disable_autograd_tracking)
    return FunctionalModule(stateless, names, []), params


def make_functional_with_buffers(
        model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Returns a function of the parameters and buffers of a module, `fmodel(params, buffers, *args)`, and copies of both.

    Args:
      model: Module.
      disable_autograd_tracking: Whether the parameters do not require gradients.

    Shapes: those of the module.
    """
    stateless, params, names = _parameters_of(model, disable_autograd_tracking)
    buffers, buffer_names = _extract(stateless, "named_buffers")
    return FunctionalModuleWithBuffers(stateless, names, buffer_names), params, buffers


def combine_state_for_ensemble(
        models: Sequence[Module]) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Returns a function of the parameters and buffers of one of several modules, and the stacked tensors of all, for `vmap`.

    Args:
      models: Modules of one class and one mode.

    Shapes: those of the parameters behind a dimension of the modules.
    Errors: RuntimeError for no modules, and for different classes or modes.
    """
    params, buffers = stack_module_state(models)
    function, _, _ = make_functional_with_buffers(models[0])
    return (function, tuple(params[name] for name in function.param_names), tuple(buffers[name] for name in function.buffer_names))


def _stacked(made: Sequence[Sequence[Tensor]]) -> tuple[Tensor, ...]:
    return tuple(torch_np.stack(tensors).detach() for tensors in zip(*made))


def _made(model_class: Callable[..., Module], ensemble_shape: Sequence[int], device: Any, args: Any, kwargs: Any) -> tuple[Any, ...]:
    """A functional module, the parameters and the buffers, of one model or stacked."""
    if len(ensemble_shape) > 1:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    if not ensemble_shape:
        return make_functional_with_buffers(model_class(*args, **kwargs).to(device))
    if ensemble_shape[0] <= 0:
        raise ValueError(f"num_models {ensemble_shape[0]} should be > 0")
    models = [make_functional_with_buffers(model_class(*args, **kwargs).to(device)) for _ in range(ensemble_shape[0])]
    return models[0][0], _stacked([m[1] for m in models]), _stacked([m[2] for m in models])


def functional_init(model_class: Callable[..., Module], ensemble_shape: Sequence[int] = (), device: Any = "cpu") -> Callable[..., Any]:
    """Returns a function that constructs modules. It returns the parameters, stacked if there are several modules; a function
    `fn(params, args)` that calls one of them with a tuple of arguments; and the parameters' names.

    Args:
      model_class: Class of the modules, which have no buffers.
      ensemble_shape: Number of modules as (n,); () is one module.
      device: Device of the parameters.

    Errors: ValueError for a shape of several dimensions.
    """
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        function, params, _ = _made(model_class, ensemble_shape, device, args, kwargs)
        return params, lambda weights, data: function(weights, (), *data), tuple(function.param_names)
    return wrapped


def functional_init_with_buffers(model_class: Callable[..., Module], ensemble_shape: Sequence[int] = (), device: Any = "cpu") -> Callable[..., Any]:
    """As `functional_init`, of modules with buffers: parameters, buffers, a function `fn(params, buffers, args)`, and the names of both.

    Args:
      model_class: Class of the modules.
      ensemble_shape: Number of modules as (n,); () is one module.
      device: Device of the parameters and buffers.

    Errors: ValueError for a shape of several dimensions.
    """
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        function, params, buffers = _made(model_class, ensemble_shape, device, args, kwargs)
        return (params, buffers, lambda weights, state, data: function(weights, state, *data), tuple(function.param_names), tuple(function.buffer_names))
    return wrapped
