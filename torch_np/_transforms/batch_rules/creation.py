"""New tensors from batched ones."""
from __future__ import annotations

from typing import Any

from torch_np._transforms.batch_rules.table import rule
from torch_np._transforms.batching import Batch


@rule("zeros_like", "ones_like", "full_like", "empty_like")
def _like(b: Batch, call: Any) -> Any:
    # input, (fill_value), dtype, device, requires_grad, order, size, memory_format
    args = call.args
    size = 6 if call.name == "full_like" else 5
    if args[-1] is not None:
        return NotImplemented
    args[0] = b.full(args[0])
    if args[size] is not None:
        args[size] = [b.size, *args[size]]
    requires_grad, args[size - 2] = args[size - 2], False
    made = b.wrap(call.run(args))
    return made.requires_grad_() if requires_grad else made
