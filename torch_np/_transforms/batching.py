"""Batches: the tensors of one vmap, and the interceptor that computes their operators.

A batched tensor is a wrapped one with a single part, whose first axis is the batch. A rule computes
an operator of all samples with operators on the parts (batch_rules).
"""
from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from torch_np import _C
from torch_np._transforms._levels import next_level


class _Thread(threading.local):
    """The batches whose functions run on this thread, the innermost last."""

    def __init__(self) -> None:
        self.active: list[Batch] = []


_thread = _Thread()


class Batch:
    """The samples of one call of a function that vmap transforms.

    Args:
      size: Number of samples.
      randomness: 'error', 'same' or 'different'.
      device: Device of the parts.
    """

    def __init__(self, size: int, randomness: str, device: Any) -> None:
        self.size, self.randomness, self.device = size, randomness, device
        self.level = next_level()

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """A context in which the operators on this batch are intercepted."""
        from torch_np._transforms import batch_rules
        interceptor = _C._Interceptor(functools.partial(batch_rules.compute, self), self.level)
        interceptor.device, interceptor.batch_size = self.device, self.size
        interceptor.watch(batch_rules.RANDOM)
        interceptor.push()
        _thread.active.append(self)
        try:
            yield
        finally:
            _thread.active.pop()
            interceptor.pop()

    # --- tensors

    def wrap(self, part: _C.Tensor, base: _C.Tensor | None = None) -> _C.Tensor:
        """The tensor of one sample; the first axis of `part` is the batch. `base`: of which it is a view."""
        return _C._batched(self.level, part, base)

    def part(self, value: Any) -> _C.Tensor | None:
        """The part of a tensor of this batch; None for all other values."""
        return _C._batch_of(self.level, value)

    def lift(self, t: _C.Tensor) -> _C.Tensor:
        """`t` as a tensor of this batch, which is the same for all samples. Derivatives by it within the function
        are apart from those by `t`.
        """
        parts = _C._wrapped_parts(t)  # transformations that began later have greater levels
        return t if parts is not None and parts[0] >= self.level else _C._lifted(self.level, t)

    def plain(self, value: Any) -> Any:
        """The tensor that lift() got; all other values stay."""
        part = _C._lifted_part(self.level, value)
        return value if part is None else part

    def full(self, t: _C.Tensor) -> _C.Tensor:
        """The values of all samples, with the batch in front."""
        part = _C._batch_of(self.level, t)
        return self.plain(t).expand(self.size, *t.shape) if part is None else part

    def aligned(self, t: _C.Tensor, rank: int) -> _C.Tensor:
        """The part of `t` with axes of size 1 behind the batch, so that samples have `rank` axes. A tensor
        that is not batched stays as it is: it broadcasts.
        """
        part = _C._batch_of(self.level, t)
        if part is None:
            return self.plain(t)
        return part if part.dim() > rank else padded(part, rank)

    def wrapped(self, results: Any) -> Any:
        """The results of an operator on parts as batched tensors."""
        if isinstance(results, _C.Tensor):
            return _C._batched(self.level, results)
        if isinstance(results, (tuple, list)):
            return type(results)(None if r is None else _C._batched(self.level, r) for r in results)
        return results

    def again(self, call: Any, args: Sequence[Any]) -> Any:
        """Calls the operator of `call` on batched tensors, so that its inner operators are intercepted."""
        with self.active():
            return call.run(list(args))


def innermost(tensors: Iterable[_C.Tensor]) -> Batch | None:
    """The innermost running batch that one of the tensors belongs to."""
    levels = {parts[0] for parts in map(_C._wrapped_parts, tensors) if parts is not None}
    return next((b for b in reversed(_thread.active) if b.level in levels), None) if levels else None


def beside(tensor: _C.Tensor, made: _C.Tensor) -> _C.Tensor:
    """A new tensor, with a value for each sample if `tensor` is batched."""
    if innermost([tensor]) is not None:
        for batch in running():
            made = batch.wrap(batch.full(made).clone())
    return made


def running() -> list[Batch]:
    """The batches whose functions run on this thread, the innermost last."""
    return _thread.active


def padded(part: _C.Tensor, rank: int) -> _C.Tensor:
    """A batch of samples with `rank` axes: new ones, of size 1, come first."""
    missing = rank + 1 - part.dim()
    return part.reshape(part.shape[0], *[1] * missing, *part.shape[1:]) if missing > 0 else part


def run(name: str, *args: Any) -> Any:
    """Calls a native operator by its name, on all its arguments."""
    return _C._run_operator(name, list(args))


def is_recorded(*tensors: Any) -> bool:
    """Whether autograd records an operator on these tensors."""
    return _C._is_grad_enabled() and any(isinstance(t, _C.Tensor) and t.requires_grad for t in tensors)
