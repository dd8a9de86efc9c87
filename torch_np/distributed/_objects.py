"""Collectives of Python objects, which mpi4py pickles. Processes of one job trust each other's
pickles.
"""
from __future__ import annotations

from typing import Any

from torch_np.distributed._group import ProcessGroup, group_of, rank_within
from torch_np.distributed._mpi import errors_of

__all__ = ["all_gather_object", "broadcast_object_list"]


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Collects one picklable object from each process into a list, ordered by rank.

    Args:
      object_list: list with one item for each process; the items are replaced
      obj: the object that this process contributes
      group: process group; by default the group of all processes

    Errors: ValueError if the length of `object_list` is not the number of processes, and if there
    is no process group.
    """
    known = group_of("all_gather_object", group)
    if known is None:
        return
    if len(object_list) != known.size():
        raise ValueError(f"all_gather_object(): object_list has {len(object_list)} places, and the group {known.size()} processes")
    with errors_of("all_gather_object"):
        object_list[:] = known._communicator.allgather(obj)


def broadcast_object_list(object_list: list[Any], src: int | None = None, group: ProcessGroup | None = None, device: Any = None,
                          group_src: int | None = None) -> None:
    """Replaces the items of `object_list` by those of the list of one process.

    Args:
      object_list: list of picklable objects, of the same length in all processes
      src: global rank of the sending process, 0 by default
      group: process group; by default the group of all processes
      device: accepted for compatibility; has no effect
      group_src: rank of the sending process within the group, instead of `src`

    Errors: ValueError for lists of different lengths, for a `src` outside the group, and if there
    is no process group.
    """
    known = group_of("broadcast_object_list", group)
    if known is None:
        return
    root = rank_within("broadcast_object_list", known, "src", 0 if src is None and group_src is None else src, group_src)
    with errors_of("broadcast_object_list"):
        sent = known._communicator.bcast(list(object_list) if known.rank() == root else None, root)
    if len(sent) != len(object_list):
        raise ValueError(f"broadcast_object_list(): object_list has {len(object_list)} places, and that of rank {root} {len(sent)}")
    object_list[:] = sent
