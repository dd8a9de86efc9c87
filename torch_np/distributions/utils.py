"""Helpers of distributions: broadcasting, probabilities and logits, and triangles as vectors."""
from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Number
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np._torch.shapes import broadcast_shapes
from torch_np.autograd import Function, enable_grad

euler_constant = 0.57721566490153286060

__all__ = ["broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix"]


def eps_of(dtype: Any) -> float:
    """The distance from 1 to the next larger number of a dtype."""
    return {_C.float64: 2.0 ** -52, _C.float32: 2.0 ** -23, _C.float16: 2.0 ** -10, _C.bfloat16: 2.0 ** -7}[dtype]


def tiny_of(dtype: Any) -> float:
    """The smallest positive normal number of a dtype."""
    return {_C.float64: 2.0 ** -1022, _C.float32: 2.0 ** -126, _C.float16: 2.0 ** -14, _C.bfloat16: 2.0 ** -126}[dtype]


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Converts numbers and tensors to tensors of one shape.

    Numbers get the dtype and device of the first tensor.

    Args:
      values: numbers and tensors

    Shapes: all broadcast.
    Errors: ValueError if a value is neither a number nor a tensor.
    """
    if not all(isinstance(v, (Tensor, Number)) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.")
    like = next((v for v in values if isinstance(v, Tensor)), None)
    where: dict[str, Any] = {"dtype": _C._get_default_dtype(False)} if like is None else {"dtype": like.dtype, "device": like.device}
    return broadcast(*(v if isinstance(v, Tensor) else _C._torch.tensor(v, **where) for v in values))


def broadcast(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors, broadcast to one shape."""
    shape = broadcast_shapes(*(t.shape for t in tensors))
    return tuple(t if t.shape == shape else t.expand(shape) for t in tensors)


def all_numbers(*values: Any) -> bool:
    """Whether all values are Python numbers; distributions of numbers have no batch."""
    return all(isinstance(v, Number) for v in values)


def standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Random numbers from the standard normal distribution."""
    zeros = _C._torch.zeros(tuple(shape), dtype=dtype, device=device)
    return _C._torch.normal(zeros, _C._torch.ones_like(zeros))


def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` axes."""
    return value if dim == 0 else value.reshape(*value.shape[:value.dim() - dim], -1).sum(-1)


# The names of PyTorch's private helpers.
_standard_normal, _sum_rightmost = standard_normal, sum_rightmost


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Converts log-odds, or logarithms up to a constant, to probabilities.

    Args:
      logits: log-odds if `is_binary`, else logarithms
      is_binary: whether each number is a probability of its own

    Shapes: as `logits`, (..., K) unless `is_binary`.
    """
    return _C._torch.sigmoid(logits) if is_binary else _C._torch.softmax(logits, -1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamps probabilities to stay one rounding error away from 0 and 1.

    Args:
      probs: probabilities

    Shapes: as `probs`.
    """
    eps = eps_of(probs.dtype)
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Converts probabilities to log-odds or logarithms.

    Args:
      probs: probabilities
      is_binary: return log-odds instead of logarithms

    Shapes: as `probs`.
    """
    p = clamp_probs(probs)
    return _C._torch.log(p) - _C._torch.log1p(-p) if is_binary else _C._torch.log(p)


class lazy_property:
    """A property that is computed once, with gradients enabled, and then replaced by an attribute.

    Args:
      wrapped: function that computes the value
    """

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped, self.__doc__, self.__name__ = wrapped, wrapped.__doc__, wrapped.__name__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangle of each matrix as a vector, row by row.

    Args:
      mat: matrices
      diag: last diagonal to include

    Shapes: (..., n, n) to (..., number of elements).
    Errors: ValueError for a `diag` outside of -n ... n - 1.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = _C._torch.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Lower triangular matrices from vectors of their elements, row by row.

    Args:
      vec: vectors
      diag: last diagonal to fill

    Shapes: (..., number of elements) to (..., n, n).
    Errors: ValueError for a length that no triangle has.
    """
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if not round(n) - n < eps_of(_C.float64) * n:
        raise ValueError(f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of a square "
                         "D x D matrix.")
    n = round(n)
    rows, columns = _C._torch.tril_indices(n, n, diag)
    place = _C._torch.full((n, n), vec.shape[-1], dtype=_C.int64, device=vec.device)
    place[rows, columns] = _C._torch.arange(vec.shape[-1], device=vec.device)
    padded = _C._torch.cat([vec, _C._torch.zeros(*vec.shape[:-1], 1, dtype=vec.dtype, device=vec.device)], -1)
    return padded[..., place]


# ------------------------------------------------------------------------------------- gamma draws

def _draw_gamma(concentration: Tensor) -> Tensor:
    if concentration.is_cpu:
        return _C._torch._standard_gamma(concentration.detach())
    # Without a generator, a GPU draws from its own one, which manual_seed seeds too.
    drawn: Any = _C._numpy_random._draw("standard_gamma", [concentration.detach().to(_C.float64)._np_compat()])
    drawn = drawn._torch() if _C._is_ndarray(drawn) else _C._torch.tensor(float(drawn), dtype=_C.float64)
    return drawn.reshape(tuple(concentration.shape)).to(concentration.dtype).clamp(min=tiny_of(concentration.dtype))


def _gamma_cdf_by_shape(a: Tensor, x: Tensor) -> Tensor:
    """The derivative dP(a, x) / da of the regularised incomplete gamma function, in float64.

    Where the series in x (DLMF 8.7.1) converges fast, it is differentiated term by term. Elsewhere,
    fourth-order differences of the function are used.
    """
    t = _C._torch
    near = x < a + 1
    # P(a, x) = x^a e^-x sum x^k / Gamma(a + k + 1): each term's derivative has the factor log(x) - psi(a + k + 1).
    xs = t.where(near, x, a * 0.5)
    log_x, term = t.log(xs), t.exp(a * t.log(xs) - xs - t.lgamma(a + 1))
    psi = t.digamma(a + 1)
    total = term * (log_x - psi)
    for k in range(1, 200):
        term = term * xs / (a + k)
        psi = psi + 1 / (a + k)
        step = term * (log_x - psi)
        total = total + step
        if bool((term.abs() <= 1e-17 * total.abs() + 1e-300).all()):
            break
    h = 1e-3 * a.clamp(min=1e-3)
    y = t.where(near, a + 1, x)

    def upper(v: Tensor) -> Tensor:
        return t.igammac(v, y)
    far = -(8 * (upper(a + h) - upper(a - h)) - (upper(a + 2 * h) - upper(a - 2 * h))) / (12 * h)
    return t.where(near, total, far)


class _StandardGamma(Function):
    """Random numbers from gamma distributions of scale 1, with the gradient of Figurnov et al.
    (2018): -(dP/da) / p(x; a).
    """

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        drawn = _draw_gamma(concentration)
        ctx.save_for_backward(concentration, drawn)
        return drawn

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        concentration, drawn = ctx.saved_tensors
        a, x = concentration.double(), drawn.double()
        density = _C._torch.exp((a - 1) * _C._torch.log(x) - x - _C._torch.lgamma(a))
        slope = -_gamma_cdf_by_shape(a, x) / density
        return grads[0] * slope.to(concentration.dtype)


def standard_gamma(concentration: Tensor) -> Tensor:
    """Random numbers from gamma distributions of scale 1, differentiable with respect to
    `concentration`.
    """
    return _StandardGamma.apply(concentration)


def log_beta_of(a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of the beta function."""
    return _C._torch.lgamma(a) + _C._torch.lgamma(b) - _C._torch.lgamma(a + b)


LOG_2_PI = math.log(2 * math.pi)
