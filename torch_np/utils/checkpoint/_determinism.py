"""Comparison of the two computations of a checkpoint: of the tensors that operators save."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from torch_np import _C
from torch_np.overrides import TorchFunctionMode, resolve_name


class CheckpointError(RuntimeError):
    """The second computation of a checkpoint saved other tensors than the first one."""


class Checks(NamedTuple):
    """Which differences between the two computations are errors.

    Fewer saved tensors than in the first computation are an error always.

    Args:
      metadata: Whether other shapes, dtypes or devices are.
      stops_early: Whether the second computation ends with the last tensor that the first one saved. If
        not, more tensors are an error.
      debug: Whether the text of the error lists the functions that were called.
    """

    metadata: bool
    stops_early: bool
    debug: bool


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
    """What one computation saved and called."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self._tensors: list[dict[str, Any] | None] = []
        self._log: list[str] = []

    def __len__(self) -> int:
        """The number of the saved tensors."""
        return len(self._tensors)

    @contextlib.contextmanager
    def logged(self) -> Iterator[None]:
        """A context in which the function runs."""
        if not self._checks.debug:
            yield
            return
        log = _Log()
        self._log = log.lines
        with log:
            yield

    def add(self, tensor: _C.Tensor) -> None:
        """Adds a saved tensor."""
        self._tensors.append(_described(tensor) if self._checks.metadata else None)

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
        saved, found = self._tensors, second._tensors
        if len(found) < len(saved):
            raise CheckpointError("torch_np.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                                  f"Number of tensors saved during forward: {len(saved)}\nNumber of tensors saved during recomputation: {len(found)}.")
        if len(found) > len(saved):
            raise CheckpointError("torch_np.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
                                  f"pass: {len(found)} instead of {len(saved)}.")
        wrong = "".join(f"tensor at position {i}:\nsaved metadata: {a}\nrecomputed metadata: {b}\n"
                        for i, (a, b) in enumerate(zip(saved, found, strict=True)) if a != b)
        if wrong:
            raise CheckpointError("torch_np.utils.checkpoint: Recomputed values for the following tensors have different metadata than during "
                                  f"the forward pass.\n{wrong}")

