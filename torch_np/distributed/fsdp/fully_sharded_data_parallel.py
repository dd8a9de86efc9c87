"""torch_np.distributed.fsdp.fully_sharded_data_parallel: the place of names of torch_np.distributed.fsdp in PyTorch."""
from torch_np.distributed.fsdp import FullyShardedDataParallel as FullyShardedDataParallel, OptimStateKeyType as OptimStateKeyType
from torch_np.distributed.fsdp.api import (
    BackwardPrefetch as BackwardPrefetch, CPUOffload as CPUOffload, FullOptimStateDictConfig as FullOptimStateDictConfig,
    FullStateDictConfig as FullStateDictConfig, LocalOptimStateDictConfig as LocalOptimStateDictConfig,
    LocalStateDictConfig as LocalStateDictConfig, MixedPrecision as MixedPrecision, OptimStateDictConfig as OptimStateDictConfig,
    ShardedOptimStateDictConfig as ShardedOptimStateDictConfig, ShardedStateDictConfig as ShardedStateDictConfig,
    ShardingStrategy as ShardingStrategy, StateDictConfig as StateDictConfig, StateDictSettings as StateDictSettings,
    StateDictType as StateDictType,
)
