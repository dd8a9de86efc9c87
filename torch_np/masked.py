"""torch_np.masked: reductions and normalisations of the elements that a mask selects.

The mask is True where an element counts; None counts all. Where no element counts, the result is that
of an empty reduction; minima, maxima and means have no defined value there.
"""
from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import torch_np
from torch_np import _C
from torch_np._absent import absent_names

__all__ = ["amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "is_masked_tensor", "log_softmax", "logaddexp", "logsumexp", "mean",
           "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var", *absent_names(
               globals(), "tensors with masks are not implemented; pass mask= to the functions of torch_np.masked",
               functions="as_masked_tensor masked_tensor", classes="MaskedTensor")]

_Dims = int | Sequence[int] | None


def is_masked_tensor(obj: Any, /) -> bool:
    """Returns False: there are no tensors with masks.

    Args:
      obj: Any object.
    """
    return False


def _dims(x: _C.Tensor, dim: _Dims) -> tuple[int, ...]:
    if dim is None or dim == ():
        return tuple(range(x.dim()))
    return (dim,) if isinstance(dim, int) else tuple(dim)


def _filled(x: _C.Tensor, mask: _C.Tensor | None, value: Any, dtype: Any = None) -> _C.Tensor:
    if dtype is not None:
        x = x.to(dtype)
    if mask is None:
        return x
    if _C._is_sparse(mask):
        mask = mask.to_dense()
    if mask.dtype != _C.bool:
        raise TypeError(f"masked: mask must have the dtype bool, got {mask.dtype}")
    return torch_np.where(mask, x, torch_np.full_like(x, value))


def _of_sparse(name: str, x: _C.Tensor, dim: _Dims, keepdim: bool, dtype: Any, mask: _C.Tensor | None) -> _C.Tensor:
    from torch_np.sparse import _masked

    return _masked.reduce(name, x, dim, bool(keepdim), dtype, mask)


def _extreme(x: _C.Tensor, lowest: bool) -> Any:
    if x.dtype.is_floating_point:
        return -float("inf") if lowest else float("inf")
    if x.dtype == _C.bool:
        return not lowest
    info = torch_np.iinfo(x.dtype)
    return info.min if lowest else info.max


def _doc(what: str, reduces: bool = True) -> str:
    shapes = "`input` without the dimensions" if reduces else "as `input`"
    return (f"{what} of the elements that the mask selects.\n\n    Args:\n      input: Values.\n      dim: Dimension, or dimensions; None is all.\n"
            "      keepdim: Whether to keep the dimensions with length 1.\n      dtype: Dtype to compute in; None is that of `input`.\n"
            f"      mask: Bools that broadcast to `input`; None selects all.\n\n    Shapes: {shapes}.\n    Errors: TypeError unless the mask is bool.\n    ")


def sum(input: _C.Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A001, A002, D103
    if _C._is_sparse(input):
        return _of_sparse("sum", input, dim, keepdim, dtype, mask)
    return torch_np.sum(_filled(input, mask, 0, dtype), _dims(input, dim), keepdim=bool(keepdim))


def prod(input: _C.Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    if _C._is_sparse(input):
        return _of_sparse("prod", input, dim, keepdim, dtype, mask)
    x = _filled(input, mask, 1, dtype)
    if not x.dim():
        return torch_np.prod(x)  # of integers an int64, as of a dimension
    for d in sorted({d % builtins.max(x.dim(), 1) for d in _dims(input, dim)}, reverse=True):
        x = torch_np.prod(x, d, keepdim=bool(keepdim))
    return x


def amax(input: _C.Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    if _C._is_sparse(input):
        return _of_sparse("amax", input, dim, keepdim, dtype, mask)
    return torch_np.amax(_filled(input, mask, _extreme(input, True), dtype), _dims(input, dim), bool(keepdim))


def amin(input: _C.Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    if _C._is_sparse(input):
        return _of_sparse("amin", input, dim, keepdim, dtype, mask)
    return torch_np.amin(_filled(input, mask, _extreme(input, False), dtype), _dims(input, dim), bool(keepdim))


def argmax(input: _C.Tensor, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    return torch_np.argmax(_filled(input, mask, _extreme(input, True), dtype), dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


def argmin(input: _C.Tensor, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    return torch_np.argmin(_filled(input, mask, _extreme(input, False), dtype), dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


def _count(x: _C.Tensor, mask: _C.Tensor | None, dims: tuple[int, ...], keepdim: bool, dtype: Any) -> _C.Tensor:
    ones = torch_np.ones_like(x, dtype=dtype)
    return torch_np.sum(_filled(ones, mask, 0), dims, keepdim=keepdim)


def _float(x: _C.Tensor, dtype: Any) -> Any:
    return dtype if dtype is not None else x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else torch_np.get_default_dtype()


def mean(input: _C.Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    if _C._is_sparse(input):
        return _of_sparse("mean", input, dim, keepdim, dtype, mask)
    dims, dtype = _dims(input, dim), _float(input, dtype)
    return sum(input, dims, keepdim=keepdim, dtype=dtype, mask=mask) / _count(input, mask, dims, bool(keepdim), dtype)


def var(input: _C.Tensor, dim: _Dims = None, unbiased: bool | None = None, *, correction: float | None = None, keepdim: bool = False,  # noqa: A002, D103
        dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:
    if unbiased is not None and correction is not None:
        raise ValueError("var(): only one of unbiased and correction may be given")
    less = correction if correction is not None else float(unbiased if unbiased is not None else True)
    dims, dtype = _dims(input, dim), _float(input, dtype)
    x = input.to(dtype)
    count = _count(input, mask, dims, True, dtype)
    difference = _filled(x - sum(x, dims, keepdim=True, mask=mask) / count, mask, 0)
    total = torch_np.sum((difference * difference.conj()).real if x.is_complex() else difference * difference, dims, keepdim=bool(keepdim))
    return total / torch_np.clamp(count.reshape(total.shape) - less, min=0)


def std(input: _C.Tensor, dim: _Dims = None, unbiased: bool | None = None, *, correction: float | None = None, keepdim: bool = False,  # noqa: A002, D103
        dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:
    return torch_np.sqrt(var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask))


def norm(input: _C.Tensor, ord: float | None = 2.0, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None,  # noqa: A002, D103
         mask: _C.Tensor | None = None) -> _C.Tensor:
    value = float("inf") if ord == -float("inf") else 0
    return torch_np.linalg.vector_norm(_filled(input, mask, value, dtype), 2.0 if ord is None else ord, _dims(input, dim), bool(keepdim))


def median(input: _C.Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    x = input.to(_float(input, dtype))
    if bool(torch_np.isnan(x).any()):
        raise ValueError("input cannot be strictly non-NaN")
    return torch_np.nanmedian(_filled(x, mask, float("nan")), dim, bool(keepdim)).values


def logsumexp(input: _C.Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    x = input.to(_float(input, dtype))
    made = torch_np.logsumexp(_filled(x, mask, -float("inf")), _dims(input, dim), bool(keepdim))
    return made.to(input.dtype if dtype is None else dtype)  # PyTorch truncates the result of integers


def logaddexp(input: _C.Tensor, other: _C.Tensor, *, dtype: Any = None, input_mask: _C.Tensor | None = None,  # noqa: A002
              other_mask: _C.Tensor | None = None) -> _C.Tensor:
    """Logarithm of the sum of the exponentials of two tensors; an element that its mask excludes counts as
    -inf.

    Args:
      input: Values.
      other: Values.
      dtype: Dtype to compute in; None is that of the values.
      input_mask: Mask of `input`; None selects all.
      other_mask: Mask of `other`; None selects all.

    Shapes: as `input`.
    """
    return torch_np.logaddexp(_filled(input, input_mask, -float("inf"), dtype), _filled(other, other_mask, -float("inf"), dtype))


def softmax(input: _C.Tensor, dim: int, *, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    return torch_np.softmax(_filled(input.to(_float(input, dtype)), mask, -float("inf")), dim)


def log_softmax(input: _C.Tensor, dim: int, *, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    return torch_np.log_softmax(_filled(input.to(_float(input, dtype)), mask, -float("inf")), dim)


def softmin(input: _C.Tensor, dim: int, *, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    return torch_np.softmax(-_filled(input.to(_float(input, dtype)), mask, float("inf")), dim)


def cumsum(input: _C.Tensor, dim: int, *, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    return torch_np.cumsum(_filled(input, mask, 0, dtype), dim)


def cumprod(input: _C.Tensor, dim: int, *, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002, D103
    return torch_np.cumprod(_filled(input, mask, 1, dtype), dim)


def normalize(input: _C.Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: _C.Tensor | None = None) -> _C.Tensor:  # noqa: A002
    """The elements divided by the norm of those that the mask selects.

    Args:
      input: Values.
      ord: Order of the norm.
      dim: Dimension.
      eps: Smallest divisor.
      dtype: Dtype to compute in; None is that of `input`.
      mask: Bools that broadcast to `input`; None selects all.

    Shapes: as `input`.
    """
    x = input.to(_float(input, dtype))
    return _filled(x, mask, 0) / torch_np.clamp(norm(x, ord, dim, keepdim=True, mask=mask), min=eps)


for _function, _what in ((sum, "The sum"), (prod, "The product"), (amax, "The largest"), (amin, "The smallest"), (argmax, "The index of the largest"),
                         (argmin, "The index of the smallest"), (mean, "The mean"), (var, "The variance"), (std, "The standard deviation"),
                         (norm, "The norm"), (median, "The lower median"), (logsumexp, "The logarithm of the sum of the exponentials")):
    _function.__doc__ = _doc(_what)
for _function, _what in ((softmax, "The softmax"), (log_softmax, "The logarithm of the softmax"), (softmin, "The softmax of the negatives"),  # type: ignore[assignment]
                         (cumsum, "The running sums"), (cumprod, "The running products")):
    _function.__doc__ = _doc(_what, reduces=False)
