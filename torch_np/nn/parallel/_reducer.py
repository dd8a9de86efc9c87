"""Averages gradients over processes while the backward pass runs.

Parameters are grouped into buckets in reverse order, since backward reaches the last one first.
When backward has accumulated a parameter's gradient, a hook copies it into its bucket. When a
bucket is full, its all-reduce starts and backward continues. The hook of the last gradient waits
for all reductions and copies the averages back. All processes start the buckets in the same order,
which collectives require. (Li et al., PyTorch Distributed: Experiences on Accelerating Data
Parallel Training, VLDB 13, 2020.)
"""
from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import torch_np
from torch_np import Tensor, distributed
from torch_np.distributed import ProcessGroup, ReduceOp, Work
from torch_np.nn.parameter import Parameter

__all__ = ["Bucket", "Reducer", "tensors_in"]

_FIRST_BUCKET = 1 << 20  # bytes; small, so that the first reduction starts early


class Bucket:
    """Gradients that are reduced together: a flat tensor, and a view of it for each parameter."""

    def __init__(self, indices: list[int], parameters: list[Parameter]) -> None:
        first = parameters[indices[0]]
        self.indices, self.missing = indices, len(indices)
        self.flat = torch_np.zeros(sum(parameters[i].numel() for i in indices), dtype=first.dtype, device=first.device)
        self.work: Work | None = None
        self.views: dict[int, Tensor] = {}
        begin = 0
        for i in indices:
            count = parameters[i].numel()
            self.views[i] = self.flat[begin:begin + count].view(parameters[i].shape)
            begin += count


def fill_buckets(parameters: list[Parameter], limit: int) -> list[list[int]]:
    """Indices of parameters for each bucket, in the order in which backward is expected to reach
    them.

    A bucket holds parameters of one dtype and device, of up to `limit` bytes in total (fewer in the
    first).
    """
    done: list[list[int]] = []
    filling: dict[tuple[Any, Any], tuple[list[int], int]] = {}
    for i in reversed(range(len(parameters))):
        p = parameters[i]
        kind = (p.dtype, p.device)
        indices, size = filling.pop(kind, ([], 0))
        indices.append(i)
        size += p.numel() * p.element_size()
        if size >= (limit if done else min(limit, _FIRST_BUCKET)):
            done.append(indices)
        else:
            filling[kind] = (indices, size)
    return done + [indices for indices, _ in filling.values()]


def tensors_in(value: Any) -> Iterable[Tensor]:
    """The tensors in nested tuples, lists, dictionaries and dataclasses."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors_in(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(one)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from tensors_in(getattr(value, name))


class Reducer:
    """The buckets of a module's parameters, and the hooks that fill them."""

    def __init__(self, named: list[tuple[str, Parameter]], group: ProcessGroup, limit: int, find_unused: bool, as_views: bool) -> None:
        self._names, self._parameters = [n for n, _ in named], [p for _, p in named]
        self._group, self._find_unused, self._as_views = group, find_unused, as_views
        self.buckets = [Bucket(indices, self._parameters) for indices in fill_buckets(self._parameters, limit)]
        self._bucket_of = {i: bucket for bucket in self.buckets for i in bucket.indices}
        self._expected = False     # whether to average the next backward pass
        self._seen: set[int] = set()
        self._unused: set[int] = set()
        self._begun = 0            # number of buckets whose all-reduce has started
        me = weakref.ref(self)     # weak, since parameters may outlive the reducer
        self._handles = [p.register_post_accumulate_grad_hook(_hook(me, i)) for i, p in enumerate(self._parameters)]
        self._leaves = {_leaf(p): i for i, p in enumerate(self._parameters)} if find_unused else {}

    def __del__(self) -> None:
        for handle in getattr(self, "_handles", ()):
            handle.remove()

    def prepare(self, output: Any, expected: bool) -> None:
        """Prepares for a backward pass from `output`.

        Errors: RuntimeError if the last backward pass did not reach all parameters.
        """
        if self._seen:
            missing = [self._names[i] for i in range(len(self._names)) if i not in self._seen and i not in self._unused]
            raise RuntimeError("DistributedDataParallel(): the last backward pass gave no gradients to " + ", ".join(missing[:8]) +
                               (", ..." if len(missing) > 8 else "") + ", so the averages of the other gradients did not finish; give find_unused_parameters=True if not all parameters take part, and use all outputs in the loss")
        self._expected, self._unused = expected, set()
        if expected and self._find_unused:
            used = self._used_by(output)
            if used:
                self._unused = set(range(len(self._parameters))) - used

    def _used_by(self, output: Any) -> set[int]:
        """The indices of the parameters that the graph of `output` reaches."""
        used, seen = set(), set()
        stack = [t.grad_fn for t in tensors_in(output) if t.grad_fn is not None]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node in self._leaves:
                used.add(self._leaves[node])
            stack += [following for following, _ in node.next_functions if following is not None]
        return used

    def ready(self, i: int) -> None:
        """Called when backward has accumulated the gradient of a parameter."""
        if not self._expected:
            return
        if i in self._seen or i in self._unused:
            raise RuntimeError(f"DistributedDataParallel(): backward reached {self._names[i]} twice in one pass, or a parameter that the outputs of the "
                               "module do not depend on")
        if not self._seen:  # only now, since backward may never run for an output
            for unused in sorted(self._unused, reverse=True):
                self._fill(unused)
        self._seen.add(i)
        self._fill(i)
        if self._begun == len(self.buckets):
            self._finish()
            return
        for bucket in self.buckets[:self._begun]:
            # The test lets MPI make progress.
            if bucket.work is not None and not bucket.work.is_completed():
                break

    def _fill(self, i: int) -> None:
        bucket, grad = self._bucket_of[i], self._parameters[i].grad
        view = bucket.views[i]
        if grad is None:
            view.zero_()
        elif grad is not view:
            view.copy_(grad.detach())
        bucket.missing -= 1
        while self._begun < len(self.buckets) and self.buckets[self._begun].missing == 0:
            following = self.buckets[self._begun]
            following.work = distributed.all_reduce(following.flat, ReduceOp.AVG, self._group, async_op=True)
            self._begun += 1

    def _finish(self) -> None:
        """Waits for all averages and makes them the gradients. A parameter that no process used
        keeps its gradient.
        """
        used = None
        if self._find_unused:
            used = torch_np.tensor([i not in self._unused for i in range(len(self._parameters))], device=self.buckets[0].flat.device)
            distributed.all_reduce(used, ReduceOp.MAX, self._group)
            used = used.tolist()
        for bucket in self.buckets:
            assert bucket.work is not None
            bucket.work.wait()
            for i, view in bucket.views.items():
                p = self._parameters[i]
                if used is not None and not used[i]:
                    continue
                if self._as_views:
                    p.grad = view
                elif p.grad is None:
                    p.grad = view.clone()
                else:
                    p.grad.detach().copy_(view)
            bucket.work, bucket.missing = None, len(bucket.indices)
        self._begun = 0
        self._seen.clear()
        self._unused = set()


def _hook(reducer: weakref.ref[Reducer], i: int) -> Any:
    def ready(_: Tensor) -> None:
        one = reducer()
        if one is not None:
            one.ready(i)
    return ready


def _leaf(p: Parameter) -> Any:
    """The node of the tape that accumulates the gradient of a parameter."""
    with torch_np.enable_grad():
        node: Any = p.view_as(p).grad_fn
        return node.next_functions[0][0]
