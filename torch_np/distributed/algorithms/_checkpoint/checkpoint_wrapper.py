"""torch_np.distributed.algorithms._checkpoint.checkpoint_wrapper: modules whose forward pass is a checkpoint
(torch_np.utils.checkpoint), or whose saved tensors wait on the CPU.
"""
from __future__ import annotations

import enum
import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from torch_np import nn
from torch_np.autograd.graph import save_on_cpu
from torch_np.utils.checkpoint import checkpoint

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = f"{_CHECKPOINT_WRAPPED_MODULE}."


class CheckpointImpl(enum.Enum):
    """The two kinds of checkpoints."""

    REENTRANT = 1
    NO_REENTRANT = 2


def _renamed(state: dict[str, Any], old: str, new: str) -> None:
    for key in [k for k in state if k.startswith(old)]:
        state[new + key[len(old):]] = state.pop(key)


class ActivationWrapper(nn.Module, ABC):
    """Base class of the wrappers. State dictionaries have the names of the wrapped module; other attributes are its own.

    Args:
      mod: The module.
    """

    def __init__(self, mod: nn.Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._post_state_dict_hook)
        self.register_load_state_dict_pre_hook(self._pre_load_state_dict_hook)

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module."""

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._checkpoint_wrapped_module[key]  # type: ignore[index]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, nn.Parameter]]:
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter

    @staticmethod
    def _post_state_dict_hook(module: nn.Module, state_dict: dict[str, Any], prefix: str, *args: Any) -> dict[str, Any]:
        _renamed(state_dict, f"{prefix}{_CHECKPOINT_PREFIX}", prefix)
        return state_dict

    @staticmethod
    def _pre_load_state_dict_hook(module: nn.Module, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        _renamed(state_dict, prefix, f"{prefix}{_CHECKPOINT_PREFIX}")


class OffloadWrapper(ActivationWrapper):
    """A module whose saved tensors wait on the CPU until the backward pass.

    Args:
      mod: The module.
    """

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """A module that recomputes its activations in the backward pass. The arguments are those of `checkpoint_wrapper`."""

    def __init__(self, mod: nn.Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
                 checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any) -> None:
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        self.checkpoint_fn = (
            functools.partial(checkpoint, use_reentrant=checkpoint_impl == CheckpointImpl.REENTRANT, **checkpoint_fn_kwargs)
            if checkpoint_fn is None else functools.partial(checkpoint_fn, **checkpoint_fn_kwargs))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if self.checkpoint_impl != CheckpointImpl.REENTRANT or not kwargs:
            return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)
        # A checkpoint of this kind has no keywords.
        count, names = len(args), tuple(kwargs)

        def call(*values: Any) -> Any:
            return self._checkpoint_wrapped_module(*values[:count], **dict(zip(names, values[count:], strict=True)))

        return self.checkpoint_fn(call, *args, *kwargs.values())


def offload_wrapper(module: nn.Module) -> nn.Module:
    """Returns a module whose saved tensors wait on the CPU.

    Args:
      module: The module that it calls.
    """
    return OffloadWrapper(module)


def checkpoint_wrapper(module: nn.Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
                       checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any) -> nn.Module:
    """Returns a module that recomputes its activations in the backward pass.

    Args:
      module: The module that it calls.
      checkpoint_impl: The kind of checkpoint, for `torch_np.utils.checkpoint.checkpoint`.
      checkpoint_fn: A function in place of that one.
      checkpoint_fn_kwargs: Further arguments of the function.
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(model: nn.Module, checkpoint_wrapper_fn: Callable[..., nn.Module] = checkpoint_wrapper,
                                   check_fn: Callable[[nn.Module], bool] = lambda _: True,
                                   auto_wrap_policy: Any = None) -> None:
    """Replaces modules within `model`, in place, by wrappers.

    Args:
      model: The network, which is not wrapped itself.
      checkpoint_wrapper_fn: The function that wraps a module.
      check_fn: Whether a module is wrapped.
      auto_wrap_policy: A policy in place of `check_fn` (torch_np.distributed.fsdp.wrap).

    Errors: ValueError for a policy that is neither callable nor one of that module.
    """
    from torch_np.distributed.fsdp.wrap import _Policy, _recursive_wrap, lambda_auto_wrap_policy

    policy = functools.partial(lambda_auto_wrap_policy, lambda_fn=check_fn) if auto_wrap_policy is None else auto_wrap_policy
    if callable(policy):
        _recursive_wrap(model, policy, checkpoint_wrapper_fn, set(), set(), only_wrap_children=True)
        return
    if not isinstance(policy, _Policy):
        raise ValueError(f"Expected {policy} to be callable or be a pre-defined wrap policy")
    chosen = policy._run_policy(model, set(), {})
    places = [(parent, name, child) for parent in model.modules() for name, child in parent.named_children()]
    for parent, name, child in reversed(places):
        if child in chosen:
            setattr(parent, name, checkpoint_wrapper_fn(child, **chosen[child]))
