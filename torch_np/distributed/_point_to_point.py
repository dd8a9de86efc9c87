"""Point-to-point communication: send and recv."""
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
    """Sends `tensor` to another process; it may return before the other process has received it.

    Args:
      tensor: Tensor or array in memory that the backend accesses
      dst: global rank of the receiving process
      group: process group; by default the group of all processes
      tag: non-negative number that the receiver must use too
      group_dst: rank of the receiving process within the group, instead of `dst`

    Shapes: any; the receiver's tensor needs as many elements.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    ValueError for a `dst` that is this process or outside the group.
    """
    _send("send", tensor, dst, group, tag, group_dst, False)


def isend(tensor: TensorLike, dst: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
          group_dst: int | None = None) -> Work | None:
    """Starts sending `tensor` to another process and returns a Work to wait for.

    Args:
      tensor: Tensor or array in memory that the backend accesses
      dst: global rank of the receiving process
      group: process group; by default the group of all processes
      tag: non-negative number that the receiver must use too
      group_dst: rank of the receiving process within the group, instead of `dst`

    Shapes: any; the receiver's tensor needs as many elements.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    ValueError for a `dst` that is this process or outside the group.
    """
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
    """Receives a tensor from another process into `tensor` and returns the sender's global rank.

    Args:
      tensor: Tensor or array that receives the elements
      src: global rank of the sending process; by default any process
      group: process group; by default the group of all processes
      tag: number that the sender used
      group_src: rank of the sending process within the group, instead of `src`

    Shapes: any, with as many elements as are sent.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited, or
    sends more than the tensor holds; ValueError for a `src` that is this process or outside the
    group.
    """
    sender: int = _receive("recv", tensor, src, group, tag, group_src, False)[1]
    return sender


def irecv(tensor: TensorLike, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
          group_src: int | None = None) -> Work | None:
    """Starts receiving a tensor from another process into `tensor` and returns a Work to wait for.

    Args:
      tensor: Tensor or array that receives the elements
      src: global rank of the sending process; by default any process
      group: process group; by default the group of all processes
      tag: number that the sender used
      group_src: rank of the sending process within the group, instead of `src`

    Shapes: any, with as many elements as are sent.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited, or
    sends more than the tensor holds; ValueError for a `src` that is this process or outside the
    group.
    """
    result: Work | None = _receive("irecv", tensor, src, group, tag, group_src, True)[0]
    return result
