"""torch_np.distributed._composable.fsdp: the former place of functions of torch_np.distributed.fsdp."""
from __future__ import annotations

from torch_np.distributed.fsdp import (
    CPUOffloadPolicy as CPUOffloadPolicy, FSDPModule as FSDPModule, MixedPrecisionPolicy as MixedPrecisionPolicy,
    OffloadPolicy as OffloadPolicy, fully_shard as fully_shard,
)
