"""Constructors of sparse tensors."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import BLOCKED, BY_ROWS, alias, dtype_name, layout_name, name_of_layout
from torch_np.sparse._invariants import check_compressed, check_coo, check_dimensions, check_size, is_thorough
from torch_np.sparse._parts import BSC, BSR, CSC, CSR, LAYOUTS, Parts, make, make_coo

__all__ = ["sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor", "sparse_coo_tensor", "sparse_csc_tensor", "sparse_csr_tensor"]


def _size(function: str, size: Any) -> tuple[int, ...]:
    """The argument `size` as a tuple."""
    if isinstance(size, (str, bytes)) or not hasattr(size, "__iter__"):
        raise TypeError(f"{function}(): argument 'size' must be tuple of ints, not {type(size).__name__}")
    checked = []
    for i, n in enumerate(size):
        if isinstance(n, (list, tuple)) or not hasattr(n, "__index__"):
            raise TypeError(f"{function}(): argument 'size' must be tuple of ints, but found element of type {type(n).__name__} at pos {i}")
        checked.append(operator.index(n))
    return tuple(checked)


def _values(values: Any, dtype: Any, device: Any, requires_grad: bool, pin_memory: bool) -> Tensor:
    """The argument `values` as an alias that the sparse tensor owns."""
    if not isinstance(values, Tensor):
        if values is None:
            raise RuntimeError("Could not infer dtype of NoneType")
        values = torch_np.tensor(values, dtype=dtype, device=device)
    elif _is_sparse(values):
        raise RuntimeError(f"expected values to be a dense tensor, but got values of layout {layout_name(values)}")
    else:
        values = values.to(device=values.device if device is None else device, dtype=values.dtype if dtype is None else dtype)
    values = alias(values.pin_memory() if pin_memory else values)
    if requires_grad and not values.requires_grad:
        if not (values.is_floating_point() or values.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        values.requires_grad_()
    return values


def _indices(indices: Any, values: Tensor, dtype: Any, pin_memory: bool) -> Tensor:
    """Indices as a tensor on the device of the values. `dtype` None keeps that of a tensor."""
    if not isinstance(indices, Tensor):
        indices = torch_np.tensor(indices, device=values.device, dtype=dtype)
        if not indices.numel() and dtype is None:
            indices = indices.to(torch_np.int64)
    elif _is_sparse(indices):
        raise RuntimeError(f"expected indices to be a dense tensor, but got indices of layout {layout_name(indices)}")
    if dtype is not None and indices.is_complex():
        raise TypeError("'complex' object cannot be interpreted as an integer")
    indices = indices.detach().to(device=values.device, dtype=indices.dtype if dtype is None else dtype)
    return indices.pin_memory() if pin_memory else indices


def _inferred_size(indices: Tensor, values: Tensor) -> tuple[int, ...]:
    """The least size that holds all indices of a COO tensor."""
    if indices.dim() != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}")
    if not indices.numel():
        return (*[0] * indices.shape[0], *values.shape[1:])
    least: list[int] = indices.amin(1).tolist()
    for axis, n in enumerate(least):
        if n < 0:
            raise RuntimeError(f"found negative index {n} for dim {axis}")
    most: list[int] = indices.amax(1).tolist()
    return (*[n + 1 for n in most], *values.shape[1:])


def _empty_coo(size: tuple[int, ...], dtype: Any, device: Any, requires_grad: bool, pin_memory: bool) -> Tensor:
    check_size(size)
    values = torch_np.empty(0, dtype=dtype, device=device)
    values = (values.pin_memory() if pin_memory else values).requires_grad_(requires_grad)
    return make_coo(torch_np.empty((len(size), 0), dtype=torch_np.int64, device=values.device), values, size, True)


def sparse_coo_tensor(indices: Any = None, values: Any = None, size: Sequence[int] | None = None, *, dtype: Any = None, device: Any = None,
                      pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
                      is_coalesced: bool | None = None) -> Tensor:
    """A sparse tensor in the layout COO: indices and values of elements. An index may occur several
    times; its values are then summed.

    Args:
      indices: indices of the elements, one column for each; or, alone, the size of a tensor without
        elements
      values: values of the elements
      size: size of the tensor; by default the least one that holds all indices
      dtype: dtype of the values; by default their own
      device: device of the tensor; by default that of the values
      pin_memory: whether the parts lie in pinned memory
      requires_grad: whether the tensor gets a gradient, if the values do not require one
      check_invariants: whether to check that indices are as `is_coalesced` says; None asks
        `torch_np.sparse.check_sparse_tensor_invariants`
      is_coalesced: whether indices are sorted and distinct

    Shapes: `indices` (s, n), `values` (n, *d); the result has s sparse axes and then the axes `d`.
    Errors: RuntimeError for shapes that do not fit, and for indices that are negative or out of range.
    """
    if indices is None and size is None:
        raise TypeError("sparse_coo_tensor() received an invalid combination of arguments: it takes indices and values, or a size")
    if values is None:
        return _empty_coo(_size("sparse_coo_tensor", size if indices is None else indices), dtype, device, requires_grad, pin_memory)
    if size is not None:
        size = _size("sparse_coo_tensor", size)
    owned = _values(values, dtype, device, requires_grad, pin_memory)
    columns = _indices(indices, owned, torch_np.int64, pin_memory)
    elements = owned if owned.dim() else owned.unsqueeze(0)
    full = _inferred_size(columns, elements) if size is None else size
    check_coo(columns, elements, full, is_coalesced, is_thorough(check_invariants))
    return make_coo(columns, elements, full, bool(is_coalesced) or elements.shape[0] < 2)


def _inferred_compressed_size(layout: int, compressed: Tensor, plain: Tensor, values: Tensor) -> tuple[int, ...]:
    """The least size that holds all indices of a compressed tensor."""
    check_dimensions(layout, compressed, plain, values)
    if plain.is_floating_point() or plain.is_complex() or plain.dtype == torch_np.bool:
        raise NotImplementedError(f'"estimate_sparse_compressed_tensor_size" not implemented for \'{dtype_name(plain.dtype)}\'')
    batch = compressed.dim() - 1
    height, width = values.shape[batch + 1:batch + 3] if layout in BLOCKED else (1, 1)
    count = max(compressed.shape[-1] - 1, 0)
    other = int(plain.max()) + 1 if plain.numel() else 0
    rows, columns = (count, other) if layout in BY_ROWS else (other, count)
    dense = values.shape[batch + (3 if layout in BLOCKED else 1):]
    return (*compressed.shape[:batch], rows * height, columns * width, *dense)


def _compressed(function: str, layout: int, compressed: Any, plain: Any, values: Any, size: Any, dtype: Any, device: Any, pin_memory: bool,
                requires_grad: bool, check_invariants: bool | None) -> Tensor:
    owned = _values(values, dtype, device, requires_grad, pin_memory)
    compressed, plain = (_indices(part, owned, None, pin_memory) for part in (compressed, plain))
    full = _inferred_compressed_size(layout, compressed, plain, owned) if size is None else _size(function, size)
    check_compressed(layout, compressed, plain, owned, full, is_thorough(check_invariants))
    return make(Parts(layout, compressed.contiguous(), plain.contiguous(), owned, False), full)


def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Any, size: Sequence[int] | None = None, *, dtype: Any = None,
                             layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
                             check_invariants: bool | None = None) -> Tensor:
    """A sparse tensor in the layout CSR, CSC, BSR or BSC.

    Args:
      compressed_indices: where the elements of each row (CSR), column (CSC), or row or column of
        blocks (BSR, BSC) start, and where the last ones end
      plain_indices: the index of each element on the other axis
      values: values of the elements or blocks
      size: size of the tensor; by default the least one that holds all indices
      dtype: dtype of the values; by default their own
      layout: the layout, such as torch_np.sparse_csr
      device: device of the tensor; by default that of the values
      pin_memory: whether the parts lie in pinned memory
      requires_grad: whether the tensor gets a gradient, if the values do not require one
      check_invariants: whether to check that indices are sorted and distinct; None asks
        `torch_np.sparse.check_sparse_tensor_invariants`

    Shapes: `compressed_indices` (*batch, rows + 1), `plain_indices` (*batch, n), `values` (*batch, n,
    *block, *dense), where `block` is empty for CSR and CSC; the result is (*batch, rows, columns,
    *dense).
    Dtypes: indices int32 or int64.
    Errors: RuntimeError for shapes and dtypes that do not fit, and for indices out of range.
    """
    if layout not in LAYOUTS[1:]:
        raise RuntimeError("sparse_compressed_tensor expected sparse compressed tensor layout but got "
                           f"{'none' if layout is None else name_of_layout(layout)}")
    return _compressed("sparse_compressed_tensor", LAYOUTS.index(layout), compressed_indices, plain_indices, values, size, dtype, device, pin_memory,
                       requires_grad, check_invariants)


_ROW_ARGUMENTS = """
    Args:
      {first}: where the elements of each {line} start, and where the last ones end
      {second}: the index of each element on the other axis
      values: values of the elements{blocks}
      size: size of the tensor; by default the least one that holds all indices
      dtype: dtype of the values; by default their own
      device: device of the tensor; by default that of the values
      pin_memory: whether the parts lie in pinned memory
      requires_grad: whether the tensor gets a gradient, if the values do not require one
      check_invariants: whether to check that indices are sorted and distinct; None asks
        `torch_np.sparse.check_sparse_tensor_invariants`
      layout: may only be this layout

    Shapes: `{first}` (*batch, n + 1), `{second}` (*batch, elements), `values` (*batch, elements{axes},
    *dense); the result is (*batch, rows, columns, *dense).
    Errors: RuntimeError for shapes and dtypes that do not fit, and for indices out of range.
    """


def _check_layout(function: str, layout: Any, number: int) -> None:
    if layout is not None and layout is not LAYOUTS[number]:
        raise RuntimeError(f"{function}: layout must be {name_of_layout(LAYOUTS[number])} but got {name_of_layout(layout)}")


def _document(function: Callable[..., Any], first: str, second: str, line: str) -> None:
    is_blocked = "blocks" in line
    title = f"A sparse tensor in the layout {function.__name__[7:10].upper()}.\n"
    function.__doc__ = title + _ROW_ARGUMENTS.format(first=first, second=second, line=line, blocks=", which are blocks" if is_blocked else "",
                                                     axes=", height, width" if is_blocked else "")


def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Sequence[int] | None = None, *, dtype: Any = None, device: Any = None,
                      pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None, layout: Any = None) -> Tensor:
    _check_layout("sparse_csr_tensor", layout, CSR)
    return _compressed("sparse_csr_tensor", CSR, crow_indices, col_indices, values, size, dtype, device, pin_memory, requires_grad, check_invariants)


def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[int] | None = None, *, dtype: Any = None, device: Any = None,
                      pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None, layout: Any = None) -> Tensor:
    _check_layout("sparse_csc_tensor", layout, CSC)
    return _compressed("sparse_csc_tensor", CSC, ccol_indices, row_indices, values, size, dtype, device, pin_memory, requires_grad, check_invariants)


def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Sequence[int] | None = None, *, dtype: Any = None, device: Any = None,
                      pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None, layout: Any = None) -> Tensor:
    _check_layout("sparse_bsr_tensor", layout, BSR)
    return _compressed("sparse_bsr_tensor", BSR, crow_indices, col_indices, values, size, dtype, device, pin_memory, requires_grad, check_invariants)


def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[int] | None = None, *, dtype: Any = None, device: Any = None,
                      pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None, layout: Any = None) -> Tensor:
    _check_layout("sparse_bsc_tensor", layout, BSC)
    return _compressed("sparse_bsc_tensor", BSC, ccol_indices, row_indices, values, size, dtype, device, pin_memory, requires_grad, check_invariants)


_document(sparse_csr_tensor, "crow_indices", "col_indices", "row")
_document(sparse_csc_tensor, "ccol_indices", "row_indices", "column")
_document(sparse_bsr_tensor, "crow_indices", "col_indices", "row of blocks")
_document(sparse_bsc_tensor, "ccol_indices", "row_indices", "column of blocks")
