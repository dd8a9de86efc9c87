"""Exchanges between all pairs of processes, several operations at once, and other forms of the
collectives.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch_np
from torch_np.distributed._collectives import (
    all_gather, all_gather_into_tensor, all_reduce, barrier, finish, gather, reduce_scatter_tensor, source, target,
)
from torch_np.distributed._group import ProcessGroup, get_rank, group_of
from torch_np.distributed._point_to_point import irecv, isend
from torch_np.distributed._work import ReduceOp, Work

if TYPE_CHECKING:
    from torch_np import Tensor
    from torch_np._typing import TensorLike

all_gather_single = all_gather_into_tensor
reduce_scatter_single = reduce_scatter_tensor
_TAG = 7100  # of the messages of all_to_all


class _Together(Work):
    """Several operations as one."""

    def __init__(self, works: list[Work]) -> None:
        super().__init__()
        self._works = works

    def _test(self) -> bool:
        return all([w.is_completed() for w in self._works])

    def _wait(self, timeout: float | None) -> None:
        for work in self._works:
            work.wait(timeout)


class P2POp:
    """One operation of `batch_isend_irecv`.

    Args:
      op: torch_np.distributed.isend or irecv
      tensor: the tensor to send, or to receive into
      peer: global rank of the other process
      group: process group; by default the group of all processes
      tag: non-negative number that both processes use
      group_peer: rank of the other process within the group, instead of `peer`

    Errors: ValueError unless `op` is isend or irecv.
    """

    def __init__(self, op: Callable[..., Any], tensor: TensorLike, peer: int | None = None, group: ProcessGroup | None = None, tag: int = 0,
                 group_peer: int | None = None) -> None:
        if op not in (isend, irecv):
            raise ValueError("P2POp(): op must be torch_np.distributed.isend or torch_np.distributed.irecv")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = op, tensor, peer, group, tag, group_peer


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Starts several sends and receives, and returns the Work of each.

    Args:
      p2p_op_list: the operations

    Errors: ValueError for an empty list; those of isend and irecv.
    """
    if not p2p_op_list or not all(isinstance(p, P2POp) for p in p2p_op_list):
        raise ValueError("batch_isend_irecv(): p2p_op_list must be a list of P2POp, at least one")
    started = [p.op(p.tensor, p.peer, p.group, p.tag, p.group_peer) for p in p2p_op_list]
    return [work for work in started if work is not None]


def _exchange(what: str, outputs: list[Tensor], inputs: list[Tensor], known: ProcessGroup) -> list[Work]:
    works: list[Work] = []
    mine = known.rank()
    for r in range(known.size()):
        if r == mine:
            outputs[r].copy_(inputs[r])
        elif outputs[r].numel():
            works.append(known._backend_of(what, "output", outputs[r]).receive(what, outputs[r], r, _TAG, True)[0])
    for r in range(known.size()):
        if r != mine and inputs[r].numel():
            works.append(known._backend_of(what, "input", inputs[r]).send(what, inputs[r], r, _TAG, True))
    return works


def all_to_all(output_tensor_list: Sequence[TensorLike], input_tensor_list: Sequence[TensorLike], group: ProcessGroup | None = None,
               async_op: bool = False) -> Work | None:
    """Sends a tensor to each process and receives one from each: item j of process i's inputs
    becomes item i of process j's outputs.

    Args:
      output_tensor_list: tensors to receive into, one for each process
      input_tensor_list: tensors to send, one for each process
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: each output as the input that it receives.
    Errors: ValueError unless both lists have one tensor for each process, and if there is no
    process group; RuntimeError for tensors that the backend cannot access.
    """
    known = group_of("all_to_all", group)
    if known is None:
        return None
    if len(output_tensor_list) != known.size() or len(input_tensor_list) != known.size():
        raise ValueError(f"all_to_all(): the lists have {len(output_tensor_list)} and {len(input_tensor_list)} tensors, and the group "
                         f"{known.size()} processes")
    inputs = [source("all_to_all", f"input_tensor_list[{i}]", t) for i, t in enumerate(input_tensor_list)]
    pairs = [target("all_to_all", f"output_tensor_list[{i}]", t, is_read=False) for i, t in enumerate(output_tensor_list)]
    works = _exchange("all_to_all", [t for t, _ in pairs], inputs, known)
    return finish(_Together(works), async_op, *(after for _, after in pairs))


def all_to_all_single(output: TensorLike, input: TensorLike, output_split_sizes: list[int] | None = None,  # noqa: A002
                      input_split_sizes: list[int] | None = None, group: ProcessGroup | None = None, async_op: bool = False) -> Work | None:
    """Splits a tensor along its first axis, sends a part to each process, and joins the parts that
    it receives.

    Args:
      output: tensor to receive into
      input: tensor to send
      output_split_sizes: rows to receive from each process; by default equal parts
      input_split_sizes: rows to send to each process; by default equal parts
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: (rows, ...) each.
    Errors: ValueError for sizes that do not fit, and if there is no process group; RuntimeError for
    tensors that the backend cannot access.
    """
    known = group_of("all_to_all_single", group)
    if known is None:
        return None
    t = source("all_to_all_single", "input", input)
    into, after = target("all_to_all_single", "output", output, is_read=False)

    def parts(name: str, whole: Tensor, sizes: list[int] | None) -> list[Tensor]:
        rows = whole.shape[0]
        if sizes is None:
            if rows % known.size():
                raise ValueError(f"all_to_all_single(): {name} has {rows} rows, no multiple of the {known.size()} processes")
            sizes = [rows // known.size()] * known.size()
        if len(sizes) != known.size() or sum(sizes) != rows:
            raise ValueError(f"all_to_all_single(): {name}_split_sizes {sizes} do not divide {rows} rows among {known.size()} processes")
        return list(whole.split(sizes))

    # The backend moves contiguous memory.
    room = into if into.is_contiguous() else torch_np.empty_like(into, memory_format=torch_np.contiguous_format)
    works = _exchange("all_to_all_single", parts("output", room, output_split_sizes), parts("input", t.contiguous(), input_split_sizes), known)
    return finish(_Together(works), async_op, None if room is into else lambda: into.copy_(room), after)


def all_reduce_coalesced(tensors: Sequence[TensorLike], op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None,
                         async_op: bool = False) -> Work | None:
    """Reduces several tensors: see `all_reduce`.

    Args:
      tensors: the tensors
      op: the reduction
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: the same in all processes.
    """
    works = [w for t in tensors if (w := all_reduce(t, op, group, async_op=True)) is not None]
    return finish(_Together(works), async_op)


def all_gather_coalesced(output_tensor_lists: Sequence[Sequence[TensorLike]], input_tensor_list: Sequence[TensorLike],
                         group: ProcessGroup | None = None, async_op: bool = False) -> Work | None:
    """Collects several tensors from all processes: see `all_gather`.

    Args:
      output_tensor_lists: a list for each process, with a tensor for each input
      input_tensor_list: tensors that this process contributes
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: each output as its input.
    """
    works = [w for i, t in enumerate(input_tensor_list)
             if (w := all_gather([part[i] for part in output_tensor_lists], t, group, async_op=True)) is not None]
    return finish(_Together(works), async_op)


def gather_single(tensor: TensorLike, gather_tensor: Tensor | None = None, dst: int | None = None, group: ProcessGroup | None = None,
                  async_op: bool = False, group_dst: int | None = None) -> Work | None:
    """Collects the tensors of all processes into one tensor of one process.

    Args:
      tensor: tensor that this process contributes
      gather_tensor: tensor to receive into, in the process `dst` only
      dst: global rank of the receiving process, 0 by default
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation
      group_dst: rank of the receiving process within the group, instead of `dst`

    Shapes: (rows, ...) gives (processes * rows, ...).
    Errors: ValueError if the shapes do not fit; those of `gather`.
    """
    known = group_of("gather_single", group)
    if known is None:
        return None
    parts = None
    if gather_tensor is not None:
        size = known.size()
        if gather_tensor.shape[0] % size:
            raise ValueError(f"gather_single(): gather_tensor has {gather_tensor.shape[0]} rows, no multiple of the {size} processes")
        parts = list(gather_tensor.chunk(size))
    return gather(tensor, parts, dst, group, async_op, group_dst)


gather_into_tensor = gather_single


def monitored_barrier(group: ProcessGroup | None = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Waits until all processes of the group have called it.

    Args:
      group: process group; by default the group of all processes
      timeout: timedelta or seconds after which it raises
      wait_all_ranks: Has no effect: the error does not name the missing processes.

    Errors: RuntimeError after `timeout`; ValueError if there is no process group.
    """
    work = barrier(group, async_op=True)
    if work is not None:
        work.wait(timeout)


def breakpoint(rank: int = 0, skip: int = 0, timeout_s: float = 3600) -> None:  # noqa: A001
    """Starts the debugger in one process; the others wait for it.

    Args:
      rank: global rank of that process
      skip: number of calls that do nothing at first; only 0
      timeout_s: Has no effect.

    Errors: NotImplementedError for `skip`; ValueError if there is no process group.
    """
    import pdb

    if skip:
        raise NotImplementedError("breakpoint(): skip must be 0")
    if get_rank() == rank:
        pdb.set_trace()  # noqa: T100
    barrier()
