"""Norms of sparse tensors: those of the values of a coalesced tensor."""
from __future__ import annotations

from typing import Any

import torch_np
from torch_np import Tensor
from torch_np.sparse._coalesce import coalesce
from torch_np.sparse._common import dtype_name
from torch_np.sparse._elements import parts_in
from torch_np.sparse._parts import COO, parts_of
from torch_np.sparse._tensor import implements


def native_norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:  # noqa: A002
    """The norm of all elements of a COO tensor.

    Args:
      input: the tensor
      p: order of the norm
      dim: must be None, or all axes
      keepdim: must be False
      dtype: must be None

    Shapes: the result has no axes.
    Errors: RuntimeError for a norm along some axes.
    """
    parts_in("norm_sparse", input, (COO,))
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    if dim is not None:
        axes = [dim] if isinstance(dim, int) else list(dim)
        if axes and sorted(axis % max(input.dim(), 1) for axis in axes) != list(range(input.dim())):
            raise RuntimeError("norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of "
                               "the input")
    if dtype is not None:
        raise RuntimeError("norm_sparse currently does not support 'dtype' argument")
    values = parts_of(coalesce(input)).values
    if not (values.is_floating_point() or values.is_complex()):
        raise NotImplementedError(f"norm(): input dtype should be either floating point or complex. Got {dtype_name(values.dtype)} instead.")
    return torch_np.linalg.vector_norm(values, 2 if p is None or p == "fro" else p)


@implements("norm", "Tensor.norm")
def _norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None) -> Tensor:  # noqa: A002
    if out is not None:
        raise NotImplementedError("norm(): out= is not implemented for sparse tensors")
    return native_norm(input, p, dim, keepdim, dtype)


@implements("linalg.vector_norm")
def _vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Tensor:  # noqa: A002
    if out is not None or keepdim or parts_of(x).layout != COO:
        raise NotImplementedError("vector_norm(): for sparse tensors only norms of all elements of a COO tensor are implemented")
    if dim is not None and sorted(a % max(x.dim(), 1) for a in ([dim] if isinstance(dim, int) else dim)) != list(range(x.dim())):
        raise NotImplementedError("vector_norm(): norms of sparse tensors along some axes are not implemented")
    if ord < 0:
        raise NotImplementedError("vector_norm(): norms of negative orders are not implemented for sparse tensors")
    return torch_np.linalg.vector_norm(parts_of(coalesce(x)).values, ord, dtype=dtype)
