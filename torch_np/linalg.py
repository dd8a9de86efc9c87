"""torch_np.linalg: linear algebra under PyTorch's names."""
from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from torch_np._C import LinAlgError as LinAlgError, Tensor, _torch, float32 as _float32
from torch_np._C._torch_linalg import *  # noqa: F401,F403
from torch_np._C._torch_linalg import _pinv_of, eigh, eigvalsh, inv_ex, svd, svdvals, vector_norm
from torch_np._torch.arguments import as_tensor as _as_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch_np._C import dtype as DType
    from torch_np._typing import TensorLike


def _given(function: str, A: TensorLike, dims: int = 2) -> Tensor:
    if not isinstance(A, Tensor):
        if not hasattr(A, "_torch"):
            raise TypeError(f"linalg.{function}(): argument 'A' must be Tensor, not {type(A).__name__}")
        A = _as_tensor(A)
    if A.ndim < dims:
        raise RuntimeError(f"linalg.{function}(): A must have at least {dims} dimensions, but its shape is {tuple(A.shape)}")
    return A


def _into(result: Tensor, out: Tensor | None, name: str, exact: bool = False) -> Tensor:
    """`exact`: `out` must have the result's dtype. Otherwise the result is cast, as torch.can_cast allows."""
    if out is None:
        return result
    try:
        return _torch.clone(result, out=out) if exact else _torch.positive(result, out=out)
    except RuntimeError as error:
        raise type(error)(re.sub(r"^(clone|positive)\(\)", f"linalg.{name}()", str(error))) from None


def norm(A: TensorLike, ord: Any = None, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, out: Tensor | None = None,
         dtype: DType | None = None) -> Tensor:
    """Computes a norm of vectors or matrices.

    Args:
      A: Input values.
      ord: Order of the norm: a number for vectors; 'fro', 'nuc', 1, -1, 2, -2, inf or -inf for
        matrices. None is the root of the sum of squares.
      dim: One axis for vectors, two for matrices; None is all axes.
      keepdim: Whether reduced axes stay in the result, with size 1.
      out: Tensor that receives the result.
      dtype: Dtype to which the input is converted first.

    Shapes: `A` any; the result lacks the axes in `dim`, or has them with size 1 if `keepdim`; 0-d
    without `dim`.
    Dtypes: floats and complex numbers; the result is real.
    Errors: RuntimeError if `ord` is not among these or does not fit the number of axes in `dim`, or
    if the dtype of `A` is neither a float nor complex.
    """
    A = _given("norm", A, 0)
    axes = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    if ord is None:
        result = vector_norm(A, 2, axes, keepdim, dtype=dtype)
    elif axes is not None and len(axes) == 1 or axes is None and A.ndim <= 1 and not isinstance(ord, str):
        if isinstance(ord, str):
            raise RuntimeError(f"linalg.norm(): the order {ord!r} is of matrices, but dim has one axis")
        result = vector_norm(A, ord, axes, keepdim, dtype=dtype)
    else:
        if axes is None and A.ndim != 2 or axes is not None and len(axes) != 2:
            raise RuntimeError(f"linalg.norm(): the order {ord!r} needs one or two axes, got dim {dim} of shape {tuple(A.shape)}")
        result = matrix_norm(A, ord, axes or (-2, -1), keepdim, dtype=dtype)
    return _into(result, out, "norm", exact=True)


def matrix_norm(A: TensorLike, ord: Any = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False, *, out: Tensor | None = None,
                dtype: DType | None = None) -> Tensor:
    """Computes a norm of matrices.

    Args:
      A: Matrices.
      ord: 'fro', the root of the sum of squares; 'nuc', 2 or -2, the sum, the largest or the
        smallest of the singular values; 1 or -1, the largest or smallest sum of absolute values of
        a column; inf or -inf, the largest or smallest such sum of a row.
      dim: The two axes of the matrices.
      keepdim: Whether reduced axes stay in the result, with size 1.
      out: Tensor that receives the result.
      dtype: Dtype to which the input is converted first.

    Shapes: `A` (..., m, n), the result (...), or with 1s in `dim` if `keepdim`.
    Dtypes: floats and complex numbers; the result is real.
    Errors: RuntimeError if `A` has fewer than 2 axes, if `dim` is not two axes, if `ord` is not
    among these, or if `dtype` is real for a complex `A` or the reverse; NotImplementedError for
    integers; IndexError for an axis that does not exist.
    """
    A = _given("matrix_norm", A)
    if not (A.is_floating_point() or A.is_complex()):
        raise NotImplementedError(f"linalg.matrix_norm(): expected floats or complex numbers, got {A.dtype}")
    axes = [dim] if isinstance(dim, int) else list(dim)
    if len(axes) != 2:
        raise RuntimeError(f"linalg.matrix_norm(): dim must be two axes, got {tuple(axes)}")
    row, column = (_axis("matrix_norm", A, d) for d in axes)
    if row == column:
        raise RuntimeError(f"linalg.matrix_norm(): dim has an axis twice: {tuple(axes)}")
    if dtype is not None and ord != "fro":
        if dtype.is_complex != A.is_complex() or not (dtype.is_complex or dtype.is_floating_point):
            raise RuntimeError(f"linalg.matrix_norm(): dtype {dtype} must be of the kind of {A.dtype}")
        A = A.to(dtype)
    result = _of_matrices(A, ord, row, column, dtype if ord == "fro" else None)
    if keepdim:
        result = result.reshape([1 if d in (row, column) else n for d, n in enumerate(A.shape)])
    return _into(result, out, "matrix_norm", exact=True)


def _axis(function: str, A: Tensor, d: int) -> int:
    if not -A.ndim <= d < A.ndim:
        raise IndexError(f"linalg.{function}(): dim {d} is out of bounds for a tensor of dimension {A.ndim}")
    return d % A.ndim


def _largest(values: Tensor, axis: int) -> Tensor:
    """Returns the maximum along `axis` of values that are not negative; 0 if the axis is empty."""
    return values.amax(axis) if values.shape[axis] else values.sum(axis)


def _of_matrices(A: Tensor, ord: Any, row: int, column: int, dtype: DType | None) -> Tensor:
    if ord == "fro":
        return vector_norm(A, 2, [row, column], dtype=dtype)
    if ord == "nuc" or ord in (2, -2):
        s = svdvals(_torch.movedim(A, [row, column], [-2, -1]))
        return s.sum(-1) if ord == "nuc" else _largest(s, -1) if ord == 2 else s.amin(-1)
    if isinstance(ord, str) or ord not in (1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm(): the order {ord!r} is none of 'fro', 'nuc', 2, -2, 1, -1, inf, -inf")
    summed, kept = (row, column) if abs(ord) == 1 else (column, row)
    sums = A.abs().sum(summed)
    kept -= kept > summed
    return _largest(sums, kept) if ord > 0 else sums.amin(kept)


def cond(A: TensorLike, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Computes condition numbers: the norm of a matrix times the norm of its inverse. It is
    infinite for singular matrices.

    Args:
      A: Matrices.
      p: Order of the norm: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf; None is 2, the ratio of the
        largest and the smallest singular value.
      out: Tensor that receives the result.

    Shapes: `A` (..., m, n), square unless `p` is None, 2 or -2; the result (...).
    Errors: RuntimeError if `A` does not have such a shape, or a dtype that is neither a float nor
    complex; ValueError if `p` is not among these.
    """
    A = _given("cond", A)
    if p is None or p in (2, -2):
        s = svdvals(A)
        if s.shape[-1] == 0:
            return _into(_torch.zeros(list(s.shape[:-1]), dtype=s.dtype, device=s.device), out, "cond")
        return _into(s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1], out, "cond")
    if p not in ("fro", "nuc", 1, -1, math.inf, -math.inf):
        raise ValueError(f"linalg.cond(): the order {p!r} is none of 'fro', 'nuc', 1, -1, 2, -2, inf, -inf")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"linalg.cond(): A must be batches of square matrices for the order {p!r}, but they are {A.shape[-2]} by {A.shape[-1]} matrices")
    if A.numel() == 0:
        return _into(A.abs().sum((-2, -1)), out, "cond")
    size = matrix_norm(A, p)
    inverse, info = inv_ex(A)
    inverse = _torch.where(info.reshape((*info.shape, 1, 1)) == 0, inverse, _torch.full_like(inverse, math.inf))
    result = size * matrix_norm(inverse, p) if p != "nuc" or not bool((info != 0).any()) else _torch.full_like(size, math.inf)
    return _into(_torch.where(info == 0, result, _torch.full_like(result, math.inf)), out, "cond")


def _threshold(function: str, A: Tensor, values: Tensor, atol: Any, rtol: Any) -> Tensor:
    """Returns the larger of `atol` and `rtol` times the largest of `values`."""
    largest = _largest(values, -1)

    def number(value: Any) -> Tensor:
        if not isinstance(value, Tensor):
            return _torch.full_like(largest, value)
        if value.is_complex():
            raise RuntimeError(f"linalg.{function}(): tolerances must be real")
        return value

    if rtol is None:
        eps = 2.0 ** -23 if largest.dtype == _float32 else 2.0 ** -52
        relative = _torch.full_like(largest, eps * max(A.shape[-2:]))
        if atol is not None:
            relative = _torch.where(number(atol) > 0, _torch.zeros_like(relative), relative)
    else:
        relative = number(rtol)
    absolute = _torch.zeros_like(largest) if atol is None else number(atol)
    return _torch.maximum(absolute, relative * largest)


def matrix_rank(A: TensorLike, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None,
                out: Tensor | None = None) -> Tensor:
    """Computes the rank of matrices: the number of singular values above the larger of `atol` and
    `rtol` times the largest one.

    Args:
      A: Matrices.
      tol: Absolute tolerance in place of `atol` and `rtol`.
      hermitian: Whether `A` is Hermitian. Eigenvalues then replace singular values.
      atol: Absolute tolerance; None is 0.
      rtol: Relative tolerance; None is max(m, n) times the epsilon of the dtype, or 0 with a
        positive `atol`.
      out: Tensor that receives the result.

    Shapes: `A` (..., m, n), tolerances and the result (...).
    Errors: RuntimeError if `A` has fewer than two axes, or a dtype that is neither a float nor
    complex.
    """
    A = _given("matrix_rank", A)
    values = eigvalsh(A).abs() if hermitian else svdvals(A)
    if tol is not None:
        atol, rtol = tol, 0.0
    bound = _threshold("matrix_rank", A, values, atol, rtol)
    return _into((values > bound.unsqueeze(-1)).sum(-1), out, "matrix_rank")


def pinv(A: TensorLike, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None,
         out: Tensor | None = None) -> Tensor:
    """Computes Moore-Penrose pseudo-inverses. Singular values up to the larger of `atol` and `rtol`
    times the largest one count as zero.

    Args:
      A: Matrices.
      rcond: Another name of `rtol`.
      hermitian: Whether `A` is Hermitian. Eigenvalues then replace singular values.
      atol: Absolute tolerance; None is 0.
      rtol: Relative tolerance; None is max(m, n) times the epsilon of the dtype, or 0 with a
        positive `atol`.
      out: Tensor that receives the result.

    Shapes: `A` (..., m, n), tolerances (...), the result (..., n, m).
    Errors: RuntimeError if `A` has fewer than two axes, or a dtype that is neither a float nor
    complex.
    """
    A = _given("pinv", A)
    if rcond is not None:
        rtol = rcond
    if A.numel() == 0:
        return _into(_torch.clone(_torch.transpose(A, -2, -1)), out, "pinv")
    if A.requires_grad:
        inverse = pinv(A.detach(), hermitian=hermitian, atol=atol, rtol=rtol)
        if hermitian:  # eigh reads the lower triangle
            A = _torch.tril(A) + _torch.adjoint(_torch.tril(A, -1))
        return _into(_pinv_of(A, inverse), out, "pinv")
    if hermitian:
        values, V = eigh(A)
        U, sizes, Vh = V, values.abs(), _torch.adjoint(V)
    else:
        U, values, Vh = svd(A, full_matrices=False)
        sizes = values
    kept = sizes > _threshold("pinv", A, sizes, atol, rtol).unsqueeze(-1)
    inverse = _torch.where(kept, 1 / _torch.where(kept, values, _torch.ones_like(values)), _torch.zeros_like(values))
    return _into(_torch.matmul(_torch.adjoint(Vh) * inverse.unsqueeze(-2), _torch.adjoint(U)), out, "pinv")


def matrix_power(A: TensorLike, n: int, *, out: Tensor | None = None) -> Tensor:
    """Raises square matrices to an integer power, by repeated multiplication.

    Args:
      A: Square matrices.
      n: Exponent; a negative one uses the inverse.
      out: Tensor that receives the result.

    Shapes: `A` and the result (..., m, m).
    """
    return _into(_torch.matrix_power(_given("matrix_power", A), n), out, "matrix_power")
