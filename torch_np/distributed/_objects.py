"""Objects of Python to other processes, pickled by mpi4py. What comes from a process of the same job is trusted."""
from __future__ import annotations

from typing import Any

from torch_np.distributed._group import ProcessGroup, group_of, rank_within
from torch_np.distributed._mpi import errors_of

__all__ = ["all_gather_object", "broadcast_object_list"]


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Fills `object_list`, which has a place for each process, with the objects of all of them, by rank. Errors: ValueError for a list of
    another length."""
    known = group_of("all_gather_object", group)
    if known is None:
        return
    if len(object_list) != known.size():
        raise ValueError(f"all_gather_object(): object_list has {len(object_list)} places, and the group {known.size()} processes")
    with errors_of("all_gather_object"):
        object_list[:] = known._communicator.allgather(obj)


def broadcast_object_list(object_list: list[Any], src: int | None = None, group: ProcessGroup | None = None, device: Any = None,
                          group_src: int | None = None) -> None:
    """Replaces what is in `object_list` by what the process with the global rank `src` (by default 0; or `group_src` in the group) has in
    its own. Errors: ValueError for a list of another length than its, and for a `src` that is not in the group."""
    known = group_of("broadcast_object_list", group)
    if known is None:
        return
    root = rank_within("broadcast_object_list", known, "src", 0 if src is None and group_src is None else src, group_src)
    with errors_of("broadcast_object_list"):
        sent = known._communicator.bcast(list(object_list) if known.rank() == root else None, root)
    if len(sent) != len(object_list):
        raise ValueError(f"broadcast_object_list(): object_list has {len(object_list)} places, and that of rank {root} {len(sent)}")
    object_list[:] = sent
