"""Checks of the parts of sparse tensors.

Sizes, dtypes and bounds of indices are always checked when a program makes a sparse tensor, so that
no kernel reads out of bounds. The costly check that indices are sorted and distinct is made if the
program asks for it: `check_invariants=True`, or `check_sparse_tensor_invariants`.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import BLOCKED, BY_ROWS, as_list, dtype_name, layout_name, name_of_layout, row_numbers
from torch_np.sparse._parts import LAYOUTS

_enabled = False


class check_sparse_tensor_invariants:  # noqa: N801  (PyTorch's name)
    """Context manager and decorator: constructors of sparse tensors check all that a layout demands.

    Args:
      enable: Whether to check.
    """

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether the checks are on."""
        return _enabled

    @staticmethod
    def enable() -> None:
        """Turns the checks on."""
        _set_enabled(True)

    @staticmethod
    def disable() -> None:
        """Turns the checks off."""
        _set_enabled(False)

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError("This context manager instance is already activated. Use a different context manager instance for context nesting.")
        self.saved_state = _enabled
        _set_enabled(self.state)

    def __exit__(self, *exception: object) -> None:
        assert self.saved_state is not None
        _set_enabled(self.saved_state)
        self.saved_state = None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates a function, which then runs with these checks.

        Args:
          function: The function.
        """
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)
        return checked


def _set_enabled(enabled: bool) -> None:
    global _enabled
    _enabled = enabled


def is_thorough(check_invariants: bool | None) -> bool:
    """Whether a constructor makes all checks."""
    return _enabled if check_invariants is None else check_invariants


def _require(holds: bool, message: Callable[[], str]) -> None:
    if not holds:
        raise RuntimeError(message())


def check_size(size: Sequence[int]) -> None:
    """Raises RuntimeError for a negative size."""
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {as_list(size)}")


def is_in_order(flat: Tensor) -> bool:
    """Whether positions increase along the last axis."""
    return bool((flat[..., 1:] > flat[..., :-1]).all())


def _is_coalesced(indices: Tensor) -> bool:
    """Whether columns increase in lexicographic order."""
    if indices.shape[0] == 0:
        return indices.shape[1] < 2
    is_less = indices[-1, 1:] > indices[-1, :-1]
    for row in reversed(list(indices[:-1])):
        is_less = (row[1:] > row[:-1]) | ((row[1:] == row[:-1]) & is_less)
    return bool(is_less.all())


def check_coo(indices: Tensor, values: Tensor, size: Sequence[int], is_coalesced: bool | None = None, thorough: bool = True) -> None:
    """Checks the parts of a COO tensor.

    Args:
      indices: (sparse axes, elements)
      values: (elements, dense axes...)
      size: size of the tensor
      is_coalesced: whether the caller says that indices are sorted and distinct
      thorough: whether to check that

    Errors: RuntimeError.
    """
    _require(not _is_sparse(indices), lambda: f"expected indices to be a dense tensor, but got indices of layout {layout_name(indices)}")
    _require(not _is_sparse(values), lambda: f"expected values to be a dense tensor, but got values of layout {layout_name(values)}")
    _require(indices.dim() == 2, lambda: f"indices must be sparse_dim x nnz, but got: {as_list(indices.shape)}")
    _require(indices.dtype == torch_np.int64, lambda: f"expected scalar type Long but found {dtype_name(indices.dtype)}")
    sparse, dense = indices.shape[0], max(values.dim() - 1, 0)
    _require(len(size) == sparse + dense, lambda: "'len(size) == sparse_dim + dense_dim' is not satisfied: "
             f"len(size) = {len(size)}, sparse_dim = {sparse}, dense_dim = {dense}")
    check_size(size)
    count = values.shape[0] if values.dim() else 1
    _require(indices.shape[1] == count, lambda: "indices and values must have same nnz, but got nnz from indices: "
             f"{indices.shape[1]}, nnz from values: {count}")
    expected = [count, *size[sparse:]]
    _require(list(values.shape[1:]) == expected[1:], lambda: f"values has incorrect size, expected {as_list(expected)}, got {as_list(values.shape)}")
    _require(indices.device == values.device,
             lambda: f"device of indices ({indices.device}) must match device of values ({values.device})")
    if indices.is_meta or not indices.numel():
        return
    for axis, (least, most) in enumerate(zip(indices.amin(1).tolist(), indices.amax(1).tolist(), strict=True)):
        _require(least >= 0, lambda: f"found negative index {least} for dim {axis}")  # noqa: B023
        _require(most < size[axis],
                 lambda: f"size is inconsistent with indices: for dim {axis}, size is {size[axis]} but found index {most}")  # noqa: B023
    if thorough and is_coalesced:
        _require(_is_coalesced(indices), lambda: "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


def _names(layout: int) -> tuple[str, str, str, str]:
    """Names in messages: pointers, indices, the compressed and the plain axis."""
    blocks = " blocks" if layout in BLOCKED else "s"
    if layout in BY_ROWS:
        return "crow_indices", "col_indices", f"row{blocks}", "ncols"
    return "ccol_indices", "row_indices", f"column{blocks}", "nrows"


def check_dimensions(layout: int, compressed: Tensor, plain: Tensor, values: Tensor) -> None:
    """Checks the numbers of axes of the parts of a CSR, CSC, BSR or BSC tensor.

    Args:
      layout: the layout's number
      compressed: (batch..., rows + 1)
      plain: (batch..., elements)
      values: (batch..., elements, block axes..., dense axes...)

    Errors: RuntimeError.
    """
    first, second = _names(layout)[:2]
    for name, part in ((first, compressed), (second, plain), ("values", values)):
        _require(not _is_sparse(part), lambda: f"expected {name} to be a strided tensor but got {layout_name(part)} tensor")  # noqa: B023
    batch, block = compressed.dim() - 1, 2 if layout in BLOCKED else 0
    _require(batch >= 0, lambda: f"{first} must have dimensionality >= 1 but got {compressed.dim()}")
    _require(compressed.dim() == plain.dim(), lambda: f"{first} and {second} dimensionalities must be equal but got "
             f"{compressed.dim()} and {plain.dim()}, respectively")
    _require(values.dim() > batch + block, lambda: "values must have dimensionality > sum of batch and block dimensionalities "
             f"(={batch} + {block}) but got {values.dim()}")


def check_compressed(layout: int, compressed: Tensor, plain: Tensor, values: Tensor, size: Sequence[int], thorough: bool = True) -> None:
    """Checks the parts of a CSR, CSC, BSR or BSC tensor.

    Args:
      layout: the layout's number
      compressed: (batch..., rows + 1)
      plain: (batch..., elements)
      values: (batch..., elements, block axes..., dense axes...)
      size: size of the tensor
      thorough: whether to check that indices are sorted and distinct

    Errors: RuntimeError.
    """
    first, second, compressed_axis, _ = _names(layout)
    check_dimensions(layout, compressed, plain, values)
    batch, block = compressed.dim() - 1, 2 if layout in BLOCKED else 0
    dense = values.dim() - batch - block - 1
    _require(len(size) == batch + 2 + dense, lambda: "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
             f"(={batch} + 2 + {dense}) but got {len(size)}")
    check_size(size)
    batches = [list(part.shape[:batch]) for part in (compressed, plain, values)]
    _require(all(shape == list(size[:batch]) for shape in batches),
             lambda: f"all batch dimensions of {first} (={batches[0]}), {second} (={batches[1]}), and values (={batches[2]}) must be equal to "
             f"tensor batch dimensions (={as_list(size[:batch])})")
    blocksize = [max(n, 1) for n in values.shape[batch + 1:batch + 1 + block]] or [1, 1]
    for i in range(block):
        _require(size[batch + i] % blocksize[i] == 0, lambda: f"tensor shape[{batch + i}] (={size[batch + i]}) must be divisible with "  # noqa: B023
                 f"blocksize[{i}] (={blocksize[i]}) as defined by values shape")  # noqa: B023
    rows, columns = (size[batch + i] // blocksize[i] for i in (0, 1))
    count, width = (rows, columns) if layout in BY_ROWS else (columns, rows)
    _require(compressed.shape[-1] == count + 1, lambda: f"{first}.shape[-1] must be equal to the number of {compressed_axis} + 1 "
             f"(={count + 1}), but got {compressed.shape[-1]}")
    for name, part in ((first, compressed), (second, plain)):
        _require(not thorough or part.shape[-1] < 2 or part.stride(-1) == 1, lambda: f"expected {name} to be a contiguous tensor per batch")  # noqa: B023
    nnz = values.shape[batch]
    _require(plain.shape[-1] == nnz, lambda: f"{second}.shape[-1] must be equal to nnz (={nnz}) as defined by values.shape[{batch}], but got "
             f"{plain.shape[-1]}")
    inner = list(size[batch + 2:])
    _require(list(values.shape[batch + 1 + block:]) == inner, lambda: f"values have the dense sizes "
             f"{as_list(values.shape[batch + 1 + block:])}, but the tensor {as_list(inner)}")
    _require(compressed.dtype == plain.dtype, lambda: f"{first} and {second} must have the same dtype, bot got "
             f"{dtype_name(compressed.dtype)} and {dtype_name(plain.dtype)}, respectively")
    _require(compressed.dtype in (torch_np.int32, torch_np.int64),
             lambda: f"{first} and {second} dtype must be Int or Long, but got {dtype_name(compressed.dtype)}")
    for name, part in ((first, compressed), (second, plain)):
        _require(part.device == values.device,
                 lambda: f"device of {name} (={part.device}) must match device of values (={values.device})")  # noqa: B023
    if not compressed.is_meta:
        check_indices(layout, compressed, plain, count, width, nnz, thorough)


def check_indices(layout: int, compressed: Tensor, plain: Tensor, count: int, width: int, nnz: int, thorough: bool = True) -> None:
    """Checks pointers and indices of a CSR, CSC, BSR or BSC tensor.

    Args:
      layout: the layout's number
      compressed: (batch..., count + 1)
      plain: (batch..., nnz)
      count: size of the compressed axis, in blocks
      width: size of the other axis, in blocks
      nnz: number of elements or blocks
      thorough: whether to check that indices are sorted and distinct

    Errors: RuntimeError.
    """
    first, second, _, bound = _names(layout)
    if compressed.dtype == torch_np.int32:
        axes = ("column", "row") if layout in BY_ROWS else ("row", "column")
        for what, n in ((f"{axes[0]} dimension", width), (f"{axes[1]} dimension", count), ("nnz", nnz)):
            _require(n < 2**31, lambda: f"32-bit integer overflow in {what} = {n}")  # noqa: B023
    if plain.numel():
        _require(0 <= int(plain.min()) and int(plain.max()) < width, lambda: f"`0 <= {second} < {bound}` is not satisfied.")
    if not compressed.numel():
        return
    _require(not bool((compressed[..., 0] != 0).any()), lambda: f"`{first}[..., 0] == 0` is not satisfied.")
    _require(not bool((compressed[..., -1] != nnz).any()), lambda: f"`{first}[..., -1] == nnz` is not satisfied.")
    if count:
        steps = compressed[..., 1:] - compressed[..., :-1]
        _require(int(steps.min()) >= 0 and (not thorough or int(steps.max()) <= width),
                 lambda: f"`0 <= {first}[..., 1:] - {first}[..., :-1] <= {bound}` is not satisfied.")
    if thorough and nnz > 1:
        rows = row_numbers(compressed, nnz)
        is_same = rows[..., 1:] == rows[..., :-1]
        _require(bool((~is_same | (plain[..., 1:] > plain[..., :-1])).all()),
                 lambda: f"`{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {'nrows' if layout in BY_ROWS else 'ncols'} "
                 "are sorted and distinct along the last dimension values` is not satisfied.")


def _validate_sparse_coo_tensor_args(indices: Tensor, values: Tensor, size: Sequence[int], is_coalesced: bool | None = None,
                                     check_pinning: bool | None = None) -> None:
    """Checks the parts of a COO tensor. The arguments are those of `sparse_coo_tensor`."""
    check_coo(indices, values, size, is_coalesced)


def _validate_sparse_compressed_tensor_args(compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Sequence[int], layout: Any,
                                            check_pinning: bool | None = None) -> None:
    """Checks the parts of a compressed tensor. The arguments are those of `sparse_compressed_tensor`."""
    if layout not in LAYOUTS[1:]:
        raise RuntimeError(f"validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but got {name_of_layout(layout)}")
    check_compressed(LAYOUTS.index(layout), compressed_indices, plain_indices, values, size)


def _of_layout(layout: int, name: str) -> Callable[..., None]:
    def validate(compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Sequence[int], check_pinning: bool | None = None) -> None:
        """Checks the parts of a tensor of one layout."""
        check_compressed(layout, compressed_indices, plain_indices, values, size)
    validate.__name__ = validate.__qualname__ = name
    return validate


_validate_sparse_csr_tensor_args, _validate_sparse_csc_tensor_args, _validate_sparse_bsr_tensor_args, _validate_sparse_bsc_tensor_args = (
    _of_layout(layout, f"_validate_sparse_{name}_tensor_args") for layout, name in enumerate(("csr", "csc", "bsr", "bsc"), 1))


def _validate_compressed_sparse_indices(is_crow: bool, compressed_idx: Tensor, plain_idx: Tensor, cdim: int, dim: int, nnz: int) -> None:
    """Checks pointers and indices: of rows if `is_crow`, otherwise of columns."""
    check_indices(1 if is_crow else 2, compressed_idx, plain_idx, cdim, dim, nnz)
