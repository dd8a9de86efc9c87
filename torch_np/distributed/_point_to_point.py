"""From one process to another."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np.distributed._collectives import finish, source, target
from torch_np.distributed._group import ProcessGroup, group_of, rank_within
from torch_np.distributed._work import Work

if TYPE_CHECKING:
    from torch_np._typing import TensorLike

__all__ = ["irecv", "isend", "recv", "send"]


def _send(what, tensor, dst, group, tag, group_dst, asynchronous):
    known = group_of(what, group)
    if known is None:
        return None
    rank = rank_within(what, known, "dst", dst, group_dst)
    if rank == known.rank():
        raise ValueError(f"{what}(): dst is {dst}, the process itself")
    t = source(what, "tensor", tensor)
    return finish(known._backend_of(what, "tensor", t).send(what, t, rank, tag, asynchronous), asynchronous)


def send(tensor: TensorLike, dst: int | None = None, group: ProcessGroup | None = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Sends `tensor` to the process with the global rank `dst` (or `group_dst` in the group), which receives it with the same `tag`, a
    number that is not negative. May return before it is received.

    Shapes: any, as many elements as are received.
    Errors: as all_reduce; ValueError for a `dst` that is this process, or not in the group.
    """
    _send("send", tensor, dst, group, tag, group_dst, False)


def isend(tensor: TensorLike, dst: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
          group_dst: int | None = None) -> Work | None:
    """As send, but returns at once, with a Work to be waited for. Shapes: as send. Errors: as send."""
    result: Work | None = _send("isend", tensor, dst, group, tag, group_dst, True)
    return result


def _receive(what, tensor, src, group, tag, group_src, asynchronous):
    known = group_of(what, group)
    if known is None:
        return None, -1
    rank = None if src is None and group_src is None else rank_within(what, known, "src", src, group_src)
    if rank == known.rank():
        raise ValueError(f"{what}(): src is {src}, the process itself")
    t, after = target(what, "tensor", tensor, is_read=False)
    work, sender = known._backend_of(what, "tensor", t).receive(what, t, rank, tag, asynchronous)
    return finish(work, asynchronous, after), -1 if asynchronous else known._ranks[sender()]


def recv(tensor: TensorLike, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0, group_src: int | None = None) -> int:
    """Replaces the elements of `tensor` by those that the process with the global rank `src` (or `group_src` in the group; without one, any
    process) sends, and returns its global rank.

    Shapes: any, as many elements as are sent.
    Errors: as send; RuntimeError if more arrives than the tensor holds.
    """
    sender: int = _receive("recv", tensor, src, group, tag, group_src, False)[1]
    return sender


def irecv(tensor: TensorLike, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
          group_src: int | None = None) -> Work | None:
    """As recv, but returns at once, with a Work to be waited for. Shapes: as recv. Errors: as recv."""
    result: Work | None = _receive("irecv", tensor, src, group, tag, group_src, True)[0]
    return result
