"""torch_np.distributed.tensor.placement_types: how tensors lie on the axes of a mesh."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch_np._absent import absent_class


class Placement:
    """How a tensor lies on an axis of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the processes have parts of it.

        Args:
          dim: The axis that is divided; None for any.
        """
        return isinstance(self, Shard) and (dim is None or self.dim == dim)

    def is_replicate(self) -> bool:
        """Whether all processes have the whole tensor."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether the processes have terms of a reduction.

        Args:
          reduce_op: The reduction; None for any.
        """
        return isinstance(self, Partial) and (reduce_op is None or self.reduce_op == reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part of the tensor along an axis."""

    dim: int

    @staticmethod
    def local_shard_size_and_offset(curr_local_size: int, num_chunks: int, rank: int) -> tuple[int, int]:
        """Returns the length of the part of a process, and where it begins. All parts but the last
        ones have the same length.

        Args:
          curr_local_size: The length of the whole axis.
          num_chunks: The number of processes.
          rank: The process.
        """
        step = -(-curr_local_size // num_chunks)
        begin = min(step * rank, curr_local_size)
        return min(step, curr_local_size - begin), begin


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has the whole tensor."""


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a term of the tensor."""

    reduce_op: str = "sum"


_StridedShard: Any = absent_class("_StridedShard", "shards in several rounds are not implemented; use Shard", __name__, Placement)
