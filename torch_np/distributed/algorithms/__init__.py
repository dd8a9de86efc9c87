"""torch_np.distributed.algorithms: the names of PyTorch's algorithms for unequal inputs, which are
not implemented.
"""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_class

_REASON = "processes need equally many batches; use torch_np.utils.data.DistributedSampler"
Join: Any = absent_class("Join", _REASON, __name__)
JoinHook: Any = absent_class("JoinHook", _REASON, __name__)
Joinable: Any = absent_class("Joinable", _REASON, __name__)
