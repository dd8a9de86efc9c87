"""torch_np.distributed.fsdp.api: settings of sharded modules."""
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class ShardingStrategy(enum.Enum):
    """What the processes divide among each other."""

    FULL_SHARD = 1
    SHARD_GRAD_OP = 2
    NO_SHARD = 3
    HYBRID_SHARD = 4
    _HYBRID_SHARD_ZERO2 = 5


class BackwardPrefetch(enum.Enum):
    """When the next parameters are fetched in a backward pass."""

    BACKWARD_PRE = 1
    BACKWARD_POST = 2


class StateDictType(enum.Enum):
    """Kinds of state dictionaries."""

    FULL_STATE_DICT = 1
    LOCAL_STATE_DICT = 2
    SHARDED_STATE_DICT = 3


@dataclass
class MixedPrecision:
    """Dtypes of parameters, of the reduction of gradients, and of buffers."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass
class CPUOffload:
    """Whether parameters wait in the memory of the CPU."""

    offload_params: bool = False


@dataclass
class StateDictConfig:
    """Settings of a state dictionary."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Settings of a state dictionary with whole parameters."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Settings of a state dictionary with the parts of this process."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Settings of a state dictionary with parts that know their place."""


@dataclass
class OptimStateDictConfig:
    """Settings of the state dictionary of an optimizer."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Settings of the whole state of an optimizer."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Settings of the state of an optimizer of this process."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Settings of the parts of the state of an optimizer."""


@dataclass
class StateDictSettings:
    """A kind of state dictionaries, with its settings."""

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
