"""torch_np.distributed.fsdp: the names of PyTorch's sharded modules. Settings can be made; modules
are not sharded.
"""
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from torch_np._absent import absent_class, absent_function
from torch_np.distributed.fsdp.api import (
    BackwardPrefetch as BackwardPrefetch, CPUOffload as CPUOffload, FullOptimStateDictConfig as FullOptimStateDictConfig,
    FullStateDictConfig as FullStateDictConfig, LocalOptimStateDictConfig as LocalOptimStateDictConfig,
    LocalStateDictConfig as LocalStateDictConfig, MixedPrecision as MixedPrecision, OptimStateDictConfig as OptimStateDictConfig,
    ShardedOptimStateDictConfig as ShardedOptimStateDictConfig, ShardedStateDictConfig as ShardedStateDictConfig,
    ShardingStrategy as ShardingStrategy, StateDictConfig as StateDictConfig, StateDictSettings as StateDictSettings,
    StateDictType as StateDictType,
)

_REASON = "modules are not sharded; use torch_np.nn.parallel.DistributedDataParallel"


class OptimStateKeyType(enum.Enum):
    """How the state of an optimizer names parameters."""

    PARAM_NAME = 1
    PARAM_ID = 2


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """Dtypes of parameters, of the reduction of gradients, and of results."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Nothing waits in the memory of the CPU."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters, gradients and states of optimizers wait in the memory of the CPU."""

    pin_memory: bool = True


FullyShardedDataParallel: Any = absent_class("FullyShardedDataParallel", _REASON, __name__)
FSDPModule: Any = absent_class("FSDPModule", _REASON, __name__)
UnshardHandle: Any = absent_class("UnshardHandle", _REASON, __name__)
GradientReductionHandle: Any = absent_class("GradientReductionHandle", _REASON, __name__)
DataParallelMeshDims: Any = absent_class("DataParallelMeshDims", _REASON, __name__)
fully_shard = absent_function("fully_shard", _REASON, __name__)
register_fsdp_forward_method = absent_function("register_fsdp_forward_method", _REASON, __name__)
share_comm_ctx = absent_function("share_comm_ctx", _REASON, __name__)
for _name in ("optim_state_dict", "optim_state_dict_to_load", "rekey_optim_state_dict", "set_state_dict_type", "state_dict_type", "summon_full_params"):
    setattr(FullyShardedDataParallel, _name, staticmethod(absent_function(_name, _REASON, __name__)))


def _fsdp_modules(module: Any, root_only: bool = False) -> list[Any]:
    """Returns the sharded modules within a module: none.

    Args:
      module: The module.
      root_only: Whether only the outermost ones count.
    """
    return []


FullyShardedDataParallel.fsdp_modules = staticmethod(_fsdp_modules)
