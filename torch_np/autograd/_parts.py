"""The recorded function of `unsafe_split` and its relatives."""
from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from torch_np import _C
from torch_np.autograd.function import Function


class Parts(Function):
    """Splits a tensor. Each part has a storage of its own over the same memory, and so its own version."""

    @staticmethod
    def forward(ctx: Any, x: _C.Tensor, sizes: Sequence[int], dim: int) -> tuple[_C.Tensor, ...]:
        ctx.dim, plain = dim, x.detach()
        # a capsule: another library's memory
        return tuple(_C._torch.from_dlpack(plain.narrow(dim, end - size, size).__dlpack__()) for size, end in zip(sizes, itertools.accumulate(sizes)))

    @staticmethod
    def backward(ctx: Any, *grads: _C.Tensor) -> tuple[Any, ...]:
        return _C._torch.cat(grads, ctx.dim), None, None
