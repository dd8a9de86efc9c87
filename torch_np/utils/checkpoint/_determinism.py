"""Comparison of the two computations of a checkpoint: of their results, and of the tensors that operators save."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from torch_np import _C
from torch_np.autograd._saved_tensors import watched_saves
from torch_np.overrides import TorchFunctionMode, resolve_name


class CheckpointError(RuntimeError):
    """The second computation of a checkpoint gave other results than the first one."""


class Checks(NamedTuple):
    """Which differences between the two computations are errors.

    Args:
      metadata: Other shapes, dtypes or devices.
      more: More saved tensors than in the first computation. Fewer are an error always.
      debug: Whether the text of the error lists the functions that were called.
      compares: Whether differences are errors at all.
    """

    metadata: bool
    more: bool
    debug: bool
    compares: bool = True

    @classmethod
    def none(cls) -> Checks:
        """No comparison."""
        return cls(False, False, False, False)


def _described(t: _C.Tensor) -> dict[str, Any]:
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


class _Log(TorchFunctionMode):
    """A list of the functions that are called."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.lines.append(resolve_name(func) or str(getattr(func, "__name__", func)))
        return func(*args, **(kwargs or {}))


class Record:
    """What one computation saved, gave and called."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self._tensors: list[dict[str, Any]] = []
        self._log: list[str] = []

    @contextlib.contextmanager
    def of_saves(self) -> Iterator[None]:
        """A context in which the function runs."""
        if not self._checks.compares:
            yield
            return
        log = _Log()
        with watched_saves(lambda t: self._tensors.append(_described(t))), log if self._checks.debug else contextlib.nullcontext():
            yield
        self._log = log.lines

    def add_results(self, results: list[_C.Tensor]) -> None:
        """Adds the differentiable results."""
        self._results = [_described(t) for t in results]

    def compare(self, second: Record) -> None:
        """Raises CheckpointError unless the second computation did the same."""
        try:
            self._compare(second)
        except CheckpointError as error:
            if not self._checks.debug:
                raise
            raise CheckpointError(
                f"{error}\n\nFunctions that the forward pass called:\n  " + "\n  ".join(self._log) +
                "\n\nFunctions that the recomputation called:\n  " + "\n  ".join(second._log) +
                "\n\nYou are seeing this error because you passed `debug=True` to checkpoint and the two lists, or the results, differ. "
                "Look for the first difference.") from None

    def _compare(self, second: Record) -> None:
        if len(second._results) != len(self._results):
            _raise_number(len(self._results), len(second._results))
        if not self._checks.compares:
            return
        saved, found = self._tensors, second._tensors
        if len(found) < len(saved):
            _raise_number(len(saved), len(found))
        if len(found) > len(saved) and self._checks.more:
            raise CheckpointError("torch_np.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
                                  f"pass: {len(found)} instead of {len(saved)}.")
        if not self._checks.metadata:
            return
        wrong = "".join(f"tensor at position {i}:\nsaved metadata: {a}\nrecomputed metadata: {b}\n"
                        for i, (a, b) in enumerate(zip(saved + self._results, found[:len(saved)] + second._results, strict=True)) if a != b)
        if wrong:
            raise CheckpointError("torch_np.utils.checkpoint: Recomputed values for the following tensors have different metadata than during "
                                  f"the forward pass.\n{wrong}")


def _raise_number(first: int, second: int) -> None:
    raise CheckpointError("torch_np.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                          f"Number of tensors saved during forward: {first}\nNumber of tensors saved during recomputation: {second}.")
