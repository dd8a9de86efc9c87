"""Products and quotients of elements with sparse tensors."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._add import promoted
from torch_np.sparse._broadcast import broadcast_coo
from torch_np.sparse._coalesce import coalesce
from torch_np.sparse._common import as_list, assign, axes_of, blocksize_of, nnz_of, positions, sparse_size, with_values
from torch_np.sparse._compress import line_keys, pointers_of
from torch_np.sparse._convert import in_layout
from torch_np.sparse._masks import looked_up, sparse_mask
from torch_np.sparse._parts import COO, Parts, make, make_coo, parts_of, size_of
from torch_np.sparse._tensor import implements
from torch_np.sparse._to_dense import dense_of
from torch_np.sparse._unary import on_values, write_out


def _as_scalar(x: Any) -> Any:
    """A number or dense tensor without axes if the operand has no axes, and None otherwise."""
    if not isinstance(x, Tensor):
        return x
    if _is_sparse(x):
        return None if size_of(x) else dense_of(x)
    return None if x.dim() else x


def _by_dense(x: Tensor, dense: Tensor) -> Tensor:
    """A sparse tensor times a dense one, of the pattern of the sparse one."""
    size = tuple(torch_np.broadcast_shapes(size_of(x), tuple(dense.shape)))
    if parts_of(x).layout != COO:
        if size != size_of(x):
            raise RuntimeError(f"mul(): a sparse tensor of the size {as_list(size_of(x))} is not broadcast to {as_list(size)}")
        return with_values(x, parts_of(x).values * parts_of(sparse_mask(dense.expand(size), x)).values)
    if size != size_of(x):
        x = broadcast_coo(coalesce(x), size)
    parts = parts_of(x)
    full = dense.expand(size)
    taken = full[tuple(parts.indices.unbind(0))] if parts.indices.shape[0] else full.unsqueeze(0)
    return with_values(x, parts.values * taken)


def _common(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Where the keys that both have are in the first and in the second. Both are sorted and distinct."""
    if not second.shape[0]:
        none = first.new_empty(0)
        return none, none
    at = torch_np.searchsorted(second, first).clamp_max(second.shape[0] - 1)
    kept = (second[at] == first).nonzero().squeeze(1)
    return kept, at[kept]


def _by_coo(a: Tensor, b: Tensor) -> Tensor:
    left, right, size = parts_of(a), parts_of(b), size_of(a)
    sizes = sparse_size(a)
    if left.indices.shape[0] != right.indices.shape[0] or sizes != sparse_size(b) or len(size) != len(size_of(b)):
        raise RuntimeError("sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and "
                           "shape of sparse dimensions")
    size = tuple(torch_np.broadcast_shapes(size, size_of(b)))
    if left.is_coalesced and right.is_coalesced:
        at, there = _common(positions(left.indices, sizes), positions(right.indices, sizes))
        return make_coo(left.indices[:, at], left.values.index_select(0, at) * right.values.index_select(0, there), size, True)
    if left.is_coalesced:
        left, right, b = right, left, a
    else:
        right = parts_of(coalesce(b))
    found = looked_up(positions(right.indices, sizes), right.values, positions(left.indices, sizes))
    return make_coo(left.indices.clone(), left.values * found, size)


def _by_compressed(a: Tensor, b: Tensor) -> Tensor:
    left, right, size = parts_of(a), parts_of(b), size_of(a)
    if size != size_of(b):
        raise RuntimeError(f"mul(): expected sizes to match, but {as_list(size)} != {as_list(size_of(b))}")
    assert left.plain is not None and right.plain is not None
    if left.values.shape == right.values.shape and torch_np.equal(left.indices, right.indices) and torch_np.equal(left.plain, right.plain):
        return with_values(a, left.values * right.values)
    if axes_of(left).batch or blocksize_of(left) != blocksize_of(right):
        raise NotImplementedError("mul(): batches, and blocks of different sizes, are not implemented for different indices")
    (first, lines, others), (second, *_) = line_keys(left, size), line_keys(right, size)
    (first, order), (second, other) = torch_np.sort(first), torch_np.sort(second)
    at, there = _common(first, second)
    keys, kind = first[at], left.indices.dtype
    values = left.values.index_select(0, order[at]) * right.values.index_select(0, other[there])
    return make(Parts(left.layout, pointers_of(keys // max(others, 1), lines).to(kind), (keys % max(others, 1)).to(kind), values, False), size)


def multiply(a: Any, b: Any) -> Tensor:
    """a * b, of which at least one is sparse."""
    if not _is_sparse(a):
        a, b = b, a
    if _is_sparse(b) and not size_of(a) and not size_of(b) and nnz_of(parts_of(a)) < nnz_of(parts_of(b)):
        a, b = b, a
    scalar = _as_scalar(b)
    if scalar is not None:
        values = parts_of(a).values
        return with_values(a, (values if size_of(a) else values.to(promoted(a, b))) * scalar)
    if not size_of(a) and (own := _as_scalar(a)) is not None:
        return with_values(b, parts_of(b).values * own) if _is_sparse(b) else _by_dense(a, b)
    if not _is_sparse(b):
        return _by_dense(a, b)
    if parts_of(a).layout != COO:
        return _by_compressed(a, in_layout(b, a))
    if parts_of(b).layout != COO:
        raise RuntimeError("Expected result Tensor to be of format CSR")
    return _by_coo(a, b)


@implements("mul", "multiply", "Tensor.__mul__", "Tensor.__rmul__")
def _mul(a: Any, b: Any, *, out: Tensor | None = None) -> Tensor:
    return write_out(out, multiply(a, b))


@implements("Tensor.mul_", "Tensor.multiply_", "Tensor.__imul__")
def _mul_(a: Tensor, b: Any) -> Tensor:
    if not _is_sparse(a):
        return a.mul_(dense_of(b))
    scalar = _as_scalar(b)
    if scalar is not None:
        parts_of(a).values.mul_(scalar)
        return a
    result = multiply(a, b)
    if size_of(result) != size_of(a):
        raise RuntimeError(f"output with shape {as_list(size_of(a))} doesn't match the broadcast shape {as_list(size_of(result))}")
    return assign(a, result)


def _divisor(x: Any, divisor: Any, kind: str = "division") -> Any:
    """The divisor, which is a number or a dense tensor without axes."""
    if not _is_sparse(x):
        raise RuntimeError(f"Sparse {kind} requires a scalar or zero-dim dense tensor divisor (got a sparse divisor)")
    if isinstance(divisor, Tensor) and (_is_sparse(divisor) or divisor.dim()):
        raise RuntimeError(f"Sparse {kind} requires a scalar or zero-dim dense tensor divisor (got shape {as_list(divisor.shape)} for divisor)")
    return divisor


@implements("div", "divide", "true_divide", "Tensor.__truediv__", "Tensor.__div__")
def _div(a: Any, b: Any, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    if not _is_sparse(a) and not isinstance(a, Tensor):
        raise NotImplementedError("reciprocal(): not implemented for sparse tensors")
    b = _divisor(a, b)
    return write_out(out, on_values(a, lambda values: torch_np.div(values, b, rounding_mode=rounding_mode), rounding_mode is None))


@implements("Tensor.div_", "Tensor.divide_", "Tensor.true_divide_", "Tensor.__itruediv__")
def _div_(a: Tensor, b: Any, *, rounding_mode: str | None = None) -> Tensor:
    if not _is_sparse(a):
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor (got a sparse divisor)")
    if rounding_mode is None:
        parts_of(a).values.div_(_divisor(a, b))
        return a
    return assign(a, _div(a, b, rounding_mode=rounding_mode))


@implements("floor_divide", "Tensor.__floordiv__")
def _floor_divide(a: Any, b: Any, *, out: Tensor | None = None) -> Tensor:
    b = _divisor(a, b, "floor division")
    return write_out(out, on_values(a, lambda values: torch_np.floor_divide(values, b)))


@implements("Tensor.floor_divide_", "Tensor.__ifloordiv__")
def _floor_divide_(a: Tensor, b: Any) -> Tensor:
    return assign(a, _floor_divide(a, b))
