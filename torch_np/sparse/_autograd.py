"""torch_np.autograd.backward and grad with sparse tensors: their gradients are those of their values."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.sparse._attributes import values_at
from torch_np.sparse._common import count_of, positions, sparse_size, with_values
from torch_np.sparse._parts import COO, make_coo, parts_of, size_of
from torch_np.sparse._tensor import getter, implements


def gradient_of(x: Tensor, grad: Tensor) -> Tensor:
    """The gradient of a sparse tensor from that of its values. If elements are repeated, as only their
    sum matters, it has one element for each sum.
    """
    parts = parts_of(x)
    if parts.layout != COO or parts.is_coalesced or grad.shape[0] < 2:
        return with_values(x, grad)
    flat = positions(parts.indices, sparse_size(x))
    distinct, number, counts = torch_np.unique(flat, return_inverse=True, return_counts=True)
    if distinct.shape[0] == flat.shape[0]:
        return with_values(x, grad)
    sums = grad.new_zeros((distinct.shape[0], *grad.shape[1:])).index_add(0, number, grad)
    first = torch_np.full_like(distinct, flat.shape[0]).scatter_reduce(0, number, torch_np.arange(flat.shape[0], device=flat.device), "amin")
    return make_coo(parts.indices.index_select(1, first), sums / counts.to(grad.dtype).reshape(-1, *[1] * (grad.dim() - 1)), size_of(x), True)


@getter("grad")
def _grad(x: Tensor) -> Tensor | None:
    grad = parts_of(x).values.grad
    return None if grad is None else gradient_of(x, grad)


def values_of(x: Any) -> Any:
    """The values of a sparse tensor; another object itself."""
    return parts_of(x).values if _is_sparse(x) else x


def roots(outputs: Sequence[Any], grads: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Dense tensors that stand for outputs, and their gradients.

    Args:
      outputs: tensors, sparse or dense
      grads: their gradients, or None
    """
    found = []
    for k, (x, grad) in enumerate(zip(outputs, grads, strict=True)):
        if grad is not None and tuple(x.shape) != tuple(grad.shape):
            raise RuntimeError(f"Mismatch in shape: grad_output[{k}] has a shape of {grad.shape} and output[{k}] has a shape of {x.shape}.")
        if not _is_sparse(x):
            found.append((x, grad.to_dense() if _is_sparse(grad) else grad))
            continue
        if grad is None:
            if count_of(size_of(x)) != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            grad = torch_np.ones(size_of(x), dtype=x.dtype, device=x.device)
        found.append((parts_of(x).values, values_at(x, grad)))
    return tuple(x for x, _ in found), tuple(grad for _, grad in found)


def gradients(inputs: Sequence[Any], grads: Sequence[Any]) -> tuple[Any, ...]:
    """Gradients of inputs from those of the dense tensors that stand for them."""
    return tuple(gradient_of(x, grad) if grad is not None and _is_sparse(x) else grad for x, grad in zip(inputs, grads, strict=True))


@implements("Tensor.backward")
def _backward(x: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None) -> None:
    torch_np.autograd.backward(x, gradient, retain_graph, create_graph, inputs)


def check_arguments(arguments: Sequence[Any]) -> None:
    """Raises NotImplementedError for a sparse argument of a Function that requires a gradient."""
    if torch_np.is_grad_enabled() and any(_is_sparse(x) and parts_of(x).values.requires_grad for x in arguments):
        raise NotImplementedError("Function.apply(): a sparse tensor that requires a gradient is not implemented as an argument; pass its values, "
                                  "and make the sparse tensor in forward")


def check_results(arguments: Sequence[Any]) -> None:
    """Raises NotImplementedError for a sparse result of a Function of these arguments that has a gradient."""
    if torch_np.is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in arguments):
        raise NotImplementedError("Function.apply(): a sparse result with a gradient is not implemented; return its values, and make the sparse "
                                  "tensor of the result of apply")
