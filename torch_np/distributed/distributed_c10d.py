"""torch_np.distributed.distributed_c10d: the names of torch_np.distributed, and private ones that packages import."""
from __future__ import annotations

from typing import Any

from torch_np import distributed as _distributed
from torch_np.distributed import *  # noqa: F403
from torch_np.distributed import GroupMember, ProcessGroup, get_rank
from torch_np.distributed._group import _groups as _groups


def _get_default_group() -> ProcessGroup:
    """Returns the group of all processes. Errors: ValueError before init_process_group."""
    if GroupMember.WORLD is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return GroupMember.WORLD


def _rank_not_in_group(group: Any) -> bool:
    """Whether this process is outside of a group."""
    return group == GroupMember.NON_GROUP_MEMBER if group is not None else False


def _get_global_rank(group: Any, rank: int) -> int:
    return _distributed.get_global_rank(group, rank)


def _get_group_rank(group: Any, rank: int) -> int:
    return _distributed.get_group_rank(group, rank)


def _warn_not_in_group(op_name: str) -> None:
    import warnings
    warnings.warn(f"Running {op_name} on global rank {get_rank()} which does not belong to the given group.", stacklevel=2)


def _get_pg_default_device(group: Any = None) -> Any:
    """The device of tensors that a group sends: the CPU, or the GPU for NCCL."""
    import torch_np
    return torch_np.device("cuda" if "nccl" in str(_distributed.get_backend(group)) else "cpu")
