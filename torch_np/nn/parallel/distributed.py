"""A module that several processes train, each with a part of the batch."""
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

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """`module`, under the name `module`, in each process of a group: called with this process's part of a batch, and with gradients that
    are averaged over all processes when backward ends. With a loss that is a mean over the batch, and parts of equal size, they are those of
    the joint batch up to rounding.

    Parameters and buffers become those of the group's first process when this is made, and buffers again in each forward pass that
    gradients are recorded in (`broadcast_buffers`). Gradients travel in buckets of about `bucket_cap_mb` MiB, each as soon as backward has
    filled it, while backward goes on; `gradient_as_bucket_view` lets `grad` be a view of its bucket, which saves a copy and memory.

    All parameters must take part in each loss, in all processes, or `find_unused_parameters` must be set: it walks through the graph after
    each forward pass, and reduces a mask besides. What no process used keeps the gradient it has.

    All processes make as many forward and backward passes. `init_sync=False` leaves parameters as they are. `device_ids` names the one GPU
    that `module` is on, or is None.

    Errors: ValueError if there is no process group, if no parameter requires a gradient, and if this process is not in the group;
    RuntimeError if the processes' modules differ in names, shapes or dtypes of parameters, and, in the next forward pass, if a backward pass
    gave no gradient to a parameter; NotImplementedError for several `device_ids`, and for PyTorch's other options; TypeError for what is no
    Module.
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
        """What the module gives. Shapes: those of the module."""
        expected = torch_np.is_grad_enabled() and self.require_backward_grad_sync
        if expected and self.broadcast_buffers:
            self._broadcast(self.module.buffers())
        output = self.module(*inputs, **kwargs)
        if torch_np.is_grad_enabled():
            self._reducer.prepare(output, expected)
        return output

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context whose forward passes, and the backward passes that follow from them, add to this process's gradients alone. The next
        pass outside averages all that has been added."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(self, *args: Any, **kwargs: Any) -> Any:
        """Raises NotImplementedError: all processes make as many passes."""
        raise NotImplementedError("DistributedDataParallel.join(): uneven numbers of batches are not implemented; DistributedSampler evens them")

    def register_comm_hook(self, state: object, hook: Any) -> None:
        """Raises NotImplementedError: gradients are averaged as they are."""
        raise NotImplementedError("DistributedDataParallel.register_comm_hook() is not implemented")


def _check_same(group: ProcessGroup, module: Module) -> None:
    """Errors: RuntimeError, in all processes, if parameters or buffers differ in name, shape, dtype, or whether they require gradients."""
    mine = [(name, tuple(t.shape), str(t.dtype), t.requires_grad) for name, t in [*module.named_parameters(), *module.named_buffers()]]
    everyone: list[Any] = [None] * group.size()
    distributed.all_gather_object(everyone, mine, group)
    for rank, other in enumerate(everyone):
        if other != everyone[0]:
            first, second = next(((a, b) for a, b in zip(everyone[0], other) if a != b), (len(everyone[0]), len(other)))
            raise RuntimeError(f"DistributedDataParallel(): the modules of ranks 0 and {rank} of the group differ: {first} and {second}"
                               + ("" if isinstance(first, tuple) else " parameters and buffers"))
