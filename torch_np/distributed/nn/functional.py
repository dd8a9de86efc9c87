"""Collectives through which gradients flow: each has the transposed collective as its derivative.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import distributed as dist
from torch_np._absent import absent_function
from torch_np.autograd import Function
from torch_np.distributed import ProcessGroup, ReduceOp

Tensor = torch_np.Tensor


def _group(group: Any) -> Any:
    return dist.group.WORLD if group is None else group


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Any) -> Any:
        ctx.op, ctx.group = op, group
        made = tensor.clone(memory_format=torch_np.contiguous_format)
        dist.all_reduce(made, op, group)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, output_sizes: Any, input_sizes: Any, output: Any, tensor: Any) -> Any:
        ctx.group, ctx.sizes, ctx.shape = group, (output_sizes, input_sizes), tensor.shape
        made = torch_np.empty_like(output)
        dist.all_to_all_single(made, tensor.detach().contiguous(), output_sizes, input_sizes, group)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        output_sizes, input_sizes = ctx.sizes
        room = torch_np.empty(tuple(ctx.shape), dtype=grad.dtype, device=grad.device)
        return None, None, None, None, _AllToAllSingle.apply(ctx.group, input_sizes, output_sizes, room, grad.contiguous())


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, outputs: Any, *tensors: Any) -> Any:
        ctx.group, ctx.shapes = group, [t.shape for t in tensors]
        made = [torch_np.empty_like(t) for t in outputs]
        dist.all_to_all(made, [t.detach().contiguous() for t in tensors], group)
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        rooms = [torch_np.empty(tuple(s), dtype=grads[0].dtype, device=grads[0].device) for s in ctx.shapes]
        return (None, None, *_AllToAll.apply(ctx.group, rooms, *[g.contiguous() for g in grads]))


def all_reduce(tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None) -> Tensor:
    """Returns the sum of the tensors of all processes.

    Args:
      tensor: the tensor
      op: ReduceOp.SUM
      group: process group; by default the group of all processes

    Shapes: as `tensor`.
    Errors: NotImplementedError for another reduction.
    """
    if op is not ReduceOp.SUM:
        raise NotImplementedError("all_reduce(): gradients flow through ReduceOp.SUM only")
    return _AllReduce.apply(op, _group(group), tensor)


def all_to_all(output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """Returns the tensors that the processes send to this one.

    Args:
      output_tensor_list: tensors with the shapes of the results
      input_tensor_list: tensors to send, one for each process
      group: process group; by default the group of all processes

    Shapes: as `output_tensor_list`.
    """
    return _AllToAll.apply(_group(group), list(output_tensor_list), *input_tensor_list)


def all_to_all_single(output: Tensor, input: Tensor, output_split_sizes: list[int] | None = None,  # noqa: A002
                      input_split_sizes: list[int] | None = None, group: ProcessGroup | None = None) -> Tensor:
    """Returns the rows that the processes send to this one, joined.

    Args:
      output: tensor with the shape of the result
      input: tensor whose rows are sent
      output_split_sizes: rows from each process; by default equal parts
      input_split_sizes: rows for each process; by default equal parts
      group: process group; by default the group of all processes

    Shapes: as `output`.
    """
    return _AllToAllSingle.apply(_group(group), output_split_sizes, input_split_sizes, output, input)


def all_gather(tensor: Tensor, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """Returns the tensors of all processes.

    Args:
      tensor: the tensor of this process
      group: process group; by default the group of all processes

    Shapes: each as `tensor`.
    """
    size = dist.get_world_size(_group(group))
    return _AllToAll.apply(_group(group), [tensor.detach()] * size, *[tensor] * size)


def reduce_scatter(output: Tensor, input_list: Sequence[Tensor], op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None) -> Tensor:
    """Returns the sum of the tensors that the processes have for this one.

    Args:
      output: tensor with the shape of the result
      input_list: tensors, one for each process
      op: ReduceOp.SUM
      group: process group; by default the group of all processes

    Shapes: as `output`.
    Errors: NotImplementedError for another reduction.
    """
    if op is not ReduceOp.SUM:
        raise NotImplementedError("reduce_scatter(): gradients flow through ReduceOp.SUM only")
    parts = _AllToAll.apply(_group(group), [output.detach()] * len(input_list), *input_list)
    return torch_np.stack(list(parts)).sum(0)


_REASON = "gradients do not flow through it; use all_gather, all_reduce or all_to_all of this module"
broadcast, gather, reduce, scatter = (absent_function(_name, _REASON, "torch_np.distributed.nn") for _name in ("broadcast", "gather", "reduce", "scatter"))
