"""Settings of checkpoints, and the names of PyTorch's selective checkpoints."""
from __future__ import annotations

import enum
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch_np._absent import absent_function


class _Settings(threading.local):
    early_stop = True
    debug: bool | None = None


settings = _Settings()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """A context: whether the second computation of the checkpoints that are made in it may save more tensors than the first
    one. PyTorch ends it with the last tensor that backward needs. Here the function always runs to its end.

    Args:
      enable: True, the default, allows it; False makes the backward pass raise CheckpointError.
    """
    before, settings.early_stop = settings.early_stop, enable
    try:
        yield
    finally:
        settings.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """A context: whether the checkpoints that are made in it log the functions that they call, for the text of errors.

    Args:
      enabled: True or False, whatever the argument `debug` of the checkpoint is; None leaves it to the argument.
    """
    before, settings.debug = settings.debug, enabled
    try:
        yield
    finally:
        settings.debug = before


class GraphExecGroup:
    """A context for several backward passes through the same checkpoints, which may share the
    second computation in PyTorch. Here each pass computes anew, with the same results.
    """

    def __enter__(self) -> GraphExecGroup:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


class CheckpointPolicy(enum.Enum):
    """What a selective checkpoint does with the result of an operator."""

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


SAC_IGNORED_OPS: set[Any] = set()  # operators that selective checkpoints never ask their policy for
create_selective_checkpoint_contexts = absent_function(
    "create_selective_checkpoint_contexts", "operators are not dispatched to Python, so that no policy can choose among them; checkpoint "
    "smaller functions", "torch_np.utils.checkpoint")
