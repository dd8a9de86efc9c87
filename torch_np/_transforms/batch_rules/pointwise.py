"""Pointwise operators: the batch comes first, and axes of size 1 behind it align the samples."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batch_rules.table import KINDS, check_changeable
from torch_np._transforms.batching import Batch, is_recorded

_UNPROMOTED = {"where": 1, "kept_scaled": 1, "load_exponent": 2}  # how many operands do not take part in promotion
_OPTIONS = 6  # out, out1, where, dtype, casting and order come after the tensors


def _of_one_kind(b: Batch, call: Any, tensors: list[_C.Tensor], parts: list[_C.Tensor]) -> list[_C.Tensor]:
    """The parts with the dtypes that promotion needs. A sample without axes is weak in promotion beside one
    with axes, but its part has the axis of the batch.
    """
    if call.promotes_as_numpy:
        return parts
    first = _UNPROMOTED.get(call.name, 0)
    dtypes = {t.dtype for t in tensors[first:]}
    if len(dtypes) < 2 or all(t.dim() for t in tensors[first:]):
        return parts
    wanted = _C._result_type(tuple(tensors[first:]))
    return [p if i < first or b.part(t) is None or t.dtype == wanted else p.to(wanted) for i, (t, p) in enumerate(zip(tensors, parts))]


def pointwise(b: Batch, call: Any) -> Any:
    args = call.args
    n = len(args) - _OPTIONS
    tensors, out, where = args[:n], args[n], args[n + 2]
    rank = max([t.dim() for t in tensors])
    if where is not None:
        rank = max(rank, where.dim())
    if out is not None:
        rank = max(rank, out.dim())
    parts = [b.aligned(t, rank) for t in tensors]
    if n > 1:
        parts = _of_one_kind(b, call, tensors, parts)
    args[:n] = parts
    if where is not None:
        args[n + 2] = b.aligned(where, rank)
    if out is None:
        return b.wrapped(call.run(args))
    return _into(b, call, args, n)


def _into(b: Batch, call: Any, args: list[Any], n: int) -> Any:
    outs = [out for out in args[n:n + 2] if out is not None]
    targets = [check_changeable(b, out, call.name) for out in outs]
    where = args[n + 2]
    if is_recorded(*args[:n], *targets):
        # A recorded operator cannot write into a given tensor; a recorded copy can.
        results = call.run([*args[:n], None, None, None, *args[n + 3:]])
        for target, result in zip(targets, [results] if len(outs) == 1 else results):
            target.copy_(result if where is None else _torch.where(where, result, target))
    else:
        call.run([*args[:n], *targets, *[None] * (2 - len(targets)), *args[n + 2:]])
    for out in outs:
        _C._bump_version(out)
    return outs[0] if len(outs) == 1 else tuple(outs)


KINDS["pointwise"] = pointwise
