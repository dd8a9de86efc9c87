"""Softmax of sparse tensors. Elements that are not specified are minus infinity."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._common import alias, dtype_name, positions, with_values
from torch_np.sparse._parts import COO, parts_of, size_of
from torch_np.sparse._transposes import wrapped


def _groups(x: Tensor, axis: int) -> tuple[Tensor, int]:
    """For each element the number of its line along a sparse axis, and the number of lines."""
    indices, size = parts_of(x).indices, size_of(x)
    others = [k for k in range(indices.shape[0]) if k != axis]
    if not others:
        return torch_np.zeros(indices.shape[1], dtype=torch_np.int64, device=indices.device), 1
    lines, number = torch_np.unique(positions(torch_np.stack([indices[k] for k in others]), [size[k] for k in others]), return_inverse=True)
    return number, lines.shape[0]


def _along_sparse(x: Tensor, axis: int, is_log: bool) -> Tensor:
    values = parts_of(x).values
    number, count = _groups(x, axis)
    index = number.reshape(-1, *[1] * (values.dim() - 1)).expand(values.shape)
    lowest = torch_np.full((count, *values.shape[1:]), float("-inf"), dtype=values.dtype, device=values.device)
    largest = lowest.scatter_reduce(0, index, values.detach(), "amax")
    shifted = values - torch_np.where(largest.isfinite(), largest, torch_np.zeros_like(largest)).index_select(0, number)
    powers = shifted.exp()
    sums = torch_np.zeros_like(largest).index_add(0, number, powers)
    return shifted - sums.log().index_select(0, number) if is_log else powers / sums.index_select(0, number)


def _softmax(name: str, input: Tensor, dim: int, dtype: Any) -> Tensor:
    if not _is_sparse(input) or parts_of(input).layout != COO:
        raise NotImplementedError(f"sparse.{name}(): the input must be of the layout torch_np.sparse_coo; its layout is {input.layout}")
    axis = wrapped(dim, input.dim())
    x = (input if dtype is None else input.to(dtype)).coalesce()
    parts = parts_of(x)
    if not parts.values.is_floating_point():
        raise NotImplementedError(f'"softmax" not implemented for \'{dtype_name(x.dtype)}\'')
    sparse, is_log = parts.indices.shape[0], name == "log_softmax"
    if not parts.values.numel():
        return with_values(x, alias(parts.values))
    if axis < sparse:
        return with_values(x, _along_sparse(x, axis, is_log))
    function = torch_np.log_softmax if is_log else torch_np.softmax
    return with_values(x, function(parts.values, axis - sparse + 1))


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Returns the softmax of a COO tensor along an axis, over the elements that are specified.

    Args:
      input: The tensor.
      dim: The axis.
      dtype: Dtype to which the tensor is converted first; None is its own.

    Shapes: as `input`.
    Errors: IndexError for an axis that does not exist; NotImplementedError unless the dtype is
    floating-point.
    """
    return _softmax("softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Returns the logarithm of the softmax of a COO tensor along an axis, over the elements that are
    specified.

    Args:
      input: The tensor.
      dim: The axis.
      dtype: Dtype to which the tensor is converted first; None is its own.

    Shapes: as `input`.
    Errors: IndexError for an axis that does not exist; NotImplementedError unless the dtype is
    floating-point.
    """
    return _softmax("log_softmax", input, dim, dtype)
