"""The table of batch rules, and what happens to operators without one."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batching import Batch
from torch_np._transforms.schemas import parsed

Rule = Callable[[Batch, Any], Any]

RULES: dict[str, Rule] = {}
KINDS: dict[str, Rule] = {}  # of operators without a rule of their own
DRAWS: set[Rule] = set()     # rules of random operators
COMPOSED: set[str] = set()   # rules of composite operators that keep the history of their results
_warned: set[str] = set()


def rule(*names: str, composed: bool = False) -> Callable[[Rule], Rule]:
    """Enters a rule for these operators. `composed`: it also computes composite operators that the tape
    records, whose inner operators it calls.
    """
    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
            if composed:
                COMPOSED.add(name)
        return function
    return enter


def compute(b: Batch, call: Any) -> Any:
    """The results of an operator; NotImplemented for a composite one whose inner operators are to be seen."""
    name, kind = call.name, call.kind
    found = RULES.get(name)
    if kind == "composite" and (found is None or (call.is_recorded and name not in COMPOSED)):
        return NotImplemented
    if call.has_lifted and (not call.is_recorded or kind != "composite"):
        args = call.args
        plain = [_plain(b, a) for a in args]
        if not any(is_batched(b, p) for p in plain) and found not in DRAWS:
            return _lifted(b, call, args, plain)
        call = Call(call, plain)
    if found is None:
        found = KINDS.get(kind, loop_aloud)
    if kind == "kernel" and call.schema is not None:
        args = call.args
        if len(args) > len(parsed(call.schema).arguments):
            made = found(b, Call(call, args[:-1], (None,)))
            return made if args[-1] is None else _copied(b, call, args[-1], made)
    return found(b, call)


class Call:
    """A call with other arguments: those of lifted tensors' parts, or without the option `out`."""

    def __init__(self, call: Any, args: list[Any], rest: tuple[Any, ...] = ()) -> None:
        self._call, self._args, self._rest = call, args, rest
        self.name, self.kind, self.schema, self.is_recorded = call.name, call.kind, call.schema, call.is_recorded
        self.promotes_as_numpy, self.has_lifted = call.promotes_as_numpy, call.has_lifted

    @property
    def args(self) -> list[Any]:
        return list(self._args)

    def run(self, args: list[Any]) -> Any:
        return self._call.run([*args, *self._rest])


def _plain(b: Batch, value: Any) -> Any:
    if isinstance(value, _C.Tensor):
        return b.plain(value)
    if isinstance(value, list) and any(isinstance(v, _C.Tensor) for v in value):
        made = [v if v is None else b.plain(v) for v in value]
        return made if any(m is not v for m, v in zip(made, value)) else value
    return value


def _lifted(b: Batch, call: Any, args: list[Any], plain: list[Any]) -> Any:
    """The results of a call without batched tensors: of lifted ones, whose parts compute it."""
    if call.name == "item":
        return plain[0].item()
    if call.schema is None:
        (plain[0].copy_ if call.name == "copy_" else plain[0].fill_)(plain[1])
        results = plain[0]
    else:
        results = call.run(plain)
    pairs = [(a, p) for a, p in zip(args, plain) if isinstance(a, _C.Tensor) and p is not a]

    def lifted(result: _C.Tensor | None) -> _C.Tensor | None:
        if result is None:
            return None
        for a, p in pairs:
            if result is p:
                _C._bump_version(a)
                return a
        base = next((a for a, p in pairs if _C._shares_storage(result, p)), None)
        return _C._lifted(b.level, result, base)
    if isinstance(results, (tuple, list)):
        return type(results)(lifted(r) for r in results)
    return lifted(results) if isinstance(results, _C.Tensor) else results


def _copied(b: Batch, call: Any, out: _C.Tensor, made: _C.Tensor) -> _C.Tensor:
    part = b.part(made)
    check_changeable(b, out, call.name).copy_(made if part is None else part)
    _C._bump_version(out)
    return out


def is_batched(b: Batch, value: Any) -> bool:
    if isinstance(value, list):
        return any(b.part(v) is not None for v in value)
    return b.part(value) is not None


def check_changeable(b: Batch, target: _C.Tensor, name: str) -> _C.Tensor:
    """The part of a tensor that an operator changes; raises PyTorch's error if that is not batched."""
    part = b.part(target)
    if part is None:
        raise RuntimeError(
            f"vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
            f"elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. Please try to "
            f"use out-of-place operators instead of inplace arithmetic: {name}(). If said operator is being called inside the PyTorch "
            "framework, please file a bug report instead.")
    return part


def _sample(b: Batch, value: Any, i: int) -> Any:
    if isinstance(value, list):
        return [_sample(b, v, i) for v in value]
    part = b.part(value)
    if part is None:
        return value
    return part.select(0, i) if i < part.shape[0] else part.new_zeros(part.shape[1:])


def loop(b: Batch, call: Any) -> Any:
    """Calls the operator once for each sample."""
    args = call.args
    if parsed(call.schema).is_mutable:
        check_changeable(b, args[0], call.name)
        for i in range(b.size):
            call.run([_sample(b, a, i) for a in args])
        _C._bump_version(args[0])
        return args[0]
    results = [call.run([_sample(b, a, i) for a in args]) for i in range(max(b.size, 1))]
    first = results[0]
    if isinstance(first, _C.Tensor):
        return b.wrap(_torch.stack(results)[:b.size])
    if isinstance(first, (tuple, list)):
        columns = zip(*results)
        return type(first)(None if c[0] is None else b.wrap(_torch.stack(c)[:b.size]) for c in columns)
    raise RuntimeError(f"vmap: {call.name}() reads values of a batched tensor, and its result is one number for all samples")


def loop_aloud(b: Batch, call: Any) -> Any:
    """As loop(), with PyTorch's warning, once for each operator."""
    if call.name not in _warned:
        _warned.add(call.name)
        warnings.warn(f"There is a performance drop because we have not yet implemented the batching rule for {call.name}. It runs once for each "
                      "sample.", UserWarning, stacklevel=2)
    return loop(b, call)
