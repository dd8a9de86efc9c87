"""Process groups: their members and their backends."""
from __future__ import annotations

import datetime
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any

from torch_np.distributed._ending import end_all
from torch_np.distributed._mpi import MPIBackend, errors_of, load_mpi
from torch_np.distributed._work import Backend, seconds_of

if TYPE_CHECKING:
    from torch_np import Tensor, device

__all__ = ["GroupMember", "ProcessGroup", "destroy_process_group", "get_backend", "get_global_rank", "get_group_rank",
           "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group", "is_available", "is_initialized",
           "is_mpi_available", "is_nccl_available", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "set_timeout", "split_group"]

# The device type of each backend's tensors. MPI moves those of 'gloo', too.
_DEVICES = {"mpi": "cpu", "gloo": "cpu", "nccl": "cuda"}


class ProcessGroup:
    """A set of processes ordered by rank, created by `init_process_group` or `new_group`."""

    def __init__(self, communicator: Any, ranks: list[int], backend: str, timeout: float | None) -> None:
        self._communicator, self._ranks, self._spelled, self._timeout = communicator, ranks, backend, timeout
        # Whether to compare calls across processes before they run (PyTorch:
        # TORCH_DISTRIBUTED_DEBUG=DETAIL).
        self._checked = os.environ.get("TORCH_NP_DISTRIBUTED_DEBUG", "").upper() == "DETAIL"
        self._backends: dict[str, Backend] = {}
        for name in _backends_of(backend):
            if _DEVICES[name] == "cpu":
                self._backends["cpu"] = MPIBackend(communicator, timeout)
            else:
                from torch_np.distributed._nccl import NCCLBackend
                self._backends["cuda"] = NCCLBackend(communicator)

    def rank(self) -> int:
        """The rank of this process within the group."""
        return int(self._communicator.Get_rank())

    def size(self) -> int:
        """The number of processes in the group."""
        return len(self._ranks)

    def name(self) -> str:
        """The backend's name, as it was passed to `init_process_group` or `new_group`."""
        return self._spelled

    def __repr__(self) -> str:
        return f"<torch_np.distributed.ProcessGroup backend={self._spelled!r} ranks={self._ranks}>"

    def _backend_of(self, what: str, name: str, tensor: Tensor) -> Backend:
        """The backend for the device of `tensor`.

        Errors: RuntimeError if the group has no backend for that device.
        """
        kind = tensor.device.type
        if kind not in self._backends:
            other = {"cpu": "'mpi', or .cuda()", "cuda": "'nccl', or .cpu()"}.get(kind)
            raise RuntimeError(f"{what}(): {name} is on {tensor.device}, and the backend {self._spelled!r} takes tensors on "
                               f"{' and '.join(self._backends)}" + (f"; take the backend {other}" if other else ""))
        return self._backends[kind]

    def _compare(self, what: str, **facts: Any) -> None:
        """Compares this call with those of the other processes, if
        TORCH_NP_DISTRIBUTED_DEBUG=DETAIL is set.

        Errors: RuntimeError, in all processes, if the calls differ.
        """
        if not self._checked:
            return
        mine = f"{what}({', '.join(f'{k}={v}' for k, v in facts.items())})"
        with errors_of(what):
            calls = self._communicator.allgather(mine)
        if any(call != calls[0] for call in calls):
            raise RuntimeError(f"{what}(): the processes of the group call different operations: " +
                               "; ".join(f"rank {rank}: {call}" for rank, call in zip(self._ranks, calls)))

    def _close(self) -> None:
        for backend in self._backends.values():
            backend.close()
        self._communicator.Free()


class _NotAMember:
    """Type of `GroupMember.NON_GROUP_MEMBER`, which `new_group` returns to processes outside the
    group.
    """

    def __repr__(self) -> str:
        return "<torch_np.distributed.GroupMember.NON_GROUP_MEMBER>"


class GroupMember:
    """Constants: `WORLD`, the group of all processes, and `NON_GROUP_MEMBER`, which `new_group`
    returns to processes outside the group.
    """

    NON_GROUP_MEMBER = _NotAMember()
    WORLD: ProcessGroup | None = None


group = GroupMember
_groups: list[ProcessGroup] = []


def is_available() -> bool:
    """Whether mpi4py, which connects the processes, is installed."""
    return importlib.util.find_spec("mpi4py") is not None


is_mpi_available = is_available


def is_nccl_available() -> bool:
    """Whether a GPU and NVIDIA's library NCCL are available."""
    from torch_np import cuda
    from torch_np.distributed._nccl import library_path
    return is_available() and cuda.is_available() and library_path() is not None


def is_initialized() -> bool:
    """Whether `init_process_group` was called."""
    return GroupMember.WORLD is not None


def _backends_of(spelled: str) -> list[str]:
    """The backends in "mpi", "gloo", "nccl" or "cpu:mpi,cuda:nccl".

    Errors: ValueError for any other backend, and for a backend of the other device ("cpu:nccl").
    """
    names: list[str] = []
    for part in spelled.lower().split(","):
        kind, _, name = part.rpartition(":")
        if name not in _DEVICES or kind not in ("", _DEVICES[name]):
            raise ValueError(f"init_process_group(): backend must be 'mpi' (host memory), 'nccl' (GPUs) or 'cpu:mpi,cuda:nccl', got {spelled!r}")
        names.append(name)
    return names


def init_process_group(backend: str | None = None, init_method: str | None = None, timeout: datetime.timedelta | float | None = None,
                       world_size: int = -1, rank: int = -1, store: None = None, group_name: str = "", pg_options: None = None,
                       device_id: device | int | None = None) -> None:
    """Connects this process with the other processes of its job; every process calls it.

    The processes are those that MPI started, with every backend (docs/distributed.md). After this
    call, an uncaught exception in one process ends all processes.

    Args:
      backend: "mpi" for tensors in host memory (the default), "nccl" for tensors on GPUs,
        "cpu:mpi,cuda:nccl" for both; "gloo" is another name of "mpi"
      init_method: None or "env://"
      timeout: timedelta or seconds after which a collective raises; by default it waits forever
      world_size: expected number of processes, compared with MPI's
      rank: expected rank of this process, compared with MPI's
      store: only None is supported
      group_name: accepted for compatibility; has no effect
      pg_options: only None is supported
      device_id: GPU for NCCL; the current GPU by default

    Errors: RuntimeError without mpi4py or an MPI, and for "nccl" without a GPU or NCCL; ValueError
    for an unknown backend, if a group exists already, and for a `world_size` or `rank` that differs
    from MPI's; NotImplementedError for a `store`, for `pg_options`, and for an `init_method` that
    is not supported.
    """
    if is_initialized():
        raise ValueError("init_process_group(): there is a process group already; call destroy_process_group() first")
    backend = "mpi" if backend is None else backend
    _backends_of(backend)
    for name, value in (("store", store), ("pg_options", pg_options), ("init_method", None if init_method == "env://" else init_method)):
        if value is not None:
            raise NotImplementedError(f"init_process_group(): {name} is not implemented; processes are found by MPI (docs/distributed.md)")
    limit = seconds_of("init_process_group", timeout)
    MPI = load_mpi()
    world = MPI.COMM_WORLD
    for name, given, actual in (("world_size", world_size, world.Get_size()), ("rank", rank, world.Get_rank())):
        if given not in (-1, actual):
            raise ValueError(f"init_process_group(): {name} is {given}, and MPI's is {actual}; were the processes started by "
                             "`python -m torch_np.distributed.run`, or mpiexec?")
    if device_id is not None:
        from torch_np import cuda
        cuda.set_device(device_id)
    if world.Get_size() > 1 and sys.excepthook is not _end_all:
        sys.excepthook = _end_all
    GroupMember.WORLD = ProcessGroup(world.Dup(), list(range(world.Get_size())), backend, limit)
    _groups.append(GroupMember.WORLD)


def _end_all(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """The excepthook of a process in a job: it ends all processes, which would otherwise wait
    forever.
    """
    end_all(load_mpi(), f"failed with {kind.__name__}", 1, error)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Destroys a process group, after waiting for its pending operations; all its processes call
    it.

    Args:
      group: the group; by default all groups are destroyed

    Errors: ValueError if there is no process group.
    """
    known = group_of("destroy_process_group", group)
    if known is None:
        return
    for one in [known] if group is not None and group is not GroupMember.WORLD else _groups[::-1]:
        one._close()
        _groups.remove(one)
    if not _groups or group is GroupMember.WORLD:
        GroupMember.WORLD = None


def group_of(what: str, group: Any) -> ProcessGroup | None:
    """The ProcessGroup of an argument `group`; None if this process is not a member.

    Errors: ValueError if there is no process group or it was destroyed; TypeError if `group` is not
    a ProcessGroup.
    """
    if not is_initialized():
        raise ValueError(f"{what}(): there is no process group; call init_process_group() first")
    if group is None:
        return GroupMember.WORLD
    if group is GroupMember.NON_GROUP_MEMBER:
        return None
    if not isinstance(group, ProcessGroup):
        raise TypeError(f"{what}(): group must be a ProcessGroup or None, got {type(group).__name__}")
    if group not in _groups:
        raise ValueError(f"{what}(): the group was destroyed")
    return group


def get_rank(group: ProcessGroup | None = None) -> int:
    """The rank of this process within the group; -1 if it is not a member.

    Args:
      group: process group; by default the group of all processes

    Errors: ValueError if there is no process group.
    """
    known = group_of("get_rank", group)
    return -1 if known is None else known.rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """The number of processes in the group; -1 if this process is not a member.

    Args:
      group: process group; by default the group of all processes

    Errors: ValueError if there is no process group.
    """
    known = group_of("get_world_size", group)
    return -1 if known is None else known.size()


def get_backend(group: ProcessGroup | None = None) -> str:
    """The backend's name, as it was passed to `init_process_group` or `new_group`.

    Args:
      group: process group; by default the group of all processes

    Errors: ValueError if there is no process group or this process is not a member.
    """
    known = group_of("get_backend", group)
    if known is None:
        raise ValueError("get_backend(): this process is not in the group")
    return known.name()


def get_process_group_ranks(group: ProcessGroup | None = None) -> list[int]:
    """The global ranks of the group's processes.

    Args:
      group: process group; by default the group of all processes

    Errors: ValueError if there is no process group.
    """
    known = group_of("get_process_group_ranks", group)
    return [] if known is None else list(known._ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank within a group of the process with a given global rank.

    Args:
      group: process group
      global_rank: the process's rank among all processes

    Errors: ValueError if there is no process group, or the process or the calling process is not a
    member.
    """
    return rank_within("get_group_rank", group_of("get_group_rank", group), "global_rank", global_rank, None)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The global rank of a process of a group.

    Args:
      group: process group
      group_rank: the process's rank within the group

    Errors: ValueError if there is no process group, no process of that rank, or the calling process
    is not a member.
    """
    known = group_of("get_global_rank", group)
    within = rank_within("get_global_rank", known, "group_rank", None, group_rank)
    assert known is not None
    return known._ranks[within]


def rank_within(what: str, group: ProcessGroup | None, name: str, rank: int | None, group_rank: int | None) -> int:
    """The rank within the group of a process named by its global rank or by its rank within the
    group.

    Errors: ValueError unless exactly one of the two is given and names a process of the group, and
    if this process is not a member.
    """
    if group is None:
        raise ValueError(f"{what}(): this process is not in the group")
    if (rank is None) == (group_rank is None):
        raise ValueError(f"{what}(): give either {name} or group_{name}")
    if rank is not None:
        if rank not in group._ranks:
            raise ValueError(f"{what}(): {name} is {rank}, and the group's ranks are {group._ranks}")
        return group._ranks.index(rank)
    assert group_rank is not None
    if not 0 <= group_rank < group.size():
        raise ValueError(f"{what}(): {name if name.startswith('group_') else 'group_' + name} is {group_rank}, and the group has {group.size()} processes")
    return group_rank


def new_group(ranks: list[int] | None = None, timeout: datetime.timedelta | float | None = None, backend: str | None = None,
              pg_options: None = None, use_local_synchronization: bool = False, group_desc: str | None = None) -> Any:
    """Creates a group of some of the processes.

    All processes call it, members or not, and create groups in the same order. A process that is
    not a member gets `GroupMember.NON_GROUP_MEMBER`, with which collectives do nothing.

    Args:
      ranks: global ranks of the members, in any order; all processes by default
      timeout: timedelta or seconds after which a collective raises; by default the timeout of the
        group of all processes
      backend: backend of the group; by default the backend of the group of all processes
      pg_options: only None is supported
      use_local_synchronization: only False is supported
      group_desc: accepted for compatibility; has no effect

    Errors: ValueError if there is no process group, and for ranks that do not exist or repeat;
    NotImplementedError for `pg_options` and `use_local_synchronization`.
    """
    world = group_of("new_group", None)
    assert world is not None
    if pg_options is not None or use_local_synchronization:
        raise NotImplementedError("new_group(): pg_options and use_local_synchronization are not implemented")
    members = sorted(range(world.size()) if ranks is None else ranks)
    if len(set(members)) < len(members) or not members or not all(0 <= rank < world.size() for rank in members):
        raise ValueError(f"new_group(): ranks must be different numbers from 0 to {world.size() - 1}, at least one, got {ranks}")
    if backend is not None:
        _backends_of(backend)
    limit = world._timeout if timeout is None else seconds_of("new_group", timeout)
    mine = world.rank() in members
    with errors_of("new_group"):
        communicator = world._communicator.Split(0 if mine else load_mpi().UNDEFINED, world.rank())
    if not mine:
        return GroupMember.NON_GROUP_MEMBER
    made = ProcessGroup(communicator, members, world.name() if backend is None else backend, limit)
    _groups.append(made)
    return made


def new_subgroups(group_size: int | None = None, group: ProcessGroup | None = None, timeout: datetime.timedelta | float | None = None,
                  backend: str | None = None, pg_options: None = None, group_desc: str | None = None) -> tuple[Any, list[Any]]:
    """Divides the processes into groups of consecutive ranks. Returns the group of this process,
    and all groups.

    Args:
      group_size: processes in each group; by default those of a machine, the variable
        LOCAL_WORLD_SIZE
      group: the group to divide; only None or the group of all processes
      timeout: as for `new_group`
      backend: as for `new_group`
      pg_options: only None is supported
      group_desc: has no effect

    Errors: ValueError for a size that does not divide the number of processes, and if there is no
    process group; NotImplementedError for another group.
    """
    world = group_of("new_subgroups", None)
    assert world is not None
    if group is not None and group is not world:
        raise NotImplementedError("new_subgroups(): only the group of all processes is divided; use new_subgroups_by_enumeration")
    size = int(os.environ.get("LOCAL_WORLD_SIZE", world.size())) if group_size is None else group_size
    if size <= 0 or world.size() % size:
        raise ValueError(f"new_subgroups(): group_size {size} does not divide {world.size()} processes")
    return new_subgroups_by_enumeration([list(range(i, i + size)) for i in range(0, world.size(), size)], timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list: list[list[int]], timeout: datetime.timedelta | float | None = None,
                                 backend: str | None = None, pg_options: None = None, group_desc: str | None = None) -> tuple[Any, list[Any]]:
    """Creates several groups. Returns the group of this process, or None, and all groups.

    Args:
      ranks_per_subgroup_list: global ranks of the members of each group; no rank is in two groups
      timeout: as for `new_group`
      backend: as for `new_group`
      pg_options: only None is supported
      group_desc: has no effect

    Errors: ValueError for no group, and a rank in two groups; those of `new_group`.
    """
    ranks = [rank for part in ranks_per_subgroup_list for rank in part]
    if not ranks or len(set(ranks)) < len(ranks):
        raise ValueError("new_subgroups_by_enumeration(): ranks_per_subgroup_list must name different ranks, at least one")
    made = [new_group(part, timeout, backend, pg_options) for part in ranks_per_subgroup_list]
    return next((g for g in made if g is not GroupMember.NON_GROUP_MEMBER), None), made


def split_group(parent_pg: ProcessGroup | None = None, split_ranks: list[list[int]] | None = None,
                timeout: datetime.timedelta | float | None = None, pg_options: None = None, group_desc: str | None = None) -> Any:
    """Divides the group of all processes, and returns the group of this process; None if it is in
    none.

    Args:
      parent_pg: only None or the group of all processes
      split_ranks: global ranks of the members of each group
      timeout: as for `new_group`
      pg_options: only None is supported
      group_desc: has no effect

    Errors: NotImplementedError for another group; ValueError without `split_ranks`.
    """
    if parent_pg is not None and parent_pg is not GroupMember.WORLD:
        raise NotImplementedError("split_group(): only the group of all processes is divided; use new_group")
    if not split_ranks:
        raise ValueError("split_group(): split_ranks cannot be None or empty")
    return new_subgroups_by_enumeration(split_ranks, timeout, None, pg_options)[0]


def set_timeout(timeout: datetime.timedelta | float, group: ProcessGroup | None = None) -> None:
    """Sets the time after which a collective of a group raises.

    Args:
      timeout: timedelta or seconds
      group: process group; by default the group of all processes

    Errors: ValueError if there is no process group, and for a time that is not positive.
    """
    known = group_of("set_timeout", group)
    if known is None:
        return
    known._timeout = seconds_of("set_timeout", timeout)
    for backend in known._backends.values():
        if isinstance(backend, MPIBackend):
            backend._timeout = known._timeout
