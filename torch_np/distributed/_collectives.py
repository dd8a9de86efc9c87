"""Collectives: operations that all processes of a group call together.

This module checks arguments and makes tensors contiguous, as backends require. Contiguous tensors
are passed without a copy. Others are copied to a contiguous buffer, and results are copied back.
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
    """Returns the argument, a Tensor or an array of the NumPy face, as a Tensor.

    Errors: TypeError if the argument is neither.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, _C.ndarray):
        return value._torch()
    raise TypeError(f"{what}(): {name} must be a Tensor, got {type(value).__name__}")


def source(what: str, name: str, value: Any) -> Tensor:
    """The tensor to send: contiguous and detached from the gradient tape."""
    return tensor_of(what, name, value).detach().contiguous()


def target(what: str, name: str, value: Any, is_read: bool = True) -> tuple[Tensor, Callable[[], object] | None]:
    """The contiguous tensor to receive into, and a callback that copies the result to its
    destination (None if no copy is needed).

    Errors: RuntimeError if gradients flow through the tensor, since an in-place change would make
    them wrong.
    """
    tensor = tensor_of(what, name, value)
    if tensor.grad_fn is not None and torch_np.is_grad_enabled():
        raise RuntimeError(f"{what}(): {name} requires a gradient and is not a leaf, so it cannot be changed in place; detach() it, "
                           "or call under no_grad()")
    tensor = tensor.detach()
    if tensor.is_contiguous():
        _C._bump_version(tensor)
        return tensor, None
    staged = tensor.contiguous() if is_read else torch_np.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    return staged, lambda: tensor.copy_(staged)


def reduction(what: str, op: Any) -> ReduceOp:
    """Returns `op` unchanged.

    Errors: TypeError if `op` is not a ReduceOp.
    """
    if not isinstance(op, ReduceOp):
        raise TypeError(f"{what}(): op must be a torch_np.distributed.ReduceOp, got {op!r}")
    return op


def check_parts(what: str, name: str, parts: Any, part_name: str, part: Tensor, size: int) -> list[Tensor]:
    """The tensors of a list that must hold one tensor for each process, all with the shape, dtype
    and device of `part`.

    Errors: TypeError if `parts` is not a list; ValueError unless it has one tensor for each
    process, and if the shape, dtype or device of a tensor differs from that of `part`.
    """
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
    """Checks that `whole` has as many elements as one `part` for each process.

    Errors: ValueError if the number of elements, the dtypes or the devices do not match.
    """
    if whole.dtype != part.dtype or whole.device != part.device:
        raise ValueError(f"{what}(): {name} is of {whole.dtype} on {whole.device}, and {part_name} of {part.dtype} on {part.device}")
    if whole.numel() != part.numel() * size:
        raise ValueError(f"{what}(): {name} of shape {tuple(whole.shape)} does not have {size} times the {part.numel()} elements of {part_name} "
                         f"of shape {tuple(part.shape)}, one for each process of the group")


def finish(work: Work, asynchronous: bool, *after: Callable[[], object] | None) -> Work | None:
    """Registers the callbacks `after`. Returns the Work if `asynchronous`; otherwise waits for it
    and returns None.
    """
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
    """Reduces the tensors of all processes and stores the result in `tensor` on each of them.

    All processes get the same bits. 16-bit floats are rounded after each addition. If a NaN meets a
    number in MIN or MAX, their order decides the result.

    Args:
      tensor: Tensor or array in memory that the backend accesses, of the same shape and dtype in
        all processes
      op: the reduction, a ReduceOp
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: any, the same in all processes.
    Dtypes: all that `op` supports.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    TypeError for an `op` that the dtype does not support (AVG of integers, MIN of complex numbers,
    BAND of floats). Different shapes or dtypes in different processes are detected reliably only
    with TORCH_NP_DISTRIBUTED_DEBUG=DETAIL.
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
    """Reduces the tensors of all processes and stores the result in `tensor` on one of them.

    Args:
      tensor: Tensor or array in memory that the backend accesses, of the same shape and dtype in
        all processes
      dst: global rank of the receiving process
      op: the reduction, a ReduceOp
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation
      group_dst: rank of the receiving process within the group, instead of `dst`

    Shapes: any, the same in all processes.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    TypeError for an `op` that the dtype does not support; ValueError for a `dst` outside the group.
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
    """Copies the tensor of one process into `tensor` on all others.

    Args:
      tensor: Tensor or array in memory that the backend accesses, of the same shape and dtype in
        all processes
      src: global rank of the sending process
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation
      group_src: rank of the sending process within the group, instead of `src`

    Shapes: any, the same in all processes.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    ValueError for a `src` outside the group.
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
    """Copies the tensors of all processes into the tensors of `tensor_list`, ordered by rank.

    The tensors arrive in one buffer and are copied from it. `all_gather_into_tensor` needs no such
    copy.

    Args:
      tensor_list: tensors that receive the results, one for each process
      tensor: Tensor or array in memory that the backend accesses, of the same shape and dtype in
        all processes
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: any, the same for all tensors in all processes.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    ValueError for a list that does not have one tensor for each process, and for tensors that
    differ in shape, dtype or device.
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
    """The detached tensor that results are copied into later.

    Errors: RuntimeError if gradients flow through it.
    """
    if tensor.grad_fn is not None and torch_np.is_grad_enabled():
        target(what, name, tensor)  # raises the error for this tensor
    return tensor.detach()


def all_gather_into_tensor(output_tensor: TensorLike, input_tensor: TensorLike, group: ProcessGroup | None = None,
                           async_op: bool = False) -> Work | None:
    """Concatenates the tensors of all processes, ordered by rank, into `output_tensor`.

    Args:
      output_tensor: tensor that receives the result
      input_tensor: tensor that this process contributes
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: `input_tensor` any; `output_tensor` the concatenation along the first axis, or the
    stack. Only the number of elements is checked.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    ValueError if the numbers of elements, the dtypes or the devices do not match.
    """
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
    """Reduces the lists of tensors of all processes elementwise, and stores the tensor at this
    process's rank in `output`.

    The tensors are first copied to one buffer. `reduce_scatter_tensor` needs no such copy.

    Args:
      output: tensor that receives the result
      input_list: tensors to reduce, one for each process
      op: the reduction, a ReduceOp
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: any, the same for all tensors in all processes.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    TypeError for an `op` that the dtype does not support; ValueError for a list that does not have
    one tensor for each process, and for tensors that differ in shape, dtype or device.
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
    """Reduces the `input` tensors of all processes and stores this process's part of the result in
    `output`.

    Args:
      output: tensor that receives the result
      input: tensor with the elements of one output for each process
      op: the reduction, a ReduceOp
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation

    Shapes: `output` any; `input` the concatenation of all outputs along the first axis, or their
    stack. Only the number of elements is checked.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    TypeError for an `op` that the dtype does not support; ValueError if the numbers of elements,
    the dtypes or the devices do not match.
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
    """Copies the tensors of all processes into the tensors of `gather_list` on one process.

    Args:
      tensor: Tensor or array in memory that the backend accesses, of the same shape and dtype in
        all processes
      gather_list: tensors that receive the results, one for each process; None on all processes but
        the receiving one
      dst: global rank of the receiving process, 0 by default
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation
      group_dst: rank of the receiving process within the group, instead of `dst`

    Shapes: any, the same for all tensors in all processes.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    ValueError for a `dst` outside the group, for a list that does not have one tensor for each
    process, and for tensors that differ in shape, dtype or device, and for a list that is missing
    on `dst` or present elsewhere.
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
    """Copies one tensor of a list on one process to each process.

    Args:
      tensor: tensor that receives this process's part
      scatter_list: tensors to send, one for each process; None on all processes but the sending one
      src: global rank of the sending process, 0 by default
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation
      group_src: rank of the sending process within the group, instead of `src`

    Shapes: any, the same for all tensors in all processes.
    Errors: ValueError if there is no process group; RuntimeError for a tensor that the backend
    cannot access, for a result that gradients flow through, and if another process has exited;
    ValueError for a `src` outside the group, for a list that does not have one tensor for each
    process, and for tensors that differ in shape, dtype or device, and for a list that is missing
    on `src` or present elsewhere.
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
            raise ValueError(f"{what}(): {name} must be None except on {end}, which is rank {root} of the group")
        return None
    if parts is None:
        raise ValueError(f"{what}(): {name} must be given on {end}, which is rank {root} of the group")
    return check_parts(what, name, parts, "tensor", part, group.size())


def barrier(group: ProcessGroup | None = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Waits until all processes of the group have called it; with "nccl", also until this process's
    GPU is idle.

    Args:
      group: process group; by default the group of all processes
      async_op: return a Work at once instead of waiting for the operation
      device_ids: accepted for compatibility; has no effect

    Errors: ValueError if there is no process group.
    """
    known = group_of("barrier", group)
    if known is None:
        return None
    known._compare("barrier")
    return finish(next(iter(known._backends.values())).barrier("barrier", async_op), async_op)
