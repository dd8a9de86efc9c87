"""Pruning: parameters of modules with elements or channels set to zero by a mask."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn.utils._prune_methods import (
    BasePruningMethod, CustomFromMask, Identity, L1Unstructured, LnStructured, PruningContainer, RandomStructured, RandomUnstructured,
    _compute_nparams_toprune as _compute_nparams_toprune, _validate_pruning_amount as _validate_pruning_amount,
    _validate_pruning_amount_init as _validate_pruning_amount_init,
)

__all__ = ["BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer", "RandomStructured",
           "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned", "l1_unstructured", "ln_structured",
           "random_structured", "random_unstructured", "remove"]

# Pickles name this module, which programs import from, instead of the private file.
for _class in (BasePruningMethod, CustomFromMask, Identity, L1Unstructured, LnStructured, PruningContainer, RandomStructured,
               RandomUnstructured):
    _class.__module__ = __name__
del _class


def identity(module: Any, name: str) -> Any:
    """Adds the mask of ones and the original parameter, without pruning. Returns the module.

    Args:
      module: the module
      name: name of the parameter
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Prunes random elements of a parameter. Returns the module.

    Args:
      module: the module
      name: name of the parameter
      amount: number of elements, or their fraction

    Errors: TypeError or ValueError for another `amount`.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Tensor | None = None) -> Any:
    """Prunes the elements of a parameter with the smallest absolute values. Returns the module.

    Args:
      module: the module
      name: name of the parameter
      amount: number of elements, or their fraction
      importance_scores: numbers that decide in place of the parameter

    Shapes: `importance_scores` as the parameter.
    Errors: TypeError or ValueError for another `amount`.
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prunes random channels of a parameter. Returns the module.

    Args:
      module: the module
      name: name of the parameter
      amount: number of channels, or their fraction
      dim: axis of channels

    Errors: TypeError or ValueError for another `amount`, IndexError for a `dim` out of range.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None) -> Any:
    """Prunes the channels of a parameter with the smallest norms. Returns the module.

    Args:
      module: the module
      name: name of the parameter
      amount: number of channels, or their fraction
      n: order of the norm
      dim: axis of channels
      importance_scores: numbers that decide in place of the parameter

    Shapes: `importance_scores` as the parameter.
    Errors: TypeError or ValueError for another `amount`, IndexError for a `dim` out of range.
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prunes a parameter by a mask. Returns the module.

    Args:
      module: the module
      name: name of the parameter
      mask: zeros for pruned elements, else ones

    Shapes: `mask` as the parameter.
    Errors: ValueError for a mask of another shape.
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters: Iterable[tuple[Any, str]], pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prunes elements of several parameters together: those that a method finds in all of them.

    Args:
      parameters: pairs of a module and the name of its parameter
      pruning_method: class of an unstructured method
      importance_scores: numbers that decide, by the pairs of `parameters`
      kwargs: keywords of the method, such as `amount`

    Errors: TypeError if `parameters` is not iterable, or the method is not unstructured.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs, scores = list(parameters), importance_scores or {}
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores should be of type dict")
    importance = [scores.get((module, name), getattr(module, name)).detach() for module, name in pairs]
    found = [getattr(module, name + "_mask", None) for module, name in pairs]
    masks = [_C._torch.ones_like(t) if mask is None else mask for t, mask in zip(importance, found)]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of type '
                        f"{method.PRUNING_TYPE}")
    final = container.compute_mask(_C._torch.cat([t.reshape(-1) for t in importance]), _C._torch.cat([m.reshape(-1) for m in masks]))
    at = 0
    for (module, name), t in zip(pairs, importance):
        custom_from_mask(module, name, final[at:at + t.numel()].view_as(t))
        at += t.numel()


def remove(module: Any, name: str) -> Any:
    """Makes the pruning of a parameter permanent: the pruned value becomes the parameter. Returns
    the module.

    Args:
      module: the module
      name: name of the parameter

    Errors: ValueError if the parameter is not pruned.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether a module, or one within it, has a pruned parameter.

    Args:
      module: the module
    """
    return any(isinstance(hook, BasePruningMethod) for part in module.modules() for hook in part._forward_pre_hooks.values())
