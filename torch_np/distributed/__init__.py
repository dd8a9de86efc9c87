"""torch_np.distributed: communication between processes on one or several machines, with PyTorch's
names.

An MPI starts the processes: `python -m torch_np.distributed.run -n 2 PROGRAM`, or mpiexec. The
backend "mpi" passes tensors in host memory to MPI without copies, by the library mpi4py. The
backend "nccl" passes tensors on GPUs to NVIDIA's NCCL. docs/distributed.md is the guide.
"""
from torch_np.distributed._collectives import (
    all_gather, all_gather_into_tensor, all_reduce, barrier, broadcast, gather, reduce, reduce_scatter, reduce_scatter_tensor, scatter,
)
from torch_np.distributed._group import (
    GroupMember, ProcessGroup, destroy_process_group, get_backend, get_global_rank, get_group_rank, get_process_group_ranks, get_rank,
    get_world_size, group, init_process_group, is_available, is_initialized, is_mpi_available, is_nccl_available, new_group,
)
from torch_np.distributed._objects import all_gather_object, broadcast_object_list
from torch_np.distributed._point_to_point import irecv, isend, recv, send
from torch_np.distributed._work import ReduceOp, Work

__all__ = [
    "GroupMember", "ProcessGroup", "ReduceOp", "Work", "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce",
    "barrier", "broadcast", "broadcast_object_list", "destroy_process_group", "gather", "get_backend", "get_global_rank",
    "get_group_rank", "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group", "irecv", "is_available",
    "is_initialized", "is_mpi_available", "is_nccl_available", "isend", "new_group", "recv", "reduce", "reduce_scatter",
    "reduce_scatter_tensor", "scatter", "send",
]
