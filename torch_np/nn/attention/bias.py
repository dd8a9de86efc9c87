"""Causal masks of attention that are not square."""
from __future__ import annotations

import enum
from typing import Any

from torch_np import _C
from torch_np._C import Tensor

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]

_t = _C._torch


class CausalVariant(enum.IntEnum):
    """The corner at which the diagonal of a causal mask ends: UPPER_LEFT, query i sees the keys up
    to i; LOWER_RIGHT, the last query sees all keys.
    """

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask for `scaled_dot_product_attention`: a tensor of bools.

    Args:
      variant: the corner
      seq_len_q: number of queries
      seq_len_kv: number of keys

    Shapes: (seq_len_q, seq_len_kv).
    Errors: TypeError unless `variant` is a CausalVariant.
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise TypeError(f"CausalBias(): variant must be a CausalVariant, got {type(variant).__name__}")
        shift = seq_len_kv - seq_len_q if variant is CausalVariant.LOWER_RIGHT else 0
        made = _C._make_subclass(cls, _t.tril(_t.ones(seq_len_q, seq_len_kv, dtype=_C.bool), shift), False)
        made.variant, made.seq_len_q, made.seq_len_kv = variant, seq_len_q, seq_len_kv
        return made

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        pass

    def _materialize(self, device: Any = None) -> Tensor:
        """The mask as an ordinary tensor of bools."""
        return self.detach().to(device) if device is not None else self.detach()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return CausalBias, (self.variant, self.seq_len_q, self.seq_len_kv)


def _pair(function, size):
    if len(size) != 2:
        raise AssertionError(f"{function} only supports 2D tensors")
    return size


def causal_upper_left(*size: int) -> CausalBias:
    """A causal mask in which query i sees the keys up to i.

    Args:
      size: number of queries, number of keys

    Shapes: (queries, keys).
    Errors: AssertionError unless there are two sizes.
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *_pair("causal_upper_left", size))


def causal_lower_right(*size: int) -> CausalBias:
    """A causal mask in which the last query sees all keys, and each one before it a key less.

    Args:
      size: number of queries, number of keys

    Shapes: (queries, keys).
    Errors: AssertionError unless there are two sizes.
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *_pair("causal_lower_right", size))
