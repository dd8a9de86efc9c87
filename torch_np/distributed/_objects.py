"""Collectives of Python objects, which mpi4py pickles. Processes of one job trust each other's
pickles.
"""
from __future__ import annotations

from typing import Any

from torch_np.distributed._group import ProcessGroup, group_of, rank_within
from torch_np.distributed._mpi import errors_of, load_mpi

__all__ = ["all_gather_object", "broadcast_object_list", "gather_object", "recv_object_list", "scatter_object_list", "send_object_list"]
_OBJECTS = 7101  # tag of the messages of send_object_list


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


def _root_of(what: str, known: ProcessGroup, name: str, rank: int | None, group_rank: int | None) -> int:
    return rank_within(what, known, name, 0 if rank is None and group_rank is None else rank, group_rank)


def gather_object(obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None, group: ProcessGroup | None = None,
                  group_dst: int | None = None, weights_only: bool = False) -> None:
    """Collects one picklable object from each process into a list of one process.

    Args:
      obj: the object that this process contributes
      object_gather_list: list with one item for each process, in the process `dst` only
      dst: global rank of the receiving process, 0 by default
      group: process group; by default the group of all processes
      group_dst: rank of the receiving process within the group, instead of `dst`
      weights_only: only False is supported

    Errors: ValueError for a list of another length, and if there is no process group;
    NotImplementedError for `weights_only`.
    """
    known = group_of("gather_object", group)
    _check_unpickled("gather_object", weights_only)
    if known is None:
        return
    root = _root_of("gather_object", known, "dst", dst, group_dst)
    mine = known.rank() == root
    if mine != (object_gather_list is not None):
        raise ValueError("gather_object(): object_gather_list must be given in the process dst, and only there")
    if object_gather_list is not None and len(object_gather_list) != known.size():
        raise ValueError(f"gather_object(): object_gather_list has {len(object_gather_list)} places, and the group {known.size()} processes")
    with errors_of("gather_object"):
        found = known._communicator.gather(obj, root)
    if object_gather_list is not None:
        object_gather_list[:] = found


def scatter_object_list(scatter_object_output_list: list[Any], scatter_object_input_list: Any = None, src: int | None = None,
                        group: ProcessGroup | None = None, group_src: int | None = None, weights_only: bool = False) -> None:
    """Gives each process one of the picklable objects of one process.

    Args:
      scatter_object_output_list: list whose first item becomes the object
      scatter_object_input_list: list with an object for each process, in the process `src` only
      src: global rank of the sending process, 0 by default
      group: process group; by default the group of all processes
      group_src: rank of the sending process within the group, instead of `src`
      weights_only: only False is supported

    Errors: ValueError for a list of another length, and if there is no process group; TypeError for
    an empty output list; NotImplementedError for `weights_only`.
    """
    known = group_of("scatter_object_list", group)
    _check_unpickled("scatter_object_list", weights_only)
    if known is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise TypeError("scatter_object_list(): scatter_object_output_list must be a list with at least one item")
    root = _root_of("scatter_object_list", known, "src", src, group_src)
    if known.rank() == root and (scatter_object_input_list is None or len(scatter_object_input_list) != known.size()):
        raise ValueError(f"scatter_object_list(): scatter_object_input_list must have an object for each of the {known.size()} processes")
    with errors_of("scatter_object_list"):
        scatter_object_output_list[0] = known._communicator.scatter(
            list(scatter_object_input_list) if known.rank() == root else None, root)


def _check_unpickled(what: str, weights_only: bool) -> None:
    if weights_only:
        raise NotImplementedError(f"{what}(): objects are pickled as a whole; weights_only must be False")


def send_object_list(object_list: Any, dst: int | None = None, group: ProcessGroup | None = None, device: Any = None,
                     group_dst: int | None = None, use_batch: bool = False) -> None:
    """Sends picklable objects to another process.

    Args:
      object_list: the objects
      dst: global rank of the receiving process
      group: process group; by default the group of all processes
      device: Has no effect.
      group_dst: rank of the receiving process within the group, instead of `dst`
      use_batch: Has no effect.

    Errors: ValueError for a `dst` that is this process or outside the group, and if there is no
    process group.
    """
    known = group_of("send_object_list", group)
    if known is None:
        return
    rank = rank_within("send_object_list", known, "dst", dst, group_dst)
    if rank == known.rank():
        raise ValueError("send_object_list(): dst is the process itself")
    with errors_of("send_object_list"):
        known._communicator.send(list(object_list), rank, _OBJECTS)


def recv_object_list(object_list: list[Any], src: int | None = None, group: ProcessGroup | None = None, device: Any = None,
                     group_src: int | None = None, use_batch: bool = False, weights_only: bool = False) -> int:
    """Receives picklable objects from another process, and returns its global rank.

    Args:
      object_list: list of as many items as were sent; the items are replaced
      src: global rank of the sending process; by default any
      group: process group; by default the group of all processes
      device: Has no effect.
      group_src: rank of the sending process within the group, instead of `src`
      use_batch: Has no effect.
      weights_only: only False is supported

    Errors: ValueError for lists of different lengths, and if there is no process group;
    NotImplementedError for `weights_only`.
    """
    known = group_of("recv_object_list", group)
    _check_unpickled("recv_object_list", weights_only)
    if known is None:
        return -1
    MPI = load_mpi()
    status = MPI.Status()
    rank = MPI.ANY_SOURCE if src is None and group_src is None else rank_within("recv_object_list", known, "src", src, group_src)
    with errors_of("recv_object_list"):
        found = known._communicator.recv(None, rank, _OBJECTS, status)
    if len(found) != len(object_list):
        raise ValueError(f"recv_object_list(): object_list has {len(object_list)} places, and {len(found)} objects came")
    object_list[:] = found
    return known._ranks[status.Get_source()]
