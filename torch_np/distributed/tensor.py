"""torch_np.distributed.tensor: the names of PyTorch's distributed tensors, which are not
implemented. Placements can be made and compared.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch_np._absent import absent_class, absent_function

_REASON = "distributed tensors are not implemented; each process has tensors of its own (torch_np.distributed.all_gather, scatter)"


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


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has the whole tensor."""


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a term of the tensor."""

    reduce_op: str = "sum"


DTensor: Any = absent_class("DTensor", _REASON, __name__)
distribute_module, distribute_tensor, empty, full, linspace, logspace, ones, rand, randn, zeros = (
    absent_function(_name, _REASON, __name__)
    for _name in ("distribute_module", "distribute_tensor", "empty", "full", "linspace", "logspace", "ones", "rand", "randn", "zeros"))
