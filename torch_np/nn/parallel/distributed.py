"""DistributedDataParallel: trains a module in several processes, each with a part of the batch."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch_np
from torch_np import distributed
from torch_np.distributed import ProcessGroup, Work
from torch_np.distributed._group import group_of
from torch_np.nn.modules.module import Module
from torch_np.nn.parallel._reducer import Reducer
from torch_np.nn.parallel.data_parallel import on_device_of

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Wraps a module for training in several processes, whose gradients are averaged when backward
    ends.

    Each process calls it with its part of a batch. If the loss is a mean over the batch and the
    parts have equal sizes, the averaged gradients are those of the joint batch, up to rounding. On
    construction, parameters and buffers are copied from the group's first process. Gradients are
    reduced in buckets while backward runs. All processes make the same number of forward and
    backward passes.

    Args:
      module: the module, available under the attribute `module`
      device_ids: list of the one GPU that `module` is on, to which tensors among the arguments are
        moved, or None
      output_device: no effect: one device needs no place to gather results
      dim: no effect: one device needs no axis to split batches along
      broadcast_buffers: copy buffers from the first process in each forward pass that records
        gradients
      init_sync: copy parameters and buffers on construction
      process_group: process group; by default the group of all processes
      bucket_cap_mb: size of a bucket in MiB, 25 by default
      find_unused_parameters: allow parameters that do not take part in the loss of every process;
        costs a walk over the graph after each forward pass and an additional reduction. A parameter
        that no process used keeps its gradient.
      check_reduction: accepted for compatibility; has no effect
      gradient_as_bucket_view: make `grad` a view of its bucket. This saves a copy and memory.
      static_graph: only False is supported
      options: PyTorch's other options, of which only None is supported

    Errors: ValueError if there is no process group, this process is not a member, no parameter
    requires a gradient, or `bucket_cap_mb` is not positive; RuntimeError if the modules of the
    processes differ in names, shapes or dtypes and, in the next forward pass, if a backward pass
    did not reach all parameters; NotImplementedError for several `device_ids` and for unsupported
    options; TypeError if `module` is not a Module.
    """

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0, broadcast_buffers: bool = True,
                 init_sync: bool = True, process_group: ProcessGroup | None = None, bucket_cap_mb: float | None = None,
                 find_unused_parameters: bool = False, check_reduction: bool = False, gradient_as_bucket_view: bool = False,
                 static_graph: bool = False, **options: Any) -> None:
        super().__init__()
        what = "DistributedDataParallel"
        group = group_of(what, process_group)
        if group is None:
            raise ValueError(f"{what}(): this process is not in process_group")
        if not isinstance(module, Module):
            raise TypeError(f"{what}(): module must be a torch_np.nn.Module, got {type(module).__name__}")
        if device_ids is not None and len(list(device_ids)) > 1:
            raise NotImplementedError(f"{what}(): several devices in one process are not implemented; give one in device_ids")
        asked = [name for name, value in options.items() if value is not None] + (["static_graph"] if static_graph else [])
        if asked:
            raise NotImplementedError(f"{what}(): {', '.join(asked)}= is not implemented")
        cap = 25 if bucket_cap_mb is None else bucket_cap_mb
        if not cap > 0:
            raise ValueError(f"{what}(): bucket_cap_mb must be positive, got {bucket_cap_mb}")
        self.module, self.dim = module, dim
        self.device_ids, self.output_device, self.process_group = device_ids, output_device, group
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.require_backward_grad_sync = True
        named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
        if not named:
            raise ValueError(f"{what}(): no parameter of the module requires a gradient")
        _check_same(group, module)
        if init_sync:
            self._broadcast([*module.parameters(), *module.buffers()])
        self._reducer = Reducer(named, group, int(cap * (1 << 20)), find_unused_parameters, gradient_as_bucket_view)

    def _broadcast(self, tensors: Any) -> None:
        with torch_np.no_grad():
            begun: list[Work | None] = [distributed.broadcast(t, group=self.process_group, async_op=True, group_src=0) for t in tensors]
        for work in begun:
            assert work is not None
            work.wait()

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The result of the module.

        Shapes: those of the module.
        """
        expected = torch_np.is_grad_enabled() and self.require_backward_grad_sync
        if expected and self.broadcast_buffers:
            self._broadcast(self.module.buffers())
        output = self.module(*on_device_of(self.device_ids, inputs), **on_device_of(self.device_ids, kwargs))
        if torch_np.is_grad_enabled():
            self._reducer.prepare(output, expected)
        return output

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context whose forward passes accumulate gradients in this process only. The next pass
        outside the context averages all accumulated gradients.
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(self, *args: Any, **kwargs: Any) -> Any:
        """Not supported: all processes must make the same number of passes.

        Errors: NotImplementedError always.
        """
        raise NotImplementedError("DistributedDataParallel.join(): uneven numbers of batches are not implemented; DistributedSampler evens them")

    def register_comm_hook(self, state: object, hook: Any) -> None:
        """Not supported: gradients are averaged without a hook.

        Errors: NotImplementedError always.
        """
        raise NotImplementedError("DistributedDataParallel.register_comm_hook() is not implemented")


def _check_same(group: ProcessGroup, module: Module) -> None:
    """Checks that parameters and buffers have the same names, shapes, dtypes and `requires_grad` in
    all processes.

    Errors: RuntimeError, in all processes, if they differ.
    """
    mine = [(name, tuple(t.shape), str(t.dtype), t.requires_grad) for name, t in [*module.named_parameters(), *module.named_buffers()]]
    everyone: list[Any] = [None] * group.size()
    distributed.all_gather_object(everyone, mine, group)
    for rank, other in enumerate(everyone):
        if other != everyone[0]:
            first, second = next(((a, b) for a, b in zip(everyone[0], other) if a != b), (len(everyone[0]), len(other)))
            raise RuntimeError(f"DistributedDataParallel(): the modules of ranks 0 and {rank} of the group differ: {first} and {second}"
                               + ("" if isinstance(first, tuple) else " parameters and buffers"))
