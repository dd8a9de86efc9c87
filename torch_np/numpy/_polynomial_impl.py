"""Polynomials as 1-d arrays of coefficients, highest power first."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np.numpy import _declare, _differentiation, _native as nx, linalg
from torch_np.numpy._dtypes import HALVES, common_dtype, finfo_of, kind_of
from torch_np.numpy._numeric import allclose, convolve, isscalar
from torch_np.numpy._twodim_base_impl import vander

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["poly", "poly1d", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots"]


def _coefficients(p):
    return nx.array(p.coeffs if isinstance(p, poly1d) else p, copy=None, ndmin=1)


def _like(result, *operands):
    return poly1d(result) if any(isinstance(p, poly1d) for p in operands) else result


@_declare.base_class
def polyval(p: ArrayLike, x: Any) -> Any:
    """Evaluates a polynomial by Horner's rule. If `x` is a polynomial, the result is the
    composition.

    Args:
      p: Coefficients.
      x: Where to evaluate.

    Shapes: `p` (n,), highest power first; the result as `x`.
    """
    coefficients = nx.asarray(p.coeffs if isinstance(p, poly1d) else p)
    y: Any = 0 if isinstance(x, poly1d) else nx.zeros_like(nx.asanyarray(x))
    x = x if isinstance(x, poly1d) else nx.asanyarray(x)
    for c in coefficients:
        y = y * x + c
    return y


def polyadd(a1: ArrayLike, a2: ArrayLike) -> Any:
    """Adds two polynomials.

    Args:
      a1: First polynomial.
      a2: Second polynomial.

    Shapes: (m,) and (n,), highest power first; the result (max(m, n),), or a poly1d if an operand
    is.
    """
    return _combine(nx.add, a1, a2)


def polysub(a1: ArrayLike, a2: ArrayLike) -> Any:
    """Subtracts two polynomials.

    Args:
      a1: Minuend.
      a2: Subtrahend.

    Shapes: (m,) and (n,), highest power first; the result (max(m, n),), or a poly1d if an operand
    is.
    """
    return _combine(nx.subtract, a1, a2)


def _combine(op, a1, a2):
    a, b = _coefficients(a1), _coefficients(a2)
    n = max(len(a), len(b))
    a, b = (v if len(v) == n else nx.concatenate((nx.zeros(n - len(v), v.dtype, device=v.device), v)) for v in (a, b))
    return _like(op(a, b), a1, a2)


@_declare.base_class
def polymul(a1: ArrayLike, a2: ArrayLike) -> Any:
    """Multiplies two polynomials.

    Args:
      a1: First factor.
      a2: Second factor.

    Shapes: (m,) and (n,) without leading zeros, highest power first; the result (m + n - 1,), or a
    poly1d if an operand is.
    """
    a, b = poly1d(a1), poly1d(a2)
    return _like(convolve(a.coeffs, b.coeffs), a1, a2)


def polydiv(u: ArrayLike, v: ArrayLike) -> tuple[ndarray, ndarray]:
    """Divides two polynomials. Returns the quotient and the remainder.

    Args:
      u: Dividend.
      v: Divisor.

    Shapes: `u` (m,) and `v` (n,), highest power first; the quotient (max(m - n + 1, 1),), the
    remainder without leading zeros; poly1d if an operand is.
    """
    a, b = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    dtype = common_dtype(a, b)
    m, n = a.size - 1, b.size - 1
    scale = 1.0 / b[0]
    quotient, rest = nx.zeros(max(m - n + 1, 1), dtype, device=a.device), a.astype(dtype)
    for k in range(m - n + 1):
        d = scale * rest[k]
        quotient[k] = d
        rest[k:k + n + 1] -= d * b
    while rest.size > 1 and allclose(rest[0], 0, rtol=1e-14):
        rest = rest[1:]
    return _like(quotient, u, v), _like(rest, u, v)


@_declare.base_class
def polyder(p: ArrayLike, m: int = 1) -> Any:
    """Returns the m-th derivative of a polynomial.

    Args:
      p: Coefficients.
      m: Order of the derivative.

    Shapes: (n,), highest power first; the result (max(n - m, 0),), or a poly1d for a poly1d.
    Errors: ValueError for negative m.
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    y = _coefficients(p)
    for _ in range(min(m, max(y.size, 1))):  # after y.size derivatives nothing is left
        n = len(y) - 1
        y = y[:-1] * nx.arange(n, 0, -1, device=y.device)
    return _like(y, p)


@_declare.base_class
def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Any:
    """Returns the m-th antiderivative of a polynomial.

    Args:
      p: Coefficients.
      m: Order of the antiderivative.
      k: Integration constants; None is zeros.

    Shapes: (n,), highest power first; `k` (m,) or a number; the result (n + m,), or a poly1d for a
    poly1d.
    Errors: ValueError if `m` is negative, or `k` has more than one constant but fewer than `m`.
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    y = _coefficients(p)
    constants = nx.zeros(m, float, device=y.device) if k is None else nx.array(nx.asarray(k, device=y.device), copy=None, ndmin=1)
    if constants.size == 1 and m > 1:
        constants = constants[0] * nx.ones(m, float, device=constants.device)
    if constants.size < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    if m == 0:
        return p if isinstance(p, poly1d) else nx.asarray(p)
    for i in range(m):
        y = nx.concatenate((nx.true_divide(y, nx.arange(y.size, 0, -1, device=y.device)), constants[i:i + 1]))
    return _like(y, p)


@_declare.base_class
def roots(p: ArrayLike) -> ndarray:
    """Returns the roots of a polynomial, which are the eigenvalues of its companion matrix.

    Args:
      p: Coefficients.

    Shapes: `p` (n,), highest power first; the result (degree,).
    Errors: ValueError unless `p` is 1-d.
    """
    p = nx.array(p, copy=None, ndmin=1)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = nx.nonzero(p)[0]
    if places.size == 0:
        return nx.asarray([], device=p.device)
    zeros = p.size - int(places[-1]) - 1
    whole, p = p[int(places[0]):], p[int(places[0]):int(places[-1]) + 1]
    p = p if kind_of(p) in "fc" else p.astype(float)
    n = p.size
    if n > 1:
        companion = nx.diag(nx.ones(n - 2, p.dtype, device=p.device), -1)
        companion[0, :] = -p[1:] / p[0]
        found = linalg.eigvals(companion)
    else:
        found = nx.asarray([], device=p.device)
    found = nx.concatenate((found, nx.zeros(zeros, found.dtype, device=found.device)))
    return _with_derivatives(found, whole) if zeros == 1 and _differentiation.compute_requires_grad(p) else found


def _with_derivatives(found, p):
    """Returns the roots as differentiable functions of all coefficients, also of a last one that is
    0. Newton's steps from constant roots make one further derivative correct each. Multiple roots
    have no derivative, and get none.
    """
    found, slope = found._detach(), polyder(p)
    for _ in range(2):
        along = polyval(slope, found)
        many = along == 0
        found = found - nx.where(many, 0, polyval(p, found) / nx.where(many, 1, along))
    return found


@_declare.base_class
def poly(seq_of_zeros: ArrayLike) -> Any:
    """Returns the coefficients of the polynomial with given roots, or the characteristic polynomial
    of a matrix.

    Args:
      seq_of_zeros: Roots, or a square matrix.

    Shapes: roots (n,) or a matrix (n, n); the result (n + 1,), highest power first, or 1.0 without
    roots.
    Errors: ValueError if `seq_of_zeros` has neither shape.
    """
    z = nx.array(seq_of_zeros, copy=None, ndmin=1)
    if z.ndim == 2 and z.shape[0] == z.shape[1] and z.shape[0] != 0:
        z = linalg.eigvals(z)
    elif z.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    elif kind_of(z) in "biu" or z.dtype in HALVES:
        z = z.astype(float)
    if z.size == 0:
        return 1.0
    a = nx.ones(1, dtype=z.dtype, device=z.device)
    for zero in z:
        a = convolve(a, nx.stack([nx.ones_like(zero), -zero]), mode="full")
    if kind_of(a) == "c" and bool((nx.sort(z) == nx.sort(z.conj())).all()):
        a = a.real.copy()
    return a


@_declare.base_class
def polyfit(x: ArrayLike, y: ArrayLike, deg: int, rcond: float | None = None, full: bool = False, w: ArrayLike | None = None,
            cov: bool | str = False) -> Any:
    """Fits a polynomial to points by least squares.

    Returns the coefficients; with `full` also residuals, rank, singular values and `rcond`; with
    `cov` also the covariance matrix of the coefficients.

    Args:
      x: Coordinates of the points.
      y: Values at the points.
      deg: Degree of the polynomial.
      rcond: Singular values below `rcond` times the largest one are ignored; None is len(x) times
        the epsilon of the dtype.
      full: Whether to return more results.
      w: Weights of the residuals; None is 1.
      cov: Whether to return the covariance, scaled by the residuals; 'unscaled' omits the scaling.

    Shapes: `x` and `w` (m,), `y` (m,) or (m, k); coefficients (deg + 1,) or (deg + 1, k), highest
    power first; the covariance (deg + 1, deg + 1) or (deg + 1, deg + 1, k).
    Errors: ValueError for a negative degree, and for too few points to scale the covariance;
    TypeError if `x`, `y` or `w` does not have such a shape.
    """
    order = int(deg) + 1
    x, y = nx.asarray(x) + 0.0, nx.asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    rcond = len(x) * finfo_of(x).eps if rcond is None else rcond
    lhs, rhs = vander(x, order), y
    if w is not None:
        w = nx.asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        lhs = lhs * w[:, None]
        rhs = rhs * (w[:, None] if rhs.ndim == 2 else w)
    scale = nx.sqrt((lhs * lhs).sum(axis=0))
    c, residuals, rank, s = linalg.lstsq(lhs / scale, rhs, rcond)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, s, rcond
    if cov:
        scaled = lhs / scale
        base = linalg.inv(scaled.T @ scaled) / nx.outer(scale, scale)
        if cov == "unscaled":
            factor: Any = 1
        else:
            if len(x) <= order:
                raise ValueError("the number of data points must exceed order to scale the covariance matrix")
            factor = residuals / (len(x) - order)
        return c, base * factor if y.ndim == 1 else base[:, :, None] * factor
    return c


class poly1d:
    """A polynomial of one variable, with arithmetic. `p[k]` is the coefficient of power k, and
    `p(x)` its value.

    Args:
      c_or_r: Coefficients, highest power first, or roots if `r`.
      r: Whether `c_or_r` holds roots.
      variable: Name of the variable in print; None is 'x'.

    Shapes: coefficients or roots (n,).
    Errors: ValueError if `c_or_r` has more than one axis.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, c_or_r: ArrayLike | poly1d, r: Any = False, variable: str | None = None) -> None:
        if isinstance(c_or_r, poly1d):
            self._coeffs: ndarray = c_or_r._coeffs
            self._variable: str = variable or c_or_r._variable
            return
        if r:
            c_or_r = poly(c_or_r)
        c = nx.array(c_or_r, copy=None, ndmin=1)
        if c.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        places = nx.nonzero(c != 0 if c.dtype == object else c)[0]  # NumPy counts None as nonzero
        self._coeffs = c[int(places[0]):] if places.size else nx.zeros(1, c.dtype, device=c.device)
        self._variable = variable or "x"

    @property
    def coeffs(self) -> ndarray:
        """The coefficients, highest power first."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value: Any) -> None:
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def variable(self) -> str:
        """The name of the variable in print."""
        return self._variable

    @property
    def order(self) -> int:
        """The degree."""
        return len(self._coeffs) - 1

    o = order

    @property
    def roots(self) -> ndarray:
        """The roots. Shapes: (degree,)."""
        return roots(self._coeffs)

    r = roots

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> _numpy.ndarray[Any, Any]:
        return self._coeffs.__array__(dtype)

    def __len__(self) -> int:
        return self.order

    def __call__(self, val: Any) -> Any:
        return polyval(self._coeffs, val)

    def __neg__(self) -> poly1d:
        return poly1d(-self._coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __add__(self, other: Any) -> poly1d:
        return poly1d(polyadd(self, poly1d(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> poly1d:
        return poly1d(polysub(self, poly1d(other)))

    def __rsub__(self, other: Any) -> poly1d:
        return poly1d(polysub(poly1d(other), self))

    def __mul__(self, other: Any) -> poly1d:
        return poly1d(self._coeffs * other) if isscalar(other) else poly1d(polymul(self, poly1d(other)))

    __rmul__ = __mul__

    def __pow__(self, val: Any) -> poly1d:
        if not isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        out = poly1d([1])
        for _ in range(int(val)):
            out = out * self
        return out

    def __truediv__(self, other: Any) -> Any:
        return poly1d(self._coeffs / other) if isscalar(other) else polydiv(self, poly1d(other))

    def __rtruediv__(self, other: Any) -> Any:
        return poly1d(other / self._coeffs) if isscalar(other) else polydiv(poly1d(other), self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other._coeffs.shape and bool((self._coeffs == other._coeffs).all())

    def __getitem__(self, val: int) -> Any:
        return self._coeffs.dtype.type(0) if val < 0 or val > self.order else self._coeffs[self.order - val]

    def __setitem__(self, key: int, val: Any) -> None:
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            self._coeffs = nx.concatenate((nx.zeros(key - self.order, self._coeffs.dtype, device=self._coeffs.device), self._coeffs))
        self._coeffs[self.order - key] = val

    def __iter__(self) -> Iterator[ndarray]:
        return iter(self._coeffs)

    def deriv(self, m: int = 1) -> poly1d:
        """Returns the m-th derivative.

        Args:
          m: Order of the derivative.

        Errors: ValueError for negative m.
        """
        return poly1d(polyder(self._coeffs, m=m))

    def integ(self, m: int = 1, k: ArrayLike = 0) -> poly1d:
        """Returns the m-th antiderivative.

        Args:
          m: Order of the antiderivative.
          k: Integration constants.

        Errors: ValueError if `m` is negative, or `k` has more than one constant but fewer than `m`.
        """
        return poly1d(polyint(self._coeffs, m=m, k=k))

    def __repr__(self) -> str:
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __str__(self) -> str:
        theirs: Any = _numpy.poly1d.__new__(_numpy.poly1d)  # without another search for leading zeros
        theirs._coeffs, theirs._variable = _numpy.array(self._coeffs.tolist()), self._variable
        return str(theirs)

