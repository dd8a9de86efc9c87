"""Distinct elements or slices of a tensor."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import Tensor, _torch as tnp
from torch_np.numpy import lexsort


def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:  # noqa: A002
    """Returns the distinct elements of `input`, or its distinct slices along `dim`, in ascending
    order.

    The result is a tensor; with `return_inverse` or `return_counts` it is a tuple. NaNs are
    distinct from each other.

    Args:
      input: Input tensor.
      sorted: Whether the values must be sorted. They also are if they need not be.
      return_inverse: Whether to return, for each element or slice of `input`, its index in the
        result.
      return_counts: Whether to return the number of occurrences of each result.
      dim: Axis whose slices are compared; None compares the elements of the flattened tensor.

    Shapes: the elements and their counts (n,), the inverse as `input`; with `dim`, the shape of
    `input` with n slices along it, and the inverse (their number in `input`,).
    Errors: IndexError if `dim` is out of range; RuntimeError if slices along it have no elements;
    TypeError unless `input` is a Tensor.
    """
    _check("unique", input)
    x = input.detach()
    if dim is None:
        flat = x.reshape(-1)
        values, order = flat.sort(stable=True)
        return _answer("unique", input, values, order, values, 0, x.shape, return_inverse, return_counts)
    slices, axis = _slices("unique", x, dim)
    rows = slices.reshape(len(slices), -1) if slices.numel() else slices.reshape(len(slices), 0)
    if rows.shape[1] and len(rows):
        order = lexsort(rows.flip(1).t()._np_compat())._torch()
    else:
        order = tnp.arange(len(rows), device=x.device)
    return _answer("unique", input, slices[order], order, rows[order], axis, (len(rows),), return_inverse, return_counts)


def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:  # noqa: A002
    """Removes each element of the flattened `input`, or slice along `dim`, that equals its
    predecessor.

    The result is a tensor; with `return_inverse` or `return_counts` it is a tuple. NaNs are
    distinct from each other.

    Args:
      input: Input tensor.
      return_inverse: Whether to return, for each element or slice of `input`, its index in the
        result.
      return_counts: Whether to return the length of each run of equal elements or slices.
      dim: Axis whose slices are compared; None compares the elements of the flattened tensor.

    Shapes: the elements and their counts (n,), the inverse as `input`; with `dim`, the shape of
    `input` with n slices along it, and the inverse (their number in `input`,).
    Errors: IndexError if `dim` is out of range; RuntimeError if slices along it have no elements;
    TypeError unless `input` is a Tensor.
    """
    _check("unique_consecutive", input)
    x = input.detach()
    if dim is None:
        flat = x.reshape(-1)
        return _answer("unique_consecutive", input, flat, None, flat, 0, x.shape, return_inverse, return_counts)
    slices, axis = _slices("unique_consecutive", x, dim)
    rows = slices.reshape(len(slices), -1) if slices.numel() else slices.reshape(len(slices), 0)
    return _answer("unique_consecutive", input, slices, None, rows, axis, (len(rows),), return_inverse, return_counts)


def _check(function: str, value: Any) -> None:
    if not isinstance(value, _C.Tensor):
        raise TypeError(f"{function}(): argument 'input' must be Tensor, not {type(value).__name__}")


def _slices(function: str, x: Tensor, dim: int) -> tuple[Tensor, int]:
    """Returns x with the axis `dim` moved to the front, and the normalised index of that axis."""
    if not -max(x.ndim, 1) <= dim < max(x.ndim, 1):
        raise IndexError(f"{function}(): dim {dim} is out of range for a tensor of {x.ndim} dimensions")
    if x.ndim == 0:
        return x.reshape(1), 0
    axis = dim % x.ndim
    if x.shape[axis] and not x.numel():
        raise RuntimeError(f"{function}(): slices along dim {dim} of a tensor of shape {tuple(x.shape)} have no elements")
    return tnp.movedim(x, axis, 0), axis


def _without_derivative(function: str, input: Tensor, distinct: Tensor) -> Tensor:  # noqa: A002
    """Returns `distinct` as a result of `input` whose derivative is not implemented."""
    from torch_np.autograd import Function  # above this package

    class NoDerivative(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return distinct

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> Tensor:
            raise NotImplementedError(f"the derivative of {function}() is not implemented")

    return NoDerivative.apply(input)


def _answer(function: str, input: Tensor, slices: Tensor, order: Tensor | None, rows: Tensor, axis: int, shape: Any,  # noqa: A002
            return_inverse: bool, return_counts: bool) -> Any:
    """Returns those of `slices` that differ from their predecessor, with the inverse and the counts
    if requested.

    `rows` are the slices flattened, in the order of comparison; `order` holds their original
    positions.
    """
    n = len(rows)
    fresh = tnp.ones(n, dtype=_C.bool, device=rows.device)
    if n > 1:
        differs = rows[1:] != rows[:-1]
        fresh[1:] = differs if differs.ndim == 1 else differs.any(1)
    starts = fresh.nonzero().reshape(-1)
    distinct = tnp.movedim(slices[starts], 0, axis) if slices.ndim > 1 else slices[starts]
    results = [_without_derivative(function, input, distinct) if _C._is_grad_enabled() and input.requires_grad else distinct]
    if return_inverse:
        numbers = fresh.cumsum(0) - 1
        if order is not None:
            numbers = tnp.empty_like(numbers).scatter_(0, order, numbers)
        results.append(numbers.reshape(shape))
    if return_counts:
        ends = tnp.cat([starts[1:], tnp.full((1,), n, device=rows.device, dtype=_C.int64)]) if n else starts
        results.append(ends - starts)
    return results[0] if len(results) == 1 else tuple(results)


def _unique(self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """Returns the distinct elements, or distinct slices along `dim`; see torch_np.unique()."""
    return unique(self, sorted, return_inverse, return_counts, dim)


def _unique_consecutive(self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """Returns the elements, or slices along `dim`, that differ from their predecessor; see
    torch_np.unique_consecutive().
    """
    return unique_consecutive(self, return_inverse, return_counts, dim)


for _method in (_unique, _unique_consecutive):
    _method.__name__ = _method.__name__[1:]
    _method.__qualname__ = f"Tensor.{_method.__name__}"
Tensor.unique = _unique  # type: ignore[method-assign]
Tensor.unique_consecutive = _unique_consecutive  # type: ignore[method-assign]
