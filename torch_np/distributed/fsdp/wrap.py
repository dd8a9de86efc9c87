"""torch_np.distributed.fsdp.wrap: policies that choose the modules of a network that are wrapped, as in activation checkpoints
(torch_np.distributed.algorithms._checkpoint.checkpoint_wrapper).
"""
from __future__ import annotations

import contextlib
import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch_np import nn

_Arguments = dict[nn.Module, dict[str, Any]]


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """The policy that wraps every module."""
    return True


class _Policy(ABC):
    """A policy that names modules, and the arguments of their wrappers."""

    @abstractmethod
    def _run_policy(self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]) -> _Arguments:
        """The modules to wrap, with arguments."""


class ModuleWrapPolicy(_Policy):
    """The policy that wraps the instances of classes.

    Args:
      module_classes: The classes.
    """

    def __init__(self, module_classes: Iterable[type[nn.Module]]) -> None:
        self._module_classes = set(module_classes)

    def _run_policy(self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]) -> _Arguments:
        return {m: copy.copy(root_kwargs) for m in root_module.modules() if m not in ignored_modules and isinstance(m, tuple(self._module_classes))}

    def __call__(self, module: nn.Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return recurse or isinstance(module, tuple(self._module_classes))

    def __repr__(self) -> str:
        return f"{super().__repr__()}({self._module_classes})"


class CustomPolicy(_Policy):
    """The policy that asks a function.

    Args:
      lambda_fn: The function of a module: whether it is wrapped, or further arguments of its wrapper.
    """

    def __init__(self, lambda_fn: Callable[[nn.Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def _run_policy(self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]) -> _Arguments:
        chosen: _Arguments = {}
        for module in root_module.modules():
            if module in ignored_modules:
                continue
            answer = self._lambda_fn(module)
            if not isinstance(answer, (dict, bool)):
                raise ValueError(f"The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, but it returned {answer}")
            if answer:
                chosen[module] = copy.copy(root_kwargs) | (answer if isinstance(answer, dict) else {})
        return chosen


def lambda_auto_wrap_policy(module: nn.Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[nn.Module], bool]) -> bool:
    """Whether to wrap a module, by a function.

    Args:
      module: The module.
      recurse: Asks whether to go on to the children, instead.
      nonwrapped_numel: Parameters that are not wrapped yet, which this policy ignores.
      lambda_fn: The function.
    """
    return recurse or lambda_fn(module)


def transformer_auto_wrap_policy(module: nn.Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type[nn.Module]]) -> bool:
    """Whether to wrap a module, by its class. The arguments are those of `lambda_auto_wrap_policy`.

    Args:
      module: The module.
      recurse: Asks whether to go on to the children, instead.
      nonwrapped_numel: Parameters that are not wrapped yet, which this policy ignores.
      transformer_layer_cls: The classes.
    """
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(module: nn.Module, recurse: bool, nonwrapped_numel: int, min_num_params: int = int(1e8),
                                force_leaf_modules: set[type[nn.Module]] | None = None,
                                exclude_wrap_modules: set[type[nn.Module]] | None = None) -> bool:
    """Whether to wrap a module, by the number of its parameters.

    Args:
      module: The module.
      recurse: Asks whether to go on to the children, instead.
      nonwrapped_numel: Elements of parameters that are not wrapped yet.
      min_num_params: The least number for a wrapper.
      force_leaf_modules: Classes whose children are not wrapped; {MultiheadAttention} by default.
      exclude_wrap_modules: Classes that are not wrapped; {ModuleList, ModuleDict} by default.
    """
    leaves = {nn.MultiheadAttention} if force_leaf_modules is None else force_leaf_modules
    others = {nn.ModuleList, nn.ModuleDict} if exclude_wrap_modules is None else exclude_wrap_modules
    return nonwrapped_numel >= min_num_params and not isinstance(module, tuple(leaves if recurse else others))


_wrappers: list[tuple[Any, dict[str, Any]]] = []  # of the contexts that are active


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Context manager in which `wrap` wraps modules.

    Args:
      wrapper_cls: The class, or a function, of a module.
      wrapper_kwargs: Its further arguments.
    """
    _wrappers.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _wrappers.pop()


def wrap(module: nn.Module, **wrap_overrides: Any) -> nn.Module:
    """Wraps a module by the wrapper of `enable_wrap`; returns it unchanged outside of that context.

    Args:
      module: The module.
      wrap_overrides: Arguments in place of those of the context.
    """
    if not _wrappers:
        return module
    wrapper_cls, kwargs = _wrappers[-1]
    return wrapper_cls(module, **{**kwargs, **wrap_overrides, **getattr(module, "_wrap_overrides", {})})


def _recursive_wrap(module: nn.Module, auto_wrap_policy: Callable[..., bool], wrapper_cls: Any, ignored_modules: set[nn.Module],
                    ignored_params: set[nn.Parameter], only_wrap_children: bool = False, **kwargs: Any) -> tuple[nn.Module, int]:
    """Wraps a module and its descendants, children first. Returns it, and the number of elements of parameters that are wrapped."""
    if isinstance(wrapper_cls, type) and any(isinstance(m, wrapper_cls) for m in module.modules() if m not in ignored_modules):
        raise AssertionError(f"a module is already wrapped by {wrapper_cls}")
    size = sum(p.numel() for p in module.parameters() if p not in ignored_params)
    if not auto_wrap_policy(module=module, recurse=True, nonwrapped_numel=size):
        return module, 0
    wrapped = 0
    for name, child in module.named_children():
        if child not in ignored_modules:
            new, count = _recursive_wrap(child, auto_wrap_policy, wrapper_cls, ignored_modules, ignored_params, **kwargs)
            setattr(module, name, new)
            wrapped += count
    if not only_wrap_children and auto_wrap_policy(module=module, recurse=False, nonwrapped_numel=size - wrapped):
        return wrapper_cls(module, **{**kwargs, **getattr(module, "_wrap_overrides", {})}), size
    return module, wrapped
