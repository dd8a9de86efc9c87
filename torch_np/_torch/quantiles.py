"""Quantiles."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._torch.autocasting import ruled as _ruled

_torch = _C._torch

__all__ = ["nanquantile", "quantile"]

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _check(name: str, x: _C.Tensor, q: Any, interpolation: str) -> _C.Tensor:
    if x.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if x.dtype not in (_C.float32, _C.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if interpolation not in _METHODS:
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}")
    if not isinstance(q, _C.Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        return _torch.tensor(q, dtype=x.dtype, device=x.device)
    if q.dim() > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype != x.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if q.numel() and not bool(((q >= 0) & (q <= 1)).all()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q


def _quantile(name: str, x: _C.Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool) -> _C.Tensor:
    q = _check(name, x, q, interpolation)
    rank = max(x.dim(), 1)
    if dim is not None and not -rank <= dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    shape = list(x.shape)
    if dim is None:
        rows, kept = x.reshape(-1), [1] * x.dim()
    elif x.dim() == 0:
        rows, kept = x.reshape(1), []
    else:
        rows, kept = x.movedim(dim, -1), shape[:dim % rank] + [1] + shape[dim % rank + 1:]
    values = _torch.sort(rows, dim=-1)[0]  # NaN comes last
    missing = _torch.isnan(values)
    count = (~missing).sum(-1, keepdim=True)
    last = (count - 1).clamp(min=0) if skip_nan else _torch.full_like(count, values.shape[-1] - 1)
    # positions of the quantiles, with the quantiles as the last axis
    last = last.double()
    at = q.double().reshape([1] * (values.dim() - 1) + [-1]) * last
    if not skip_nan:  # a NaN is the result for all quantiles
        at = _torch.where(missing.any(-1, keepdim=True), last, at)
    if interpolation == "lower":
        at = at.floor()
    elif interpolation == "higher":
        at = at.ceil()
    elif interpolation == "nearest":
        at = at.round()
    below = at.floor()
    result = values.gather(-1, below.long())
    if interpolation in ("linear", "midpoint"):
        weight = _torch.full_like(at, 0.5, dtype=x.dtype) if interpolation == "midpoint" else (at - below).to(x.dtype)
        result = _torch.lerp(result, values.gather(-1, at.ceil().long()), weight)
    if q.dim():
        result = result.movedim(-1, 0)
        return result.reshape([q.numel(), *kept]) if keepdim else result
    result = result.squeeze(-1)
    return result.reshape(kept) if keepdim else result


def _written(result: _C.Tensor, out: _C.Tensor | None) -> _C.Tensor:
    if out is not None and out.dtype != result.dtype:
        raise RuntimeError(f"quantile(): out must have the dtype of input, {result.dtype}, not {out.dtype}")
    return result if out is None else out.resize_(result.shape).copy_(result)


@_ruled("float32", "inner")
def quantile(input: _C.Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear",  # noqa: A002
             out: _C.Tensor | None = None) -> _C.Tensor:
    """The q-th quantiles of the elements along a dimension. Where an element is NaN, the result is NaN.

    Args:
      input: Values.
      q: Number in [0, 1], or a tensor of them with at most one dimension.
      dim: Dimension; None is all elements.
      keepdim: Whether to keep the dimension with length 1.
      interpolation: Value between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.
      out: Tensor to write to.

    Shapes: `input` without the dimension, behind a dimension of the quantiles if `q` has one.
    Dtypes: float32 or float64, the same for `input` and `q`.
    Errors: RuntimeError for an empty `input`, other dtypes, and `q` or `interpolation` out of range.
    """
    return _written(_quantile("quantile", input, q, dim, keepdim, interpolation, False), out)


@_ruled("float32", "inner")
def nanquantile(input: _C.Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear",  # noqa: A002
                out: _C.Tensor | None = None) -> _C.Tensor:
    """The q-th quantiles of the elements that are not NaN along a dimension; NaN if there are none.

    Args:
      input: Values.
      q: Number in [0, 1], or a tensor of them with at most one dimension.
      dim: Dimension; None is all elements.
      keepdim: Whether to keep the dimension with length 1.
      interpolation: Value between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.
      out: Tensor to write to.

    Shapes: `input` without the dimension, behind a dimension of the quantiles if `q` has one.
    Dtypes: float32 or float64, the same for `input` and `q`.
    Errors: RuntimeError for an empty `input`, other dtypes, and `q` or `interpolation` out of range.
    """
    return _written(_quantile("nanquantile", input, q, dim, keepdim, interpolation, True), out)
