"""Reductions: the axes of samples come after that of the batch."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._transforms.batch_rules.table import KINDS, check_changeable, loop
from torch_np._transforms.batching import Batch, is_recorded, padded

_OF_FLATTENED = {"argmax", "argmin"}  # without dim, the index counts all elements


def reduction(b: Batch, call: Any) -> Any:
    # input, dim, keepdim, dtype, out, initial, where, parameter, initial_tensor
    args = call.args
    x, dim, keepdim, out, where = args[0], args[1], args[2], args[4], args[6]
    if args[8] is not None and b.part(args[8]) is not None:
        return loop(b, call)
    rank = x.dim()
    part = b.full(x)
    shape = None
    if rank == 0:
        part, dim, keepdim = part.unsqueeze(1), [1], False
        where = where if where is None else b.full(where).unsqueeze(1)
    elif dim is None and call.name in _OF_FLATTENED:
        shape = (b.size, *[1] * rank) if keepdim else None
        part, dim, keepdim = part.reshape(b.size, -1 if b.size else x.numel()), [1], False
    else:
        dim = list(range(1, rank + 1)) if dim is None else [d % rank + 1 if -rank <= d < rank else d + 1 for d in dim]
        if where is not None:
            where = padded(b.full(where), rank)
    args[:3], args[6] = (part, dim, keepdim), where
    if out is None:
        result = call.run(args)
        return b.wrapped(result if shape is None else result.reshape(shape))
    target = check_changeable(b, out, call.name)
    if shape is None and not is_recorded(part, target):
        args[4] = target
        call.run(args)
    else:
        args[4] = None
        target.copy_(call.run(args).reshape(target.shape))
    _C._bump_version(out)
    return out


KINDS["reduction"] = reduction
