"""Sums and differences with sparse tensors."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse import _kernels
from torch_np.sparse._coalesce import _coalesced
from torch_np.sparse._common import as_list, assign, axes_of, blocksize_of, count_of, dtype_name, layout_name, positions, sparse_size, \
    with_values
from torch_np.sparse._compress import line_keys, pointers_of
from torch_np.sparse._parts import COO, Parts, make, make_coo, parts_of, size_of
from torch_np.sparse._tensor import implements
from torch_np.sparse._to_dense import dense_of
from torch_np.sparse._unary import write_out


def _proxy(x: Any) -> Any:
    """A dense operand that promotes dtypes as a sparse one does."""
    return torch_np.empty((0,) * len(size_of(x)), dtype=parts_of(x).values.dtype) if _is_sparse(x) else x


@implements("result_type")
def promoted(a: Any, b: Any) -> Any:
    """The dtype of results of two operands."""
    return torch_np.result_type(_proxy(a), _proxy(b))


def _check_alpha(dtype: Any, alpha: Any) -> None:
    if isinstance(alpha, bool) and dtype != torch_np.bool:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and not dtype.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def _scaled(values: Tensor, dtype: Any, alpha: Any) -> Tensor:
    values = values.to(dtype)
    return values if alpha == 1 else values * alpha


def _add_coo(a: Tensor, b: Tensor, alpha: Any, dtype: Any) -> Tensor:
    left, right, size = parts_of(a), parts_of(b), size_of(a)
    if size != size_of(b):
        raise RuntimeError(f"add: expected sizes of 'self' and 'other' to match, but {as_list(size)} != {as_list(size_of(b))}")
    mine, other = left.values.to(dtype), _scaled(right.values, dtype, alpha)
    if not other.shape[0]:
        return with_values(a, mine.clone() if mine is left.values else mine)
    if not mine.shape[0]:
        return with_values(b, other.clone() if other is right.values else other)
    if left.indices.shape[0] != right.indices.shape[0]:
        raise RuntimeError(f"add: expected 'self' and 'other' to have same density, but 'self' has {left.indices.shape[0]} sparse dimensions while "
                           f"'other' has {right.indices.shape[0]} sparse dimensions")
    both = left.is_coalesced and right.is_coalesced
    if left.indices.shape == right.indices.shape and torch_np.equal(left.indices, right.indices):
        return make_coo(left.indices.clone(), mine + other, size, left.is_coalesced or right.is_coalesced)
    indices, values = torch_np.cat((left.indices, right.indices), 1), torch_np.cat((mine, other))
    if both or values.shape[0] > count_of(size[:indices.shape[0]]):
        return make_coo(*_coalesced(indices, values, sparse_size(a)), size, True)
    return make_coo(indices, values, size)


def _same_pattern(left: Parts, right: Parts) -> bool:
    assert left.plain is not None and right.plain is not None
    return left.values.shape == right.values.shape and torch_np.equal(left.indices, right.indices) and torch_np.equal(left.plain, right.plain)


def _add_compressed(a: Tensor, b: Tensor, alpha: Any, dtype: Any) -> Tensor:
    left, right, size = parts_of(a), parts_of(b), size_of(a)
    assert left.plain is not None and right.plain is not None
    if size != size_of(b):
        raise RuntimeError(f"torch.add: Expected input tensors to have the same shape, but got tensor `self` with shape {as_list(size)} and tensor "
                           f"`other` with shape {as_list(size_of(b))}")
    mine, other = left.values.to(dtype), _scaled(right.values, dtype, alpha)
    if _same_pattern(left, right):
        return with_values(a, mine + other)
    if axes_of(left).batch or blocksize_of(left) != blocksize_of(right):
        raise NotImplementedError("add(): batches, and blocks of different sizes, are not implemented for different indices")
    if mine.dim() == 1 and left.plain.dtype == right.plain.dtype:
        if not (torch_np.is_grad_enabled() and (mine.requires_grad or other.requires_grad)) and dtype != torch_np.uint64:
            return make(Parts(left.layout, *_kernels.csr_sum(left.indices, left.plain, mine, right.indices, right.plain, other), False), size)
        crow, col, places, others_places = _kernels.csr_union(left.indices, left.plain, right.indices, right.plain)
        sums = torch_np.zeros(col.shape[0], dtype=dtype, device=mine.device).index_add(0, places, mine).index_add(0, others_places, other)
        return make(Parts(left.layout, crow, col, sums, False), size)
    first, lines, others = line_keys(left, size)
    keys, place = torch_np.unique(torch_np.cat((first, line_keys(right, size)[0])), return_inverse=True)
    values = torch_np.zeros((keys.shape[0], *mine.shape[1:]), dtype=dtype, device=mine.device).index_add(0, place, torch_np.cat((mine, other)))
    kind = left.indices.dtype
    return make(Parts(left.layout, pointers_of(keys // max(others, 1), lines).to(kind), (keys % max(others, 1)).to(kind), values, False), size)


def _add_to_dense(dense: Tensor, x: Tensor, alpha: Any, in_place: bool) -> Tensor:
    dtype = promoted(dense, x)
    _check_alpha(dtype, alpha)
    if tuple(dense.shape) != size_of(x):
        kind = "dense" if parts_of(x).layout == COO else "op2"
        raise RuntimeError(f"add: expected 'self' and 'other' to have same size, but self has size {as_list(dense.shape)} while other has size "
                           f"{as_list(size_of(x))} (FYI: {kind}-sparse addition does not currently support broadcasting)")
    if in_place and not torch_np.can_cast(dtype, dense.dtype):
        raise RuntimeError(f"Can't convert result type {dtype_name(dtype)} to output {dtype_name(dense.dtype)} in add operation")
    parts = parts_of(x)
    if parts.layout != COO or dtype == torch_np.bool:
        full = dense_of(x)
        return dense.add_(full, alpha=alpha) if in_place else torch_np.add(dense, full, alpha=alpha)
    flat, shape = positions(parts.indices, sparse_size(x)), (count_of(sparse_size(x)), *parts.values.shape[1:])
    values = parts.values.to(dtype)
    if not in_place:
        return dense.to(dtype).reshape(shape).index_add(0, flat, values, alpha=alpha).reshape(size_of(x))
    values = values.to(dense.dtype)
    if dense.is_contiguous():
        dense.view(shape).index_add_(0, flat, values, alpha=alpha)
    else:
        dense.add_(dense_of(x), alpha=alpha)
    return dense


def add(a: Any, b: Any, alpha: Any = 1) -> Tensor:
    """a + alpha * b, of which at least one is sparse."""
    if not _is_sparse(a):
        if not isinstance(a, Tensor):
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        return _add_to_dense(a, b, alpha, False)
    if not _is_sparse(b):
        if parts_of(a).layout == COO or not isinstance(b, Tensor):
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        if tuple(b.shape) != size_of(a):
            raise RuntimeError(f"add: expected 'self' and 'other' to have same size, but self has size {as_list(size_of(a))} while other has size "
                               f"{as_list(b.shape)} (FYI: op2-sparse addition does not currently support broadcasting)")
        return torch_np.add(dense_of(a), b, alpha=alpha)
    layout = parts_of(a).layout
    if layout != parts_of(b).layout:
        raise RuntimeError(f"add: expected tensors of the same layout, but got {layout_name(a)} and {layout_name(b)}")
    dtype = promoted(a, b)
    _check_alpha(dtype, alpha)
    if dtype == torch_np.bool:
        raise NotImplementedError("add(): not implemented for sparse tensors of bools")
    return (_add_coo if layout == COO else _add_compressed)(a, b, alpha, dtype)


@implements("add", "Tensor.__add__")
def _add(a: Any, b: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    return _written(out, add(a, b, alpha))


def _written(out: Tensor | None, result: Tensor) -> Tensor:
    if out is None:
        return result
    if _is_sparse(result):
        return write_out(out, result)
    if _is_sparse(out):
        raise RuntimeError("out= of a dense result must be dense")
    if tuple(out.shape) != tuple(result.shape):
        out.resize_(result.shape)
    return out.copy_(result)


def _negated(alpha: Any) -> Any:
    return -1 if alpha is True else -alpha


@implements("sub", "subtract", "Tensor.__sub__")
def _sub(a: Any, b: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    return _written(out, add(a, b, _negated(alpha)))


@implements("Tensor.__radd__")
def _radd(a: Tensor, b: Any) -> Tensor:
    return add(b, a)


@implements("Tensor.__rsub__")
def _rsub(a: Tensor, b: Any) -> Tensor:
    return add(b, a, -1)


def _adds_values(a: Tensor, b: Tensor, alpha: Any) -> bool:
    """Adds in place if both tensors have the same indices; returns whether they have."""
    left, right = parts_of(a), parts_of(b)
    if left.layout != right.layout or size_of(a) != size_of(b) or left.values.shape != right.values.shape or left.values.dtype == torch_np.bool:
        return False
    if left.indices.shape != right.indices.shape or not torch_np.equal(left.indices, right.indices):
        return False
    if left.plain is not None and right.plain is not None and not torch_np.equal(left.plain, right.plain):
        return False
    left.values.add_(right.values, alpha=alpha)
    return True


@implements("Tensor.add_", "Tensor.__iadd__")
def _add_(a: Tensor, b: Any, *, alpha: Any = 1) -> Tensor:
    if not _is_sparse(a):
        return _add_to_dense(a, b, alpha, True)
    if _is_sparse(b) and _adds_values(a, b, alpha):
        return a
    result = add(a, b, alpha)
    if not _is_sparse(result):
        raise RuntimeError("add_(): a sparse tensor does not hold a dense sum")
    return assign(a, result)


@implements("Tensor.sub_", "Tensor.subtract_", "Tensor.__isub__")
def _sub_(a: Tensor, b: Any, *, alpha: Any = 1) -> Tensor:
    return _add_(a, b, alpha=_negated(alpha))
