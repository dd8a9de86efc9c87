"""torch_np.nested: tensors of sequences of different lengths, by name. They are not implemented."""
from __future__ import annotations

from torch_np._absent import absent_names

_REASON = ("tensors of sequences of different lengths are not implemented; use torch_np.nn.utils.rnn.pad_sequence with a mask, or "
           "pack_sequence")

__all__ = absent_names(
    globals(), _REASON,
    functions="as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged to_padded_tensor")
