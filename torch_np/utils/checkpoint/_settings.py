"""Settings of checkpoints, and the names of PyTorch's selective checkpoints."""
from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch_np._absent import absent_function


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """A context for PyTorch's programs: whether the second computation may end when its last needed
    tensor is known. It has no effect on results. Here the function always runs to its end.

    Args:
      enable: Has no effect.
    """
    yield


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """A context for PyTorch's programs: whether checkpoints log their operators. It has no effect
    on results, and nothing is logged here.

    Args:
      enabled: Has no effect.
    """
    yield


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
