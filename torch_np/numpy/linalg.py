"""torch_np.numpy.linalg: NumPy's linear algebra, over the engine's factorisations."""
from __future__ import annotations

import functools
import math
import operator
from typing import TYPE_CHECKING

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index as _normalize_axis_index
from numpy.linalg import LinAlgError  # noqa: F401

from torch_np._C import _numpy_linalg as _native
from torch_np._C._torch_linalg import _pinv_of
from torch_np._C._numpy_linalg import *  # noqa: F401,F403
from torch_np._C._numpy_linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult  # noqa: F401
from torch_np.numpy import _declare, _dtypes, _multiarray, _native as nx, _ufunc_config
from torch_np.numpy._default_dtype import default_dtype as _default_dtype
from torch_np.numpy._numeric import cross as _cross, tensordot as _tensordot
from torch_np.numpy import _differentiation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, NumPyDTypeLike

_no: Any = _numpy._NoValue


def _matrix(a: ArrayLike) -> ndarray:
    a = nx.asarray(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    return a


def _square(a: ArrayLike) -> ndarray:
    a = _matrix(a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _inexact(x: ArrayLike) -> ndarray:
    """Converts integers and bools to the default floating dtype."""
    x = nx.asarray(x)
    return x.astype(_default_dtype()) if _dtypes.kind_of(x) in "biu" else x


def qr(a: Any, mode: str = "reduced") -> Any:
    """QR decomposition: a = Q R with orthonormal Q and upper triangular R.

    Args:
      a: Matrices.
      mode: 'reduced'; 'complete' for a square Q; 'r' for R only; or 'raw' for the Householder
        vectors h and their factors tau.

    Shapes: `a` (..., m, n), Q (..., m, k) and R (..., k, n) with k = min(m, n), or k = m if `mode`
    is 'complete'; h (..., n, m) and tau (..., min(m, n)).
    Errors: ValueError if `mode` is none of these.
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        if mode not in ("f", "full"):
            raise ValueError(f"Unrecognized mode '{mode}'")
        mode = "reduced"
    if mode == "raw":
        return _native._qr_raw(a)
    result = QRResult(*_wide_qr(a)) if _differentiation.compute_requires_grad(a) and a.ndim >= 2 and a.shape[-2] < a.shape[-1] else _native._qr(a, mode)
    return result.R if mode == "r" else result


def _wide_qr(a):
    """Differentiable QR decomposition of m x n matrices with m < n. Q is computed from the first m
    columns.
    """
    rows = a.shape[-2]
    q, r = _native._qr(a[..., :rows], "reduced")
    return q, nx.concatenate((r, nx.matrix_transpose(q.conj()) @ a[..., rows:]), axis=-1)


def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular value decomposition: a = U diag(S) Vh.

    Args:
      a: Matrices.
      full_matrices: Whether U and Vh are square.
      compute_uv: Whether to compute U and Vh; otherwise only S is returned.
      hermitian: Whether `a` is Hermitian. Eigenvalues then replace singular values.

    Shapes: `a` (..., m, n), S (..., k) with k = min(m, n), U (..., m, m) and Vh (..., n, n), or
    (..., m, k) and (..., k, n) unless `full_matrices`.
    Errors: LinAlgError for fewer than 2 axes, or if the iteration does not converge.
    """
    if hermitian:
        a = _matrix(a)
        if not compute_uv:
            return nx.flip(nx.sort(nx.abs(eigvalsh(a)), axis=-1), axis=-1)
        s, u = eigh(a)
        sign = nx.where(s < 0, -1, 1).astype(s.dtype)  # 1 where s is 0, so that the rows of vh stay unit vectors
        size = nx.abs(s)
        order = nx.argsort(size, axis=-1)[..., ::-1]
        sign = nx.take_along_axis(sign, order, axis=-1)
        size = nx.take_along_axis(size, order, axis=-1)
        u = nx.take_along_axis(u, order[..., None, :], axis=-1)
        vh = nx.conjugate(nx.matrix_transpose(u * sign[..., None, :]))
        return SVDResult(u, size, vh)
    if not compute_uv:
        return svdvals(_matrix(a))
    return _native._svd(a, bool(full_matrices), True)


def _real_if_possible(source, *complex_results):
    """Returns the real parts of results for a real matrix, if no eigenvalue has an imaginary part.
    """
    if _dtypes.kind_of(nx.asarray(source)) != "c" and bool((complex_results[0].imag == 0).all()):
        return tuple(r.real for r in complex_results)
    return complex_results


@_declare.base_class
def eig(a: ArrayLike) -> EigResult:
    """Computes eigenvalues and eigenvectors of square matrices.

    Args:
      a: Square matrices.

    Shapes: `a` (..., n, n), eigenvalues (..., n), eigenvectors (..., n, n), in columns.
    Dtypes: real if `a` and all its eigenvalues are real, otherwise complex.
    """
    return EigResult(*_real_if_possible(a, *_native._eig(a)))


@_declare.base_class
def eigvals(a: ArrayLike) -> ndarray:
    """Computes eigenvalues of square matrices.

    Args:
      a: Square matrices.

    Shapes: `a` (..., n, n), the result (..., n).
    Dtypes: real if `a` and all its eigenvalues are real, otherwise complex.
    """
    return _real_if_possible(a, _native._eigvals(a))[0]


@_declare.base_class
def lstsq(a: ArrayLike, b: ArrayLike, rcond: float | None = None) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Solves a linear system in the least-squares sense. Returns the solution x with the least norm
    that minimises |b - a x|, the residuals, the rank of `a`, and its singular values.

    Args:
      a: Matrix of the system.
      b: Right-hand sides.
      rcond: Singular values below `rcond` times the largest one count as zero; None is max(m, n)
        times the epsilon of the dtype.

    Shapes: `a` (m, n), `b` (m,) or (m, k); x (n,) or (n, k), residuals (1,) or (k,), empty if m <=
    n or the rank is not full, rank (), singular values (min(m, n),).
    Errors: LinAlgError unless `a` has 2 axes and `b` 1 or 2, or if m differs between them;
    TypeError for 16-bit floats.
    """
    given = b
    a, b = nx.asarray(a), nx.asarray(b)
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    for t in (a, b):
        if t.ndim != 2:
            raise LinAlgError(f"{t.ndim}-dimensional array given. Array must be two-dimensional")
    m, n = a.shape
    if b.shape[0] != m:
        raise LinAlgError("Incompatible dimensions")
    for t in (a, b):
        if t.dtype in _dtypes.HALVES:
            raise TypeError(f"array type {t.dtype} is unsupported in linalg")
    dtype = _dtypes.result_type(_inexact(a), _inexact(b))
    eps = float(_numpy.finfo(dtype).eps)
    # In double precision for all dtypes, as in NumPy.
    wide = _numpy.complex128 if _dtypes.kind_of(dtype) == "c" else _numpy.float64
    x, rest, rank, s = _native._lstsq(a.astype(wide, copy=False), b.astype(wide, copy=False), eps * max(m, n) if rcond is None else -1.0 if rcond == -1 else float(rcond))
    if _differentiation.compute_requires_grad(a, b):
        x, rest, s = _differentiable_lstsq(a.astype(wide, copy=False), b.astype(wide, copy=False), int(rank))
    if m <= n or int(rank) != n:
        residuals = nx.empty((0,), dtype=s.dtype, device=s.device)
    else:
        residuals = nx.sum(nx.abs(rest) ** 2, axis=0)
    real = _numpy.finfo(dtype).dtype
    x, residuals, s = x.astype(dtype, copy=False), residuals.astype(real, copy=False), s.astype(real, copy=False)
    return _declare.in_class_of(x[:, 0] if vector else x, given), _declare.in_class_of(residuals, given), rank, s


def _differentiable_lstsq(a, b, rank):
    """Solves the least-squares problem with differentiable operators, by a QR decomposition of `a`
    or, if m < n, of its conjugate transpose. Returns x, b - a x, and the singular values.
    """
    m, n = a.shape
    if rank < min(m, n):
        raise NotImplementedError(f"lstsq(): the derivative for a matrix of rank {rank} and shape {(m, n)} is not implemented: "
                                  "the solution of least norm is not continuous where the rank is not full")
    q, r = _native._qr(a if m >= n else nx.matrix_transpose(a).conj(), "reduced")
    if m >= n:
        x = solve(r, nx.matrix_transpose(q).conj() @ b)
    else:
        x = q @ solve(nx.matrix_transpose(r).conj(), b)
    return x, b - a @ x, svdvals(a)


def _vector_axes(x, axis):
    if axis is None:
        return tuple(range(x.ndim))
    if not isinstance(axis, tuple):
        try:
            axis = (operator.index(axis),)
        except Exception as e:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from e
    return axis


@_declare.base_class
@_declare.value
def norm(x: ArrayLike, ord: Any = None, axis: Axes | None = None, keepdims: bool = False) -> ndarray:
    """Computes a norm of vectors or matrices.

    Args:
      x: Input values.
      ord: Order of the norm: a number for vectors; 'fro', 'nuc', 1, -1, 2, -2, inf or -inf for
        matrices. None is the root of the sum of squares.
      axis: One axis for vectors, two for matrices; None is all axes.
      keepdims: Whether reduced axes stay in the result, with size 1.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`; 0-d without
    `axis`.
    Dtypes: real.
    Errors: ValueError for an unknown `ord`, more than two axes, or a repeated axis; TypeError for
    an `axis` that is not an integer.
    """
    x = _inexact(x)
    if axis is None and not _differentiation.compute_requires_grad(ord) and (ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1)):
        return _native._vector_norm(x, 2.0, None, bool(keepdims))
    axes = _vector_axes(x, axis)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        try:
            order = 2.0 if ord is None else ord if _differentiation.compute_requires_grad(ord) else float(ord)
        except (TypeError, ValueError):
            raise ValueError("Invalid norm order for vectors.") from None
        return _native._vector_norm(x, order, axes, bool(keepdims))
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    row, col = (_normalize_axis_index(operator.index(i), x.ndim) for i in axes)
    if row == col:
        raise ValueError("Duplicate axes given.")
    _check_order("norm", ord)
    if ord in (None, "fro", "f"):
        result = _native._vector_norm(x, 2.0, (row, col), False)
    elif ord in (2, -2, "nuc"):
        s = svdvals(nx.moveaxis(x, (row, col), (-2, -1)))
        result = s.sum(axis=-1) if ord == "nuc" else s.max(axis=-1, initial=0) if ord == 2 else s.min(axis=-1)
    elif ord in (1, -1, math.inf, -math.inf):
        summed, kept = (row, col) if abs(ord) == 1 else (col, row)
        sums = nx.abs(x).sum(axis=summed)
        kept -= kept > summed
        result = sums.max(axis=kept, initial=0) if ord > 0 else sums.min(axis=kept)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return nx.expand_dims(result, tuple(sorted((row, col)))) if keepdims else result


def _check_order(function, ord):
    """Rejects an `ord` whose gradient is recorded. The order of a matrix norm selects a formula, so
    it has no derivative; the order of a vector norm has one.
    """
    if _differentiation.compute_requires_grad(ord):
        raise NotImplementedError(f"{function}(): the derivative with respect to the order of a norm of matrices is not implemented")


@_declare.base_class
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> ndarray:
    """Computes a norm of the matrices in the last two axes.

    Args:
      x: Matrices.
      keepdims: Whether reduced axes stay in the result, with size 1.
      ord: Order of the norm: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.

    Shapes: `x` (..., m, n), the result (...), or (..., 1, 1) if `keepdims`.
    Dtypes: real.
    Errors: ValueError for an unknown `ord`.
    """
    return norm(nx.asarray(x), axis=(-2, -1), keepdims=keepdims, ord=ord)


@_declare.base_class
def vector_norm(x: ArrayLike, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: Any = 2) -> ndarray:
    """Computes a norm of vectors. Several axes are treated as one vector.

    Args:
      x: Vectors.
      axis: Axis or axes; None is all of them.
      keepdims: Whether reduced axes stay in the result, with size 1.
      ord: Order of the norm.

    Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.
    Dtypes: real.
    """
    x = _inexact(x)
    axes = None if axis is None else axis if isinstance(axis, tuple) else (operator.index(axis),)
    order = 2.0 if ord is None else ord if _differentiation.compute_requires_grad(ord) else float(ord)
    return _native._vector_norm(x, order, axes, bool(keepdims))


@_declare.base_class
@_declare.value
def cond(x: ArrayLike, p: Any = None) -> ndarray:
    """Computes condition numbers: the norm of a matrix times the norm of its inverse.

    Args:
      x: Matrices.
      p: Order of the norm: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf; None is 2, the ratio of the
        largest and the smallest singular value.

    Shapes: `x` (..., m, n), square unless `p` is None, 2 or -2; the result (...).
    Dtypes: real.
    Errors: LinAlgError for fewer than 2 axes, for empty matrices, and for matrices that are not
    square unless `p` is None, 2 or -2.
    """
    x = nx.asarray(x)
    _check_order("cond", p)
    if x.ndim < 2 or x.size == 0 and 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays") if x.ndim >= 2 else LinAlgError(
            f"{x.ndim}-dimensional array given. Array must be at least two-dimensional")
    if p is None or p in (2, -2):
        s = svdvals(x)
        with _ufunc_config.errstate(all="ignore"):
            result = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        x = _inexact(_square(x))
        # Computed before the inverse, so that an invalid `p` raises also for a singular matrix.
        size = norm(x, p, axis=(-2, -1))
        try:
            inverse = inv(x)
        except LinAlgError:
            if x.ndim == 2:
                return nx.asarray(math.inf, dtype=nx.abs(x).dtype, device=x.device)
            inverse = _inverse_or_nan(x)
        with _ufunc_config.errstate(all="ignore"):
            result = size * norm(inverse, p, axis=(-2, -1))
    has_nan = nx.isnan(x).any(axis=(-2, -1))
    return nx.where(nx.isnan(result) & ~has_nan, nx.asarray(math.inf, dtype=result.dtype, device=result.device), result)


def _inverse_or_nan(x):
    """Returns the inverses of a stack of matrices, NaN for singular ones."""
    matrices = []
    for matrix in x.reshape(-1, *x.shape[-2:]):
        try:
            matrices.append(inv(matrix))
        except LinAlgError:
            matrices.append(matrix * math.nan)
    return nx.stack(matrices).reshape(x.shape)


@_declare.base_class
def matrix_rank(A: ArrayLike, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Computes the rank of matrices: the number of singular values above a tolerance.

    Args:
      A: Matrices.
      tol: Absolute tolerance.
      hermitian: Whether `A` is Hermitian. Eigenvalues then replace singular values.
      rtol: Tolerance relative to the largest singular value; None is max(m, n) times the epsilon of
        the dtype.

    Shapes: `A` (..., m, n), `tol` and `rtol` (...); the result (...), or an int if `A` has
    fewer than 2 axes.
    Errors: ValueError for both `tol` and `rtol`.
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = nx.asarray(A)
    if A.ndim < 2:
        return int(not bool((A == 0).all()))
    S = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        relative = max(A.shape[-2:]) * float(_numpy.finfo(S.dtype).eps) if rtol is None else nx.asarray(rtol, device=A.device)[..., None]
        tol = S.max(axis=-1, keepdims=True, initial=0) * relative
    else:
        tol = nx.asarray(tol, device=A.device)[..., None]
    return nx.count_nonzero(S > tol, axis=-1)


def pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _no) -> ndarray:
    """Computes Moore-Penrose pseudo-inverses.

    Args:
      a: Matrices.
      rcond: Tolerance: singular values of at most `rcond` times the largest one count as zero. By
        default `rtol` if that is given, else 1e-15.
      hermitian: Whether `a` is Hermitian. Eigenvalues then replace singular values.
      rtol: Another name of `rcond`; None is max(m, n) times the epsilon of the dtype.

    Shapes: `a` (..., m, n), `rcond` and `rtol` (...); the result (..., n, m).
    Errors: ValueError for both `rcond` and `rtol`, LinAlgError for fewer than 2 axes.
    """
    a = nx.asarray(a)
    if rcond is None:
        if rtol is _no:
            rcond = 1e-15
        elif rtol is None:
            rcond = max(a.shape[-2:]) * float(_dtypes.finfo_of(_inexact(a)).eps)
        else:
            rcond = rtol
    elif rtol is not _no:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    a = _matrix(a)
    if 0 in a.shape[-2:]:
        return nx.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), dtype=a.dtype, device=a.device)
    if a._requires_grad:
        inverse = pinv(a._detach(), rcond, hermitian)
        if hermitian:  # eigh reads the lower triangle
            a = nx.tril(a) + nx.conjugate(nx.matrix_transpose(nx.tril(a, -1)))
        return _pinv_of(a._torch(), inverse._torch())._np_compat()
    u, s, vh = svd(nx.conjugate(a), full_matrices=False, hermitian=hermitian)
    cutoff = nx.asarray(rcond, device=a.device)[..., None] * s.max(axis=-1, keepdims=True)
    large = s > cutoff
    inverse = nx.where(large, 1 / nx.where(large, s, nx.ones_like(s)), nx.zeros_like(s))
    return nx.matmul(nx.matrix_transpose(vh), inverse[..., None] * nx.matrix_transpose(u))


def matrix_power(a: ArrayLike, n: int) -> ndarray:
    """Raises square matrices to an integer power, by repeated multiplication.

    Args:
      a: Square matrices.
      n: Exponent; a negative one uses the inverse.

    Shapes: `a` and the result (..., m, m).
    Errors: LinAlgError for matrices that are not square, or are singular with a negative `n`;
    TypeError unless `n` is an integer.
    """
    a = _square(a)
    try:
        n = operator.index(n)
    except TypeError as e:
        raise TypeError("exponent must be an integer") from e
    if n == 0:
        return nx.broadcast_to(nx.eye(a.shape[-1], dtype=a.dtype, device=a.device), a.shape).copy()
    if n < 0:
        a, n = inv(a), -n
    if n == 1:
        return nx.array(a)
    if n == 3:
        return nx.matmul(nx.matmul(a, a), a)
    result: Any = None
    while n:
        if n & 1:
            result = a if result is None else nx.matmul(result, a)
        n >>= 1
        if n:
            a = nx.matmul(a, a)
    return result


@_declare.takes_arrays
def multi_dot(arrays: Any, *, out: ndarray | None = None) -> ndarray:
    """Multiplies a chain of matrices in the order that needs the fewest multiplications. The first
    and last may be vectors.

    Args:
      arrays: Matrices to multiply, from left to right.
      out: Array that receives the result.

    Shapes: (m1, m2), (m2, m3), ..., (mk, n) give (m1, n). If the first array is a vector (m2,), the
    result has no axis m1; if the last one is a vector (mk,), the result has no axis n.
    Errors: ValueError for fewer than two arrays, LinAlgError if an array is not a matrix (the first
    and last: nor a vector).
    """
    n = len(arrays)
    if n < 2:
        raise ValueError("Expecting at least two arrays.")
    arrays = [nx.asanyarray(a) for a in arrays]
    if n == 2:
        return nx.dot(arrays[0], arrays[1], out=out)
    first, last = arrays[0].ndim, arrays[-1].ndim
    if first == 1:
        arrays[0] = arrays[0][None, :]
    if last == 1:
        arrays[-1] = arrays[-1][:, None]
    for a in arrays:
        if a.ndim != 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    sizes = [a.shape[0] for a in arrays] + [arrays[-1].shape[1]]

    # Godbole's dynamic programme over the positions of the outermost product (CLRS, 15.2).
    @functools.cache
    def plan(i, j):
        if i == j:
            return 0, i
        return min((plan(i, k)[0] + plan(k + 1, j)[0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))

    def product(i, j):
        if i == j:
            return arrays[i]
        k = plan(i, j)[1]
        return nx.dot(product(i, k), product(k + 1, j))

    result = product(0, n - 1)
    if first == 1 and last == 1:
        result = result[0, 0]
    elif first == 1 or last == 1:
        result = result.ravel()
    if out is not None:
        _multiarray.copyto(out, result)
        return out
    return result


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> ndarray:
    """Solves the tensor equation tensordot(a, x, x.ndim) == b for x.

    Args:
      a: Coefficients.
      b: Right-hand side.
      axes: Axes of `a` that are moved to its end first.

    Shapes: `a` has the axes of `b`, then those of x; `b` and x have the same number of elements.
    Errors: LinAlgError if `a` does not have such a shape or is singular.
    """
    a, b = nx.asarray(a), nx.asarray(b)
    if axes is not None:
        order = [k for k in range(a.ndim) if k not in axes] + list(axes)
        a = nx.transpose(a, order)
    old = a.shape[-(a.ndim - b.ndim):]
    n = math.prod(old)
    if a.size != n ** 2:
        raise LinAlgError("Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return solve(a.reshape(n, n), b.ravel()).reshape(old)


@_declare.base_class
def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    """Computes the inverse of a tensor: tensordot(tensorinv(a, ind), a, ind) is the identity.

    Args:
      a: The tensor.
      ind: Number of leading axes of `a` that the product with the inverse sums over.

    Shapes: the sizes of the first `ind` axes of `a` have the same product as the other sizes. The
    result has the other axes first, then the first `ind` axes.
    Errors: ValueError unless `ind` is positive, LinAlgError if these products differ or `a` is
    singular.
    """
    a = nx.asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    return inv(a.reshape(math.prod(a.shape[ind:]), -1)).reshape(shape)


@_declare.base_class
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    """Cross product of vectors with three elements.

    Args:
      x1: First vectors.
      x2: Second vectors.
      axis: Axis of the vectors.

    Shapes: both broadcast to the shape of the result; all have 3 elements along `axis`.
    Errors: ValueError unless both have 3 elements along `axis`.
    """
    x1, x2 = nx.asarray(x1), nx.asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
                         f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead.")
    return _cross(x1, x2, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> ndarray:
    """Returns the diagonals of the matrices in the last two axes.

    Args:
      x: Matrices.
      offset: Index of the diagonal: above 0 to the right of the main diagonal, below 0 to the left.

    Shapes: `x` (..., m, n), the result (..., length of the diagonal).
    """
    return nx.diagonal(x, offset, axis1=-2, axis2=-1)


def matmul(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    """Matrix product.

    Args:
      x1: First factor.
      x2: Second factor.

    Shapes: (..., m, k) and (..., k, n) give (..., m, n). If `x1` is a vector (k,), the result
    has no axis m; if `x2` is a vector (k,), the result has no axis n.
    """
    return nx.matmul(x1, x2)


def matrix_transpose(x: ArrayLike, /) -> ndarray:
    """Exchanges the last two axes.

    Args:
      x: Matrices.

    Shapes: `x` (..., m, n), the result (..., n, m).
    """
    return nx.matrix_transpose(x)


@_declare.base_class
def outer(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    """Outer product of two vectors: all products of their elements.

    Args:
      x1: First vector.
      x2: Second vector.

    Shapes: (m,) and (n,) give (m, n).
    Errors: ValueError unless both have one axis.
    """
    x1, x2 = nx.asarray(x1), nx.asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim!r} and x2.ndim={x2.ndim!r}.")
    return nx.outer(x1, x2)


@_declare.base_class
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: Any = 2) -> ndarray:
    """Sums products of elements over several axes of two arrays.

    Args:
      x1: First factor.
      x2: Second factor.
      axes: Number of axes to sum over, the last ones of `x1` and the first ones of `x2`; or a list
        of axes for each of them.

    Shapes: the remaining axes of `x1`, then the remaining axes of `x2`.
    Errors: ValueError for sizes that differ, repeated axes, or too many axes.
    """
    return _tensordot(x1, x2, axes=axes)


@_declare.base_class
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: NumPyDTypeLike | None = None) -> ndarray:
    """Sums the diagonals of the matrices in the last two axes.

    Args:
      x: Matrices.
      offset: Index of the diagonal: above 0 to the right of the main diagonal, below 0 to the left.
      dtype: Dtype of the result, in which the elements are added.

    Shapes: `x` (..., m, n), the result (...).
    """
    return nx.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    """Dot product of vectors along an axis, with the first vector conjugated.

    Args:
      x1: First vectors.
      x2: Second vectors.
      axis: Axis of the vectors.

    Shapes: both broadcast; the result lacks `axis`.
    """
    return nx.vecdot(x1, x2) if axis == -1 else nx.vecdot(x1, x2, axis=axis)


__all__ = ["LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
           "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm",
           "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace",
           "vecdot", "vector_norm"]
