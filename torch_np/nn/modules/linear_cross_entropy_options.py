"""Options of linear_cross_entropy."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["LinearCrossEntropyOptions"]


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """Options of `linear_cross_entropy` that choose among PyTorch's ways of computing it. They
    change no result beyond rounding and have no effect here: all scores are computed at once.

    Args:
      allow_retain_graph: keep what a second backward needs
      batch_chunk_size: rows computed at once
      chunking_method: way to choose the rows
      acc_policy: 'accurate', 'compact' or 'auto'
      acc_dtype: dtype of sums

    Errors: ValueError for an unknown `acc_policy`.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("accurate", "compact", "auto"):
            raise ValueError(f"LinearCrossEntropyOptions(): acc_policy must be 'accurate', 'compact' or 'auto', got {self.acc_policy!r}")
