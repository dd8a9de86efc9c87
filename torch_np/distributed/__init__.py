"""torch_np.distributed: communication between processes on one or several machines, with PyTorch's
names.

An MPI starts the processes: `python -m torch_np.distributed.run -n 2 PROGRAM`, or mpiexec. The
backend "mpi" passes tensors in host memory to MPI without copies, by the library mpi4py; "gloo" is
another name of it. The backend "nccl" passes tensors on GPUs to NVIDIA's NCCL. docs/distributed.md
is the guide.
"""
from typing import TYPE_CHECKING

from torch_np._deferred import deferred as _deferred
from torch_np.distributed._collectives import (
    all_gather, all_gather_into_tensor, all_reduce, barrier, broadcast, gather, reduce, reduce_scatter, reduce_scatter_tensor, scatter,
)
from torch_np.distributed._exchange import (
    P2POp, all_gather_coalesced, all_gather_single, all_reduce_coalesced, all_to_all, all_to_all_single, batch_isend_irecv, breakpoint,
    gather_into_tensor, gather_single, monitored_barrier, reduce_scatter_single,
)
from torch_np.distributed._group import (
    GroupMember, ProcessGroup, destroy_process_group, get_backend, get_global_rank, get_group_rank, get_process_group_ranks, get_rank,
    get_world_size, group, init_process_group, is_available, is_initialized, is_mpi_available, is_nccl_available, new_group, new_subgroups,
    new_subgroups_by_enumeration, set_timeout, split_group,
)
from torch_np.distributed._names import (
    AllreduceCoalescedOptions, AllreduceOptions, AllToAllOptions, Backend, BackendConfig, BarrierOptions, BroadcastOptions, DebugLevel,
    DistBackendError, DistError, DistNetworkError, DistStoreError, FileStore, GatherOptions, GroupName as GroupName, HashStore, PrefixStore,
    ProcessGroupGloo, ProcessGroupMPI, ProcessGroupNCCL, ProcessGroupNCCL2, ProcessGroupNCCLLazy, QueueEmptyError, ReduceOptions,
    ReduceScatterOptions, ScatterOptions, Store, TCPStore, get_backend_config, get_backend_impl, get_debug_level, get_default_backend_for_device,
    get_node_local_rank, get_pg_count, is_backend_available, is_gloo_available, is_torchelastic_launched, is_ucc_available, is_xccl_available,
    record_comm, reduce_op, register_rendezvous_handler, rendezvous, shrink_group, supports_complex,
)
from torch_np.distributed._objects import (
    all_gather_object, broadcast_object_list, gather_object, recv_object_list, scatter_object_list, send_object_list,
)
from torch_np.distributed._point_to_point import irecv, isend, recv, send
from torch_np.distributed._work import ReduceOp, Work
from torch_np.distributed.device_mesh import DeviceMesh, init_device_mesh

if TYPE_CHECKING:
    from torch_np.distributed import (
        algorithms as algorithms, checkpoint as checkpoint, fsdp as fsdp, nn as nn, optim as optim, tensor as tensor,
    )
else:
    globals().update((_name, _deferred(f"torch_np.distributed.{_name}")) for _name in (
        "algorithms", "autograd", "checkpoint", "constants", "distributed_c10d", "fsdp", "nn", "optim", "rpc", "tensor"))

__all__ = [
    "AllToAllOptions", "AllreduceCoalescedOptions", "AllreduceOptions", "Backend", "BackendConfig", "BarrierOptions", "BroadcastOptions",
    "DebugLevel", "DeviceMesh", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "FileStore", "GatherOptions",
    "GroupMember", "HashStore", "P2POp", "PrefixStore", "ProcessGroup", "ProcessGroupGloo", "ProcessGroupMPI", "ProcessGroupNCCL",
    "ProcessGroupNCCL2", "ProcessGroupNCCLLazy", "QueueEmptyError", "ReduceOp", "ReduceOptions", "ReduceScatterOptions", "ScatterOptions",
    "Store", "TCPStore", "Work", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_gather_single",
    "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "breakpoint", "broadcast",
    "broadcast_object_list", "destroy_process_group", "gather", "gather_into_tensor", "gather_object", "gather_single", "get_backend",
    "get_backend_config", "get_backend_impl", "get_debug_level", "get_default_backend_for_device", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_device_mesh",
    "init_process_group", "irecv", "is_available", "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available",
    "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "isend", "monitored_barrier", "new_group",
    "new_subgroups", "new_subgroups_by_enumeration", "record_comm", "recv", "recv_object_list", "reduce", "reduce_op", "reduce_scatter",
    "reduce_scatter_single", "reduce_scatter_tensor", "register_rendezvous_handler", "rendezvous", "scatter", "scatter_object_list", "send",
    "send_object_list", "set_timeout", "shrink_group", "split_group", "supports_complex",
]
