"""torch_np.signal.windows: window functions.

`sym=True` is a window for filters, which is symmetric; `sym=False` is one period of it, for
spectra.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

from torch_np._C import Tensor, _get_default_dtype, _torch, float32, float64
from torch_np._torch.windows import check_layout, kaiser_window

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann", "kaiser", "nuttall"]


def _window(name: str, M: int, dtype: Any, layout: Any, device: Any, requires_grad: bool,  # noqa: N803
            of: Callable[[Tensor], Tensor]) -> Tensor:
    """The window of M samples: a function of the numbers 0, 1, ..., in the dtype of the
    computation.
    """
    wanted = _get_default_dtype(False) if dtype is None else dtype
    if wanted not in (float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {wanted}")
    check_layout(name, layout)
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    made = of(_torch.arange(M, dtype=wanted, device=device))
    made.requires_grad = requires_grad
    return made


def _last(M: int, sym: bool) -> float:  # noqa: N803
    """The place of the last sample of the symmetric window."""
    return max(M - 1 if sym else M, 1)


def _documented(doc: str, *parameters: str) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        given = "".join(f"      {p}\n" for p in parameters)
        function.__doc__ = f"""{doc}

    Args:
      M: Number of samples.
{given}      sym: Whether the window is symmetric; otherwise it is one period.
      dtype: float32 or float64; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`M`,).
    Errors: ValueError for a negative `M`, parameters out of range, and dtypes other than float32 and
    float64.
    """
        return function
    return decorate


@_documented("Returns a sum of cosines with decreasing periods, the Hamming, Blackman and other windows.",
             "a: Weights of the cosines, of which every other one is subtracted.")
def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,  # noqa: N803
                   requires_grad: bool = False) -> Tensor:
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")

    def of(n: Tensor) -> Tensor:
        angle = n * (2 * math.pi / _last(M, sym)) if M != 1 else n + math.pi
        return functools.reduce(lambda x, y: x + y, [(-1) ** i * w * _torch.cos(angle * i) for i, w in enumerate(weights)])
    return _window("general_cosine", M, dtype, layout, device, requires_grad, of if M != 1 else lambda n: n + 1)


@_documented("Returns a Hamming window: alpha - (1 - alpha) cos(2 pi n / (M - 1)).", "alpha: The weight of the constant.")
def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,  # noqa: N803
                    requires_grad: bool = False) -> Tensor:
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


@_documented("Returns the Hamming window with alpha 0.54.")
def hamming(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # noqa: N803
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


@_documented("Returns the Hann window: (1 - cos(2 pi n / (M - 1))) / 2.")
def hann(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # noqa: N803
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


@_documented("Returns the Blackman window, a sum of three cosines.")
def blackman(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # noqa: N803
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


@_documented("Returns the minimum four-term Blackman-Harris window of Nuttall.")
def nuttall(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # noqa: N803
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


@_documented("Returns the Bartlett window, a triangle that ends at zero.")
def bartlett(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # noqa: N803
    return _window("bartlett", M, dtype, layout, device, requires_grad,
                   lambda n: 1 - _torch.abs(n * (2 / _last(M, sym)) - 1) if M != 1 else n + 1)


@_documented("Returns the cosine window: sin(pi (n + 1/2) / M).")
def cosine(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # noqa: N803
    return _window("cosine", M, dtype, layout, device, requires_grad, lambda n: _torch.sin((n + 0.5) * (math.pi / max(M if sym or M == 1 else M + 1, 1))))


@_documented("Returns an exponential window: exp(-|n - center| / tau).", "center: Place of the maximum; None is the middle. Only for `sym=False`.",
             "tau: Rate of the decay.")
def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = None,  # noqa: N803
                device: Any = None, requires_grad: bool = False) -> Tensor:
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = (M - 1 if sym or M == 1 else M) / 2 if center is None else center
    return _window("exponential", M, dtype, layout, device, requires_grad, lambda n: _torch.exp(-_torch.abs(n - middle) / tau))


@_documented("Returns a Gaussian window: exp(-((n - (M - 1) / 2) / std)^2 / 2).", "std: The standard deviation.")
def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,  # noqa: N803
             requires_grad: bool = False) -> Tensor:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    middle = (M - 1 if sym or M == 1 else M) / 2
    return _window("gaussian", M, dtype, layout, device, requires_grad, lambda n: _torch.exp(-0.5 * ((n - middle) / std) ** 2))


@_documented("Returns the Kaiser window.", "beta: Shape of the window.")
def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,  # noqa: N803
           requires_grad: bool = False) -> Tensor:
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    made = _window("kaiser", M, dtype, layout, device, False, lambda n: n)  # checks the arguments
    return kaiser_window(M, not sym, beta, dtype=made.dtype, device=device, requires_grad=requires_grad)
