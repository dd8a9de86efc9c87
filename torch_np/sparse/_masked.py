"""Reductions of the elements of sparse tensors that a mask selects, for torch_np.masked."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._broadcast import broadcast_coo
from torch_np.sparse._coalesce import coalesce
from torch_np.sparse._common import positions, unravelled
from torch_np.sparse._masks import sparse_mask
from torch_np.sparse._parts import COO, CSR, LAYOUTS, make_coo, parts_of, size_of

_INTEGERS = (torch_np.uint8, torch_np.bool, torch_np.int8, torch_np.int16, torch_np.int32)


def _identity(name: str, dtype: Any) -> Any:
    """The result of a reduction of no elements."""
    if name in ("sum", "prod", "mean"):
        return 1 if name == "prod" else 0
    lowest = name == "amax"
    if dtype == torch_np.bool:
        return not lowest
    if dtype.is_floating_point:
        return -float("inf") if lowest else float("inf")
    return torch_np.iinfo(dtype).min if lowest else torch_np.iinfo(dtype).max


def _coo_mask(mask: Tensor, x: Tensor) -> Tensor:
    """A mask as a coalesced COO tensor of the size of `x` with as many sparse axes."""
    size, axes = size_of(x), parts_of(x).indices.shape[0]
    if mask.dim() > len(size):
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if _is_sparse(mask):
        made = mask.to_sparse() if parts_of(mask).layout != COO else mask
        made = broadcast_coo(coalesce(made.to(torch_np.bool)), size)
        if parts_of(made).indices.shape[0] == axes:
            return made
        mask = made.to_dense()
    return mask.to(torch_np.bool).expand(size).to_sparse(axes)


def _selected(name: str, x: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Indices and values of the elements of a COO tensor that the mask selects. Those that the tensor
    does not specify are zero.
    """
    if mask is None:
        parts = parts_of(coalesce(x))
        return parts.indices, parts.values
    selects = parts_of(_coo_mask(mask, x))
    kept = selects.values.flatten(1).any(1) if selects.values.dim() > 1 else selects.values
    at = kept.nonzero().squeeze(1)
    indices, flags = selects.indices[:, at], selects.values[at]
    pattern = make_coo(indices, torch_np.zeros(flags.shape, dtype=torch_np.bool, device=flags.device), size_of(x), True)
    values = parts_of(sparse_mask(x, pattern)).values
    if flags.dim() > 1:
        values = torch_np.where(flags, values, torch_np.full((), _identity(name, values.dtype), dtype=values.dtype, device=values.device))
    return indices, values


def _groups(indices: Tensor, values: Tensor, size: Sequence[int], name: str) -> tuple[Tensor, Tensor]:
    """Distinct indices, and for each of them the reduction of its values."""
    keys, group = torch_np.unique(positions(indices, size), return_inverse=True)
    place = group.reshape(-1, *[1] * (values.dim() - 1)).expand(values.shape)
    empty = torch_np.zeros((keys.shape[0], *values.shape[1:]), dtype=values.dtype, device=values.device)
    return unravelled(keys, size), torch_np.scatter_reduce(empty, 0, place, values, name, include_self=False)


def _of_all(values: Tensor, name: str) -> Tensor:
    """The reduction along the first axis."""
    if not values.shape[0] and name in ("amax", "amin"):
        return torch_np.full(values.shape[1:], _identity(name, values.dtype), dtype=values.dtype, device=values.device)
    return getattr(torch_np, name)(values, 0)


def _reduce_coo(name: str, x: Tensor, axes: Sequence[int], keepdim: bool, dtype: Any, mask: Tensor | None, specified: bool = False) -> Tensor:
    """A reduction of a COO tensor. `specified`: the result of all axes is an element even if it is 0."""
    size, sparse = size_of(x), parts_of(x).indices.shape[0]
    indices, values = _selected(name, x, mask)
    values = values.to(dtype)
    inner = [axis - sparse + 1 for axis in axes if axis >= sparse]
    if inner:
        if name != "sum":
            raise NotImplementedError(f"masked {name}: reductions of dense axes of sparse tensors are not implemented")
        values = values.sum(inner, keepdim=keepdim, dtype=dtype)
    kept = [axis for axis in range(sparse) if axis not in axes]
    if not kept:
        total = _of_all(values, name).to(dtype)
        if specified and values.shape[0]:
            at = torch_np.zeros((sparse, 1), dtype=torch_np.int64, device=values.device)
            return make_coo(at, total.unsqueeze(0), (*[1] * sparse, *total.shape), True)
        return (total.reshape([1] * sparse + list(total.shape)) if keepdim else total).to_sparse()
    shape = [1 if axis in axes and keepdim else n for axis, n in enumerate(size[:sparse]) if keepdim or axis in kept]
    if len(kept) < sparse:
        rows, sums = _groups(torch_np.stack([indices[axis] for axis in kept]), values, [size[axis] for axis in kept], name)
        if keepdim:
            found = dict(zip(kept, rows.unbind(0), strict=True))
            zero = torch_np.zeros(rows.shape[1], dtype=torch_np.int64, device=rows.device)
            rows = torch_np.stack([found.get(axis, zero) for axis in range(sparse)])
        indices, values = rows, sums
    return make_coo(indices, values, (*shape, *values.shape[1:]), True)


def reduce(name: str, input: Tensor, dim: int | Sequence[int] | None, keepdim: bool, dtype: Any, mask: Tensor | None) -> Tensor:  # noqa: A002
    """A reduction of a COO or CSR tensor, which gives a tensor of the same layout.

    Args:
      name: `sum`, `prod`, `amax`, `amin` or `mean`
      input: the tensor
      dim: axes; None is all
      keepdim: whether the axes remain, with length 1
      dtype: dtype of the result; None is that of PyTorch's function
      mask: which elements count

    Errors: ValueError for other layouts, and without a mask unless `name` is sum.
    """
    parts = parts_of(input)
    layout = str(LAYOUTS[parts.layout]).rpartition(".")[2]
    allowed = (CSR,) if name == "mean" else (COO, CSR)
    if parts.layout not in allowed:
        kinds = "strided or sparse_csr" if name == "mean" else "strided, sparse_coo or sparse_csr"
        raise ValueError(f"masked {name} expects {kinds} tensor (got {LAYOUTS[parts.layout]} tensor)")
    if mask is None and name != "sum":
        raise ValueError(f"masked {name} expects explicit mask for {layout} tensor input")
    if dtype is None:
        dtype = torch_np.int64 if name in ("sum", "prod") and parts.values.dtype in _INTEGERS else parts.values.dtype
    count = len(size_of(input))
    axes = list(range(count)) if dim is None or dim == () else [a % max(count, 1) for a in ([dim] if isinstance(dim, int) else dim)]
    if parts.layout == COO:
        return _reduce_coo(name, input, axes, keepdim, dtype, mask)
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    x = input.to_sparse()
    if name != "mean":
        return _reduce_coo(name, x, axes, True, dtype, mask, True).to_sparse_csr()
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {dtype}")
    total = _reduce_coo("sum", x, axes, True, dtype, mask, True)
    counts = _reduce_coo("sum", make_coo(*_ones_of(x, mask), size_of(x), True), axes, True, dtype, mask, True)
    return make_coo(parts_of(total).indices, parts_of(total).values / parts_of(counts).values, size_of(total), True).to_sparse_csr()


def _ones_of(x: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Indices of the selected elements, and as many ones."""
    indices, values = _selected("sum", x, mask)
    return indices, torch_np.ones_like(values)
