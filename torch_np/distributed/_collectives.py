"""Collectives: what all processes of a group call together. Here arguments are checked, and brought into the layout that backends take:
one piece of memory without gaps. Tensors that lie so are handed over as they are; others are copied to one that does, and results back.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch_np
from torch_np import Tensor, _C
from torch_np.distributed._group import ProcessGroup, group_of, rank_within
from torch_np.distributed._work import ReduceOp, Work

if TYPE_CHECKING:
    from torch_np._typing import TensorLike

__all__ = ["all_gather", "all_gather_into_tensor", "all_reduce", "barrier", "broadcast", "gather", "reduce", "reduce_scatter",
           "reduce_scatter_tensor", "scatter"]


def tensor_of(what: str, name: str, value: Any) -> Tensor:
    """A Tensor of an argument, of either face. Errors: TypeError for others."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, _C.ndarray):
        return value._torch()
    raise TypeError(f"{what}(): {name} must be a Tensor, got {type(value).__name__}")


def source(what: str, name: str, value: Any) -> Tensor:
    """What is read: contiguous, and without history."""
    return tensor_of(what, name, value).detach().contiguous()


def target(what: str, name: str, value: Any, is_read: bool = True) -> tuple[Tensor, Callable[[], object] | None]:
    """What is written to: contiguous memory, and what is to be done when its elements are there. Errors: RuntimeError if gradients flow
    through the tensor, which would be wrong ones then."""
    tensor = tensor_of(what, name, value)
    if tensor.grad_fn is not None and torch_np.is_grad_enabled():
        raise RuntimeError(f"{what}(): {name} is the result of operators that gradients flow through, and cannot be changed; detach() it, "
                           "or call under no_grad()")
    tensor = tensor.detach()
    if tensor.is_contiguous():
        _C._bump_version(tensor)
        return tensor, None
    staged = tensor.contiguous() if is_read else torch_np.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    return staged, lambda: tensor.copy_(staged)


def reduction(what: str, op: Any) -> ReduceOp:
    """Errors: TypeError unless `op` is a ReduceOp."""
    if not isinstance(op, ReduceOp):
        raise TypeError(f"{what}(): op must be a torch_np.distributed.ReduceOp, got {op!r}")
    return op


def check_parts(what: str, name: str, parts: Any, part_name: str, part: Tensor, size: int) -> list[Tensor]:
    """The tensors of a list, one for each process, all like `part`. Errors: TypeError for what is no list; ValueError for another number of
    tensors, and for one of another shape or dtype."""
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"{what}(): {name} must be a list of Tensors, got {type(parts).__name__}")
    if len(parts) != size:
        raise ValueError(f"{what}(): {name} has {len(parts)} tensors, and the group {size} processes")
    tensors = [tensor_of(what, f"{name}[{i}]", p) for i, p in enumerate(parts)]
    for i, t in enumerate(tensors):
        if t.shape != part.shape or t.dtype != part.dtype:
            raise ValueError(f"{what}(): {name}[{i}] is of shape {tuple(t.shape)} and {t.dtype}, and {part_name} of {tuple(part.shape)} and {part.dtype}")
        if t.device != part.device:
            raise ValueError(f"{what}(): {name}[{i}] is on {t.device}, and {part_name} on {part.device}")
    return tensors


def check_whole(what: str, name: str, whole: Tensor, part_name: str, part: Tensor, size: int) -> None:
    """Errors: ValueError unless `whole` has the elements of one `part` for each process."""
    if whole.dtype != part.dtype or whole.device != part.device:
        raise ValueError(f"{what}(): {name} is of {whole.dtype} on {whole.device}, and {part_name} of {part.dtype} on {part.device}")
    if whole.numel() != part.numel() * size:
        raise ValueError(f"{what}(): {name} of shape {tuple(whole.shape)} does not have {size} times the {part.numel()} elements of {part_name} "
                         f"of shape {tuple(part.shape)}, one for each process of the group")


def finish(work: Work, asynchronous: bool, *after: Callable[[], object] | None) -> Work | None:
    """The work, to be waited for; or None, when it is complete."""
    for one in after:
        work._then(one)
    if asynchronous:
        return work
    work.wait()
    return None


def _facts(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tuple(tensor.shape), "dtype": tensor.dtype}


def _spread(whole: Tensor, parts: Sequence[Tensor]) -> Callable[[], None]:
    def copy() -> None:
        for part, piece in zip(parts, whole):
            part.copy_(piece)
    return copy


def _room_for(parts: Sequence[Tensor]) -> Tensor:
    return torch_np.empty((len(parts), *parts[0].shape), dtype=parts[0].dtype, device=parts[0].device)


def all_reduce(tensor: TensorLike, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False) -> Work | None:
    """Replaces `tensor`, on all processes, by the reduction of all processes' tensors, of one shape and dtype. With `async_op` a Work comes
    back, to be waited for. All processes get the same bits.

    Shapes: any, the same in all processes.
    Dtypes: all, where `op` is defined; 16-bit floats are rounded after each addition. Which of NaN and a number is MIN or MAX depends on
    their order.

    Errors: ValueError if there is no process group; TypeError for an `op` that the dtype has not (AVG of integers, MIN of complex numbers,
    BAND of floats); RuntimeError for a tensor where the backend can't reach it, for one that gradients flow through, and if another process
    is gone. That the processes' tensors differ in shape or dtype is not always noticed, unless TORCH_NP_DISTRIBUTED_DEBUG=DETAIL.
    """
    known = group_of("all_reduce", group)
    if known is None:
        return None
    op = reduction("all_reduce", op)
    t, after = target("all_reduce", "tensor", tensor)
    backend = known._backend_of("all_reduce", "tensor", t)
    known._compare("all_reduce", **_facts(t), op=op.name)
    return finish(backend.all_reduce("all_reduce", t, op, async_op), async_op, after)


def reduce(tensor: TensorLike, dst: int | None = None, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False,
           group_dst: int | None = None) -> Work | None:
    """Replaces `tensor` on the process with the global rank `dst` (or `group_dst` in the group) by the reduction of all processes' tensors;
    elsewhere it stays.

    Shapes: any, the same in all processes.
    Errors: as all_reduce; ValueError for a `dst` that is not in the group.
    """
    known = group_of("reduce", group)
    if known is None:
        return None
    op, root = reduction("reduce", op), rank_within("reduce", known, "dst", dst, group_dst)
    t, after = target("reduce", "tensor", tensor) if known.rank() == root else (source("reduce", "tensor", tensor), None)
    backend = known._backend_of("reduce", "tensor", t)
    known._compare("reduce", **_facts(t), op=op.name, dst=root)
    return finish(backend.reduce("reduce", t, root, op, async_op), async_op, after)


def broadcast(tensor: TensorLike, src: int | None = None, group: ProcessGroup | None = None, async_op: bool = False,
              group_src: int | None = None) -> Work | None:
    """Replaces `tensor` by that of the process with the global rank `src` (or `group_src` in the group).

    Shapes: any, the same in all processes.
    Errors: as all_reduce; ValueError for a `src` that is not in the group.
    """
    known = group_of("broadcast", group)
    if known is None:
        return None
    root = rank_within("broadcast", known, "src", src, group_src)
    t, after = (source("broadcast", "tensor", tensor), None) if known.rank() == root else target("broadcast", "tensor", tensor, is_read=False)
    backend = known._backend_of("broadcast", "tensor", t)
    known._compare("broadcast", **_facts(t), src=root)
    return finish(backend.broadcast("broadcast", t, root, async_op), async_op, after)


def all_gather(tensor_list: Sequence[TensorLike], tensor: TensorLike, group: ProcessGroup | None = None, async_op: bool = False) -> Work | None:
    """Copies the tensors of all processes, of one shape and dtype, into those of `tensor_list`, by rank. They arrive in one piece of memory
    and are copied from there: `all_gather_into_tensor` needs no copy.

    Shapes: any, the same for all tensors in all processes.
    Errors: as all_reduce; ValueError for another number of tensors than there are processes, and for one of another shape, dtype or device
    than `tensor`.
    """
    known = group_of("all_gather", group)
    if known is None:
        return None
    t = source("all_gather", "tensor", tensor)
    parts = check_parts("all_gather", "tensor_list", tensor_list, "tensor", t, known.size())
    parts = [_into("all_gather", f"tensor_list[{i}]", p) for i, p in enumerate(parts)]
    backend = known._backend_of("all_gather", "tensor", t)
    known._compare("all_gather", **_facts(t))
    whole = _room_for(parts)
    return finish(backend.all_gather("all_gather", whole, t, async_op), async_op, _spread(whole, parts))


def _into(what: str, name: str, tensor: Tensor) -> Tensor:
    """A tensor that results are copied into later."""
    if tensor.grad_fn is not None and torch_np.is_grad_enabled():
        target(what, name, tensor)  # raises
    return tensor.detach()


def all_gather_into_tensor(output_tensor: TensorLike, input_tensor: TensorLike, group: ProcessGroup | None = None,
                           async_op: bool = False) -> Work | None:
    """Fills `output_tensor` with the tensors of all processes, by rank. Shapes: those of `input_tensor` joined along the first axis, or
    stacked; what counts is the number of elements. Errors: as all_reduce; ValueError if that is another, or the dtypes or devices differ."""
    what = "all_gather_into_tensor"
    known = group_of(what, group)
    if known is None:
        return None
    t = source(what, "input_tensor", input_tensor)
    check_whole(what, "output_tensor", tensor_of(what, "output_tensor", output_tensor), "input_tensor", t, known.size())
    backend = known._backend_of(what, "input_tensor", t)
    known._compare(what, **_facts(t))
    whole, after = target(what, "output_tensor", output_tensor, is_read=False)
    return finish(backend.all_gather(what, whole, t, async_op), async_op, after)


def reduce_scatter(output: TensorLike, input_list: Sequence[TensorLike], op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None,
                   async_op: bool = False) -> Work | None:
    """Replaces `output` by the reduction of the tensors that all processes have in `input_list` at this one's rank. They are copied to one
    piece of memory first: `reduce_scatter_tensor` needs no copy.

    Shapes: any, the same for all tensors in all processes.
    Errors: as all_reduce, and as all_gather for the list.
    """
    known = group_of("reduce_scatter", group)
    if known is None:
        return None
    op = reduction("reduce_scatter", op)
    parts = check_parts("reduce_scatter", "input_list", input_list, "output", tensor_of("reduce_scatter", "output", output), known.size())
    backend = known._backend_of("reduce_scatter", "output", parts[0])
    known._compare("reduce_scatter", **_facts(parts[0]), op=op.name)
    t, after = target("reduce_scatter", "output", output, is_read=False)
    whole = torch_np.stack([p.detach() for p in parts])
    return finish(backend.reduce_scatter("reduce_scatter", t, whole, op, async_op), async_op, after)


def reduce_scatter_tensor(output: TensorLike, input: TensorLike, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None,
                          async_op: bool = False) -> Work | None:
    """Replaces `output` by this process's part of the reduction of all processes' `input`, which has the elements of one output for each
    process.

    Shapes: those of `output` in all processes joined along the first axis, or stacked; what counts is the number of elements.
    Errors: as all_reduce; ValueError if it has not, or the dtypes or devices differ.
    """
    what = "reduce_scatter_tensor"
    known = group_of(what, group)
    if known is None:
        return None
    op, whole = reduction(what, op), source(what, "input", input)
    check_whole(what, "input", whole, "output", tensor_of(what, "output", output), known.size())
    backend = known._backend_of(what, "input", whole)
    known._compare(what, **_facts(whole), op=op.name)
    t, after = target(what, "output", output, is_read=False)
    return finish(backend.reduce_scatter(what, t, whole, op, async_op), async_op, after)


def gather(tensor: TensorLike, gather_list: Sequence[TensorLike] | None = None, dst: int | None = None, group: ProcessGroup | None = None,
           async_op: bool = False, group_dst: int | None = None) -> Work | None:
    """Copies the tensors of all processes into those of `gather_list` of the process with the global rank `dst` (by default 0; or
    `group_dst` in the group); elsewhere it must be None.

    Shapes: any, the same for all tensors in all processes.
    Errors: as reduce, and as all_gather for the list; ValueError for a list where there must be none, and the reverse.
    """
    known = group_of("gather", group)
    if known is None:
        return None
    root = rank_within("gather", known, "dst", 0 if dst is None and group_dst is None else dst, group_dst)
    t = source("gather", "tensor", tensor)
    backend = known._backend_of("gather", "tensor", t)
    parts = _list_at_root("gather", "gather_list", gather_list, t, known, root, "dst")
    known._compare("gather", **_facts(t), dst=root)
    if parts is None:
        return finish(backend.gather("gather", None, t, root, async_op), async_op)
    whole = _room_for(parts)
    parts = [_into("gather", f"gather_list[{i}]", p) for i, p in enumerate(parts)]
    return finish(backend.gather("gather", whole, t, root, async_op), async_op, _spread(whole, parts))


def scatter(tensor: TensorLike, scatter_list: Sequence[TensorLike] | None = None, src: int | None = None, group: ProcessGroup | None = None,
            async_op: bool = False, group_src: int | None = None) -> Work | None:
    """Replaces `tensor` by that which the process with the global rank `src` (by default 0; or `group_src` in the group) has in
    `scatter_list` at this one's rank; elsewhere the list must be None.

    Shapes: any, the same for all tensors in all processes.
    Errors: as gather.
    """
    known = group_of("scatter", group)
    if known is None:
        return None
    root = rank_within("scatter", known, "src", 0 if src is None and group_src is None else src, group_src)
    like = tensor_of("scatter", "tensor", tensor)
    backend = known._backend_of("scatter", "tensor", like)
    parts = _list_at_root("scatter", "scatter_list", scatter_list, like, known, root, "src")
    known._compare("scatter", **_facts(like), src=root)
    t, after = target("scatter", "tensor", tensor, is_read=False)
    whole = None if parts is None else torch_np.stack([p.detach() for p in parts])
    return finish(backend.scatter("scatter", t, whole, root, async_op), async_op, after)


def _list_at_root(what: str, name: str, parts: Any, part: Tensor, group: ProcessGroup, root: int, end: str) -> list[Tensor] | None:
    if group.rank() != root:
        if parts:
            raise ValueError(f"{what}(): {name} must be None but on {end}, which is rank {root} of the group")
        return None
    if parts is None:
        raise ValueError(f"{what}(): {name} must be given on {end}, which is rank {root} of the group")
    return check_parts(what, name, parts, "tensor", part, group.size())


def barrier(group: ProcessGroup | None = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Waits until all processes of the group have called it; with "nccl", until this one's GPU is done, too. Errors: as get_rank."""
    known = group_of("barrier", group)
    if known is None:
        return None
    known._compare("barrier")
    return finish(next(iter(known._backends.values())).barrier("barrier", async_op), async_op)
