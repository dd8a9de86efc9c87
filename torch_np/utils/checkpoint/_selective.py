"""Selective checkpoints: a policy chooses the operators whose results are kept for the backward pass."""
from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch_np import _C
from torch_np.utils._python_dispatch import TorchDispatchMode
from torch_np.utils._pytree import tree_map


class CheckpointPolicy(enum.Enum):
    """What a selective checkpoint does with the result of an operator. Results are kept for MUST_SAVE
    and PREFER_SAVE, and computed again for all others.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


@dataclass(kw_only=True)
class SelectiveCheckpointContext:
    """The first argument of the policy of a selective checkpoint."""

    is_recompute: bool
    op_output: Any = None


# Operators that selective checkpoints never ask their policy for, by name.
SAC_IGNORED_OPS: set[Any] = set()
_IGNORED = frozenset(("aten::detach", "aten::_local_scalar_dense", "aten::is_pinned"))
_SAVED = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
_CONSUMED = object()
_RECOMPUTE = object()
_MISMATCH = ("This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that changed between "
             "forward and backward.")


def _is_ignored(func: Any) -> bool:
    return func.name() in _IGNORED or func in SAC_IGNORED_OPS


class _Kept:
    """A kept result, and the version of its memory."""

    def __init__(self, value: Any) -> None:
        self.val = value.detach() if isinstance(value, _C.Tensor) else value  # autograd gives the result itself a history
        self.version = value._version if isinstance(value, _C.Tensor) else None

    def get_val(self, may_change: bool) -> Any:
        if self.version is not None and not may_change and self.val._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.val


class _CachingTorchDispatchMode(TorchDispatchMode):
    """Keeps results in the forward pass."""

    def __init__(self, policy_fn: Callable[..., Any], storage: dict[Any, dict[int, Any]]) -> None:
        self.policy_fn, self.storage = policy_fn, storage
        self.func_counter: dict[Any, int] = defaultdict(int)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if _is_ignored(func):
            return out
        index = self.func_counter[func]
        self.func_counter[func] += 1
        policy = self.policy_fn(SelectiveCheckpointContext(is_recompute=False, op_output=out), func, *args, **kwargs)
        is_saved = policy if isinstance(policy, bool) else policy in _SAVED
        self.storage[func][index] = tree_map(_Kept, out) if is_saved else _RECOMPUTE
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """Returns the kept results in the second computation."""

    def __init__(self, policy_fn: Callable[..., Any], storage: dict[Any, dict[int, Any]], allow_cache_entry_mutation: bool) -> None:
        self.policy_fn, self.storage, self.allow_cache_entry_mutation = policy_fn, storage, allow_cache_entry_mutation
        self.func_counter: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Any:
        self.func_counter.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if _is_ignored(func):
            return func(*args, **kwargs)
        index = self.func_counter[func]
        self.func_counter[func] += 1
        kept = self.storage.get(func)
        if kept is None:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {_MISMATCH}")
        entry = kept.get(index)
        if entry is None:
            raise RuntimeError(f"{func} invocation index {index} encountered during backward but not found in storage. {_MISMATCH}")
        if entry is _CONSUMED:
            raise RuntimeError("Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
                               "activation checkpoint.")
        if entry is _RECOMPUTE:
            return func(*args, **kwargs)
        kept[index] = _CONSUMED
        return tree_map(lambda x: x.get_val(self.allow_cache_entry_mutation), entry)


def _policy_of(operators: list[Any]) -> Callable[..., CheckpointPolicy]:
    from torch_np._transforms.overloads import OpOverload, OpOverloadPacket

    for op in operators:
        if not isinstance(op, OpOverload):
            more = "; please update the OpOverloadPacket to a specific OpOverload" if isinstance(op, OpOverloadPacket) else ""
            raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}{more}. "
                             f"For example, if you have `torch.ops.aten.mm`, replace it with `torch.ops.aten.mm.default`.")

    def policy(context: Any, func: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        return CheckpointPolicy.MUST_SAVE if func in operators else CheckpointPolicy.PREFER_RECOMPUTE
    return policy


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> tuple[Any, Any]:
    """Returns the two contexts of a checkpoint that keeps the results of chosen operators:

        checkpoint(f, x, use_reentrant=False,
                   context_fn=partial(create_selective_checkpoint_contexts, [torch_np.ops.aten.mm.default]))

    Args:
      policy_fn_or_list: Operators whose results are kept; or a function of a SelectiveCheckpointContext,
        the operator and its arguments that returns a CheckpointPolicy.
      allow_cache_entry_mutation: Whether kept results may change in place; if not, the backward pass
        raises RuntimeError.

    Errors: ValueError for elements of the list that are no operators; TypeError for other objects.
    """
    if isinstance(policy_fn_or_list, list):
        policy = _policy_of(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[Any, dict[int, Any]] = defaultdict(dict)
    return _CachingTorchDispatchMode(policy, storage), _CachedTorchDispatchMode(policy, storage, allow_cache_entry_mutation)
