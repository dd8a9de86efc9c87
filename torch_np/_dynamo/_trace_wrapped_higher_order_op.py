"""torch_np._dynamo._trace_wrapped_higher_order_op: a mode of PyTorch's vectorising maps, by name."""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_class

TransformGetItemToIndex: Any = absent_class(
    "TransformGetItemToIndex", "vectorising maps are not implemented; index with tensors that broadcast", __name__)
