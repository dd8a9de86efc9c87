"""Sparse tensors of larger sizes with the same elements along new axes."""
from __future__ import annotations

from collections.abc import Sequence

import torch_np
from torch_np import Tensor
from torch_np.sparse._coalesce import _coalesced
from torch_np.sparse._parts import make_coo, parts_of, size_of


def broadcast_coo(x: Tensor, size: Sequence[int]) -> Tensor:
    """A COO tensor that is broadcast to a size. The new axes come first and are sparse.

    Args:
      x: the tensor
      size: the size, to which that of `x` broadcasts
    """
    parts, old, size = parts_of(x), size_of(x), tuple(size)
    extra = len(size) - len(old)
    sparse = parts.indices.shape[0]
    for n, m in zip(old, size[extra:], strict=True):
        if n not in (m, 1):
            raise RuntimeError(f"The expanded size of the tensor ({m}) must match the existing size ({n})")
    if size == old:
        return x
    count = parts.values.shape[0]
    values = parts.values.expand(count, *size[extra + sparse:])
    rows = list(parts.indices.unbind(0))
    for axis in reversed(range(extra + sparse)):  # repeats all elements along each new axis
        n = size[axis]
        if axis >= extra and old[axis - extra] == n:
            continue
        number = torch_np.arange(n, device=values.device).repeat_interleave(count)
        rows = [row.repeat(n) for row in rows]
        values = values.repeat(n, *[1] * (values.dim() - 1))
        if axis < extra:
            rows.insert(0, number)
        else:
            rows[axis - extra] = number
        count *= n
    indices = torch_np.stack(rows) if rows else parts.indices
    if parts.is_coalesced:
        indices, values = _coalesced(indices, values, size[:extra + sparse])
    return make_coo(indices, values, size, parts.is_coalesced)
