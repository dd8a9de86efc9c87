"""Sums of sparse tensors."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np.sparse import _kernels
from torch_np.sparse._coalesce import _coalesced, coalesce
from torch_np.sparse._common import axes_of, layout_name
from torch_np.sparse._compress import elements_of, pointers_of
from torch_np.sparse._elements import parts_in
from torch_np.sparse._parts import COO, CSR, Parts, make, make_coo, parts_of, size_of
from torch_np.sparse._tensor import implements


def _axes(dim: Any, count: int) -> list[int]:
    """The axes of an argument `dim`, counted from the first."""
    found: list[int] = []
    for axis in [dim] if isinstance(dim, int) else dim:
        if not -max(count, 1) <= axis < max(count, 1):
            raise IndexError(f"Dimension out of range (expected to be in range of [{-max(count, 1)}, {max(count, 1) - 1}], but got {axis})")
        if axis % max(count, 1) in found:
            raise RuntimeError(f"dim {axis % max(count, 1)} appears multiple times in the list of dims")
        found.append(axis % max(count, 1))
    return found


def _sum_dtype(dtype: Any) -> Any:
    """The dtype of sums of values of a dtype."""
    return dtype if dtype.is_floating_point or dtype.is_complex else torch_np.int64


def _sum_coo(x: Tensor, axes: Sequence[int], dtype: Any, keepdim: bool) -> Tensor:
    x = coalesce(x)
    parts, size = parts_of(x), size_of(x)
    sparse = parts.indices.shape[0]
    values = parts.values.to(dtype)
    inner = [axis - sparse + 1 for axis in axes if axis >= sparse]
    if inner:
        values = values.sum(inner, keepdim=keepdim, dtype=dtype)
    outer = [axis for axis in axes if axis < sparse]
    kept = [axis for axis in range(sparse) if axis not in outer]
    if outer and not kept:
        total = values.sum(0, dtype=dtype)
        return total.reshape([1] * sparse + list(total.shape)) if keepdim else total
    indices = parts.indices
    if not outer:
        rest = values.shape[1:]
        return make_coo(indices.clone(), values.clone() if values is parts.values else values, (*size[:sparse], *rest), not (inner and keepdim))
    chosen = torch_np.stack([indices[axis] for axis in kept])
    chosen, values = _coalesced(chosen, values, [size[axis] for axis in kept])
    if keepdim:
        rows = dict(zip(kept, chosen.unbind(0), strict=True))
        zero = torch_np.zeros(chosen.shape[1], dtype=torch_np.int64, device=chosen.device)
        chosen = torch_np.stack([rows.get(axis, zero) for axis in range(sparse)])
    shape = [size[axis] for axis in kept] if not keepdim else [size[axis] if axis in kept else 1 for axis in range(sparse)]
    return make_coo(chosen, values, (*shape, *values.shape[1:]), not keepdim or values.shape[0] < 2)


def _sum_of_rows(x: Tensor, dtype: Any) -> Tensor:
    """The sum of each row of a CSR matrix that has elements, as a CSR matrix of one column."""
    _, crow, col, values, _ = parts_of(x)
    assert col is not None
    kept = torch_np.diff(crow) > 0
    values = values.to(dtype)
    if torch_np.is_grad_enabled() and values.requires_grad:
        ones = torch_np.ones(size_of(x)[1], 1, dtype=dtype, device=values.device)
        sums = _kernels.csr_matmul(crow, col, values, ones).squeeze(1)[kept]
    else:
        sums = _kernels.csr_row_sums(crow, values)[kept]
    pointers = torch_np.cat((crow[:1], kept.cumsum(0).to(crow.dtype)))
    return make(Parts(CSR, pointers, torch_np.zeros_like(col[:sums.shape[0]]), sums, False), (size_of(x)[0], 1))


def _sum_csr(x: Tensor, axes: Sequence[int], dtype: Any) -> Tensor:
    """Sums of rows, columns or both of a CSR matrix, as a CSR matrix."""
    if list(axes) == [1] and dtype not in (torch_np.bool, torch_np.uint64):
        return _sum_of_rows(x, dtype)
    indices, values = elements_of(x)
    size = size_of(x)
    row, column = (indices[axis] * 0 if axis in axes else indices[axis] for axis in (0, 1))
    shape = [1 if axis in axes else size[axis] for axis in (0, 1)]
    if len(axes) == 2:
        kind = parts_of(x).indices.dtype
        return make(Parts(CSR, torch_np.tensor([0, 1], dtype=kind, device=values.device), torch_np.zeros(1, dtype=kind, device=values.device),
                          values.sum(dtype=dtype).reshape(1), False), shape)
    kind = parts_of(x).indices.dtype
    chosen, sums = _coalesced(torch_np.stack((row, column)), values.to(dtype), shape)
    return make(Parts(CSR, pointers_of(chosen[0], shape[0]).to(kind), chosen[1].to(kind), sums, False), shape)


@implements("sum")
def _sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:  # noqa: A002
    if out is not None:
        raise NotImplementedError("sum(): out= is not implemented for sparse tensors")
    parts = parts_of(input)
    kind = _sum_dtype(parts.values.dtype) if dtype is None else dtype
    if dim is None:
        return parts.values.sum(dtype=kind)
    axes = _axes(dim, len(size_of(input)))
    if parts.layout == COO:
        return _sum_coo(input, axes, kind, keepdim)
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    if parts.layout != CSR or axes_of(parts).batch or axes_of(parts).dense:
        raise RuntimeError(f"Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got layout {layout_name(input)}")
    return _sum_csr(input, axes or [0, 1], kind)


def sum(input: Tensor, dim: int | Sequence[int] | None = None, dtype: Any = None) -> Tensor:  # noqa: A001, A002
    """The sum of a COO tensor along axes. A sum along all sparse axes is dense.

    Args:
      input: the tensor
      dim: axes; by default all
      dtype: dtype of the result; by default that of the tensor, int64 for integers if `dim` is None

    Shapes: the axes `dim` are missing in the result.
    Errors: RuntimeError for tensors of other layouts.
    """
    parts = parts_in("coalesce", input, (COO,))
    if dim is None:
        return parts.values.sum(dtype=_sum_dtype(parts.values.dtype) if dtype is None else dtype)
    return _sum_coo(input, _axes(dim, len(size_of(input))), parts.values.dtype if dtype is None else dtype, False)


@implements("any")
def _any(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:  # noqa: A002
    if dim is not None or out is not None or parts_of(input).layout != COO:
        raise NotImplementedError("any(): for sparse tensors only any() of all elements of a COO tensor is implemented")
    return parts_of(coalesce(input)).values.any()
