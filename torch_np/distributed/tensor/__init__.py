"""torch_np.distributed.tensor: the names of PyTorch's distributed tensors, which are not
implemented. Placements can be made and compared.
"""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_class, absent_function
from torch_np.distributed.tensor.placement_types import Partial as Partial, Placement as Placement, Replicate as Replicate, Shard as Shard

_REASON = "distributed tensors are not implemented; each process has tensors of its own (torch_np.distributed.all_gather, scatter)"

DTensor: Any = absent_class("DTensor", _REASON, __name__)
distribute_module, distribute_tensor, empty, full, linspace, logspace, ones, rand, randn, zeros = (
    absent_function(_name, _REASON, __name__)
    for _name in ("distribute_module", "distribute_tensor", "empty", "full", "linspace", "logspace", "ones", "rand", "randn", "zeros"))
