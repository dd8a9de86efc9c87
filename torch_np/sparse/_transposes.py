"""Axes of sparse tensors in another order: transpose, permute, t, mT and their relatives."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np.sparse._common import alias, axes_of, layout_name, set_parts, with_values
from torch_np.sparse._parts import BSC, BSR, COO, CSC, CSR, make, make_coo, parts_of, size_of
from torch_np.sparse._tensor import SparseTensor, getter, implements

_FLIPPED = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}


def wrapped(dim: int, count: int) -> int:
    """The number of an axis, which may be negative. Errors: IndexError for an axis that does not exist."""
    if not -max(count, 1) <= dim < max(count, 1):
        raise IndexError(f"Dimension out of range (expected to be in range of [{-max(count, 1)}, {max(count, 1) - 1}], but got {dim})")
    return dim % max(count, 1)


def _swapped(size: tuple[int, ...], first: int, second: int) -> tuple[int, ...]:
    new = list(size)
    new[first], new[second] = new[second], new[first]
    return tuple(new)


def same(x: Tensor) -> Tensor:
    """Another tensor of the same parts."""
    return with_values(x, alias(parts_of(x).values))


def _transposed_coo(x: Tensor, first: int, second: int) -> Tensor:
    parts, size = parts_of(x), size_of(x)
    sparse = parts.indices.shape[0]
    if (first < sparse) != (second < sparse):
        raise RuntimeError(f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {sparse}, d0: {first}, d1: {second}")
    if first >= sparse:
        values = parts.values.transpose(first - sparse + 1, second - sparse + 1)
        return make_coo(parts.indices, values, _swapped(size, first, second), parts.is_coalesced)
    order = _swapped(tuple(range(sparse)), first, second)
    is_coalesced = parts.is_coalesced and not parts.indices.numel()
    return make_coo(torch_np.stack([parts.indices[k] for k in order]), alias(parts.values), _swapped(size, first, second), is_coalesced)


def _kind(dim: int, batch: int) -> str:
    return "Batch" if dim < batch else "Sparse" if dim < batch + 2 else "Dense"


def _base(x: Tensor) -> Tensor | None:
    base: Tensor | None = x.__dict__.get("_view_of")
    return base


def _is_view(x: Tensor) -> bool:
    return _base(x) is not None


setattr(SparseTensor, "_is_view", _is_view)
setattr(SparseTensor, "_base", property(_base))


def _as_view(found: Tensor, of: Tensor) -> Tensor:
    """`found`, which shares its parts with the tensor `of`, as a view of it."""
    base = _base(of)
    found.__dict__["_view_of"] = of if base is None else base
    return found


def _transposed_compressed(x: Tensor, first: int, second: int) -> Tensor:
    layout, indices, plain, values, _ = parts = parts_of(x)
    axes, size = axes_of(parts), size_of(x)
    if axes.dense:
        raise RuntimeError("transpose(): hybrid sparse compressed tensors with dense dimensions are not supported")
    if first == second:
        return same(x)
    kinds = _kind(first, axes.batch), _kind(second, axes.batch)
    if kinds[0] != kinds[1]:
        raise RuntimeError("transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
                           f"{first}({kinds[0]}) and {second}({kinds[1]})")
    size = _swapped(size, first, second)
    if kinds[0] == "Sparse":
        return make(parts._replace(layout=_FLIPPED[layout], values=values.mT if axes.block else alias(values)), size)
    assert plain is not None
    indices, plain, values = (part.transpose(first, second) for part in (indices, plain, values))
    return make(parts._replace(indices=indices.contiguous(), plain=plain.contiguous(), values=values), size)


@implements("transpose", "swapaxes", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """The tensor with two axes exchanged."""
    count = len(size_of(input))
    first, second = wrapped(dim0, count), wrapped(dim1, count)
    if parts_of(input).layout != COO:
        return _as_view(_transposed_compressed(input, first, second), input)
    return same(input) if first == second else _transposed_coo(input, first, second)


@implements("Tensor.transpose_", "Tensor.swapaxes_", "Tensor.swapdims_")
def _transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    if parts_of(input).layout != COO:
        raise RuntimeError(f"torch.transpose_: in-place transposition is not supported for {layout_name(input)} layout")
    new = transpose(input, dim0, dim1)
    return set_parts(input, parts_of(new), size_of(new))


def _check_matrix(x: Tensor, name: str) -> None:
    axes = axes_of(parts_of(x))
    if parts_of(x).layout == COO:
        if axes.sparse > 2 or axes.dense:
            raise RuntimeError(f"{name}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {axes.sparse} sparse and "
                               f"{axes.dense} dense dimensions")
    elif x.dim() > 2:
        raise RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {x.dim()}D")


@implements("t")
def _t(input: Tensor) -> Tensor:
    _check_matrix(input, "t")
    return transpose(input, 0, 0 if input.dim() < 2 else 1)


@implements("Tensor.t_")
def _t_(input: Tensor) -> Tensor:
    _check_matrix(input, "t_")
    return _transpose_(input, 0, 0 if input.dim() < 2 else 1)


@getter("mT")
def _mt(x: Tensor) -> Tensor:
    if x.dim() < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {x.dim()}-D tensor.")
    return transpose(x, -2, -1)


@getter("mH")
@implements("adjoint")
def _adjoint(x: Tensor) -> Tensor:
    if x.dim() < 2:
        raise RuntimeError(f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {x.dim()}-D tensor.")
    turned = transpose(x, -2, -1)
    values = parts_of(turned).values
    return with_values(turned, values.conj()) if values.is_complex() else turned


@getter("H")
def _h(x: Tensor) -> Tensor:
    if x.dim() not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {x.dim()}-D tensor."
                           f"{' For batches of matrices, consider using tensor.mH' if x.dim() > 2 else ''}")
    return _adjoint(x)


@getter("T")
def _reversed(x: Tensor) -> Tensor:
    return permute(x, tuple(range(x.dim() - 1, -1, -1)))


def _permuted_compressed(x: Tensor, order: list[int]) -> Tensor:
    if order == list(range(len(order))):
        return same(x)
    if sorted(order) == list(range(len(order))) and order[:-2] == list(range(len(order) - 2)):
        return transpose(x, -2, -1)
    raise NotImplementedError(f"permute(): not implemented for tensors of the layout {x.layout}; to_sparse_coo() makes one that can be permuted")


@implements("permute")
def _permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    if dims is None:
        dims = order[0] if len(order) == 1 and isinstance(order[0], (tuple, list)) else order
    return permute(input, tuple(dims))


def permute(input: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The tensor with its axes in another order."""
    given = [int(d) for d in dims]
    count = input.dim()
    if len(given) != count:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of "
                           f"dimensions i.e. input.dim() = {count} is not equal to len(dims) = {len(given)}")
    order = [wrapped(d, count) for d in given]
    if len(set(order)) != count:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    parts, size = parts_of(input), size_of(input)
    if parts.layout != COO:
        return _permuted_compressed(input, order)
    sparse = parts.indices.shape[0]
    if sorted(order[:sparse]) != list(range(sparse)):
        raise RuntimeError("permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed."
                           "Only transpositions within sparse and dense dimensions are supported.")
    indices, values, is_coalesced = parts.indices, parts.values, parts.is_coalesced
    if order[:sparse] != list(range(sparse)):
        indices, is_coalesced = torch_np.stack([indices[k] for k in order[:sparse]]), False
    values = alias(values) if order[sparse:] == list(range(sparse, count)) else values.permute(0, *(k - sparse + 1 for k in order[sparse:]))
    # As in PyTorch: only an order that starts with the number 0 keeps the flag.
    return make_coo(indices, values, [size[k] for k in order], is_coalesced and (not given or given[0] == 0))


def _moved(count: int, source: Any, destination: Any) -> list[int]:
    sources = [wrapped(d, count) for d in ([source] if isinstance(source, int) else source)]
    places = [wrapped(d, count) for d in ([destination] if isinstance(destination, int) else destination)]
    if len(sources) != len(places):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({sources} dims) should contain the same number of dims as "
                           f"destination ({places} dims)")
    if len(set(sources)) < len(sources) or len(set(places)) < len(places):
        raise RuntimeError("movedim: repeated dim in `source` or `destination`")
    order = dict(zip(places, sources, strict=True))
    others = iter(d for d in range(count) if d not in sources)
    return [order[d] if d in order else next(others) for d in range(count)]


@implements("movedim", "moveaxis")
def _movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    return permute(input, tuple(_moved(input.dim(), source, destination)))
