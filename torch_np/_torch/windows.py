"""Window functions of signal processing, under PyTorch's names."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from torch_np._C import Tensor, _torch, bfloat16, complex64, complex128, float16, float32, float64
from torch_np._C import _get_default_dtype

if TYPE_CHECKING:
    from torch_np._C import dtype as DType
    from torch_np._typing import DeviceLike, DTypeLike

_FLOATS = (float16, bfloat16, float32, float64)
__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


def floating_dtype(function: str, dtype: DTypeLike | None) -> DType:
    """Returns `dtype`, or the default dtype for None. Errors: RuntimeError unless it is floating.
    """
    result = _get_default_dtype(False) if dtype is None else dtype
    if result in (complex64, complex128) or result not in _FLOATS:
        raise RuntimeError(f"{function} expects floating point dtypes, got: {result}")
    return result  # type: ignore[return-value]


def check_layout(function: str, layout: Any) -> None:
    """Checks a layout. Errors: NotImplementedError unless it is dense (strided)."""
    if layout is not None and "strided" not in str(layout):
        raise NotImplementedError(f"{function}(): layout {layout} is not implemented: tensors are strided")


def _samples(function: str, window_length: int, periodic: bool, dtype: DTypeLike | None, device: DeviceLike | None, layout: Any,
             ) -> tuple[Tensor | None, DType, int]:
    """Returns the numbers 0 ... n - 1 in the dtype of the computation, the dtype of the result, and
    the period of the window.

    The numbers are None for a window of at most one sample, which is 1.
    """
    wanted = floating_dtype(function, dtype)
    check_layout(function, layout)
    if window_length < 0:
        raise RuntimeError(f"{function}(): window_length must not be negative, got {window_length}")
    if window_length <= 1:
        return None, wanted, 1
    wide = float32 if wanted in (float16, bfloat16) else wanted
    return _torch.arange(window_length, dtype=wide, device=device), wanted, window_length if periodic else window_length - 1


def _finished(window: Tensor | None, window_length: int, dtype: DType, device: DeviceLike | None, pin_memory: bool,
              requires_grad: bool) -> Tensor:
    if window is None:
        window = _torch.ones((window_length,), dtype=dtype, device=device)
    elif window.dtype != dtype:
        window = window.to(dtype)
    if pin_memory:
        window = window.pin_memory()
    window.requires_grad = requires_grad
    return window


def _cosines(function: str, coefficients: tuple[float, ...], window_length: int, periodic: bool, dtype: DTypeLike | None,
             device: DeviceLike | None, layout: Any, pin_memory: bool, requires_grad: bool) -> Tensor:
    """Returns a sum of cosines of multiples of an angle from 0 to 2 pi, with the given
    coefficients.
    """
    n, wanted, whole = _samples(function, window_length, periodic, dtype, device, layout)
    if n is None:
        return _finished(None, window_length, wanted, device, pin_memory, requires_grad)
    window = _torch.full((window_length,), coefficients[0], dtype=n.dtype, device=device)
    for k, c in enumerate(coefficients[1:], 1):
        window = window + _torch.cos(n * (2 * math.pi * k / whole)) * c
    return _finished(window, window_length, wanted, device, pin_memory, requires_grad)


def hann_window(window_length: int, periodic: bool = True, *, dtype: DTypeLike | None = None, layout: Any = None,
                device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Returns the Hann window: 1/2 - cos(2 pi i / n) / 2 for i from 0 to `window_length` - 1.

    Args:
      window_length: Number of samples.
      periodic: Whether n is `window_length`, for a periodic window; otherwise it is one less, for a
        symmetric window.
      dtype: Dtype of the result; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      pin_memory: Whether the result is in page-locked memory.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`window_length`,).
    Dtypes: floats.
    Errors: RuntimeError if `dtype` is not a float dtype, if `window_length` is negative, and for
    `pin_memory` on a GPU or without one.
    """
    return _cosines("hann_window", (0.5, -0.5), window_length, periodic, dtype, device, layout, pin_memory, requires_grad)


def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: DTypeLike | None = None,
                   layout: Any = None, device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Returns the Hamming window: `alpha` - `beta` * cos(2 pi i / n) for i from 0 to
    `window_length` - 1.

    Args:
      window_length: Number of samples.
      periodic: Whether n is `window_length`, for a periodic window; otherwise it is one less, for a
        symmetric window.
      alpha: Constant term.
      beta: Amplitude of the cosine.
      dtype: Dtype of the result; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      pin_memory: Whether the result is in page-locked memory.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`window_length`,).
    Dtypes: floats.
    Errors: RuntimeError if `dtype` is not a float dtype, if `window_length` is negative, and for
    `pin_memory` on a GPU or without one.
    """
    return _cosines("hamming_window", (alpha, -beta), window_length, periodic, dtype, device, layout, pin_memory, requires_grad)


def blackman_window(window_length: int, periodic: bool = True, *, dtype: DTypeLike | None = None, layout: Any = None,
                    device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Returns the Blackman window: 0.42 - cos(2 pi i / n) / 2 + 0.08 cos(4 pi i / n) for i from 0
    to `window_length` - 1.

    Args:
      window_length: Number of samples.
      periodic: Whether n is `window_length`, for a periodic window; otherwise it is one less, for a
        symmetric window.
      dtype: Dtype of the result; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      pin_memory: Whether the result is in page-locked memory.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`window_length`,).
    Dtypes: floats.
    Errors: RuntimeError if `dtype` is not a float dtype, if `window_length` is negative, and for
    `pin_memory` on a GPU or without one.
    """
    return _cosines("blackman_window", (0.42, -0.5, 0.08), window_length, periodic, dtype, device, layout, pin_memory, requires_grad)


def bartlett_window(window_length: int, periodic: bool = True, *, dtype: DTypeLike | None = None, layout: Any = None,
                    device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Returns the Bartlett window, a triangle: 1 - |2 i / n - 1| for i from 0 to `window_length` -
    1.

    Args:
      window_length: Number of samples.
      periodic: Whether n is `window_length`, for a periodic window; otherwise it is one less, for a
        symmetric window.
      dtype: Dtype of the result; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      pin_memory: Whether the result is in page-locked memory.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`window_length`,).
    Dtypes: floats.
    Errors: RuntimeError if `dtype` is not a float dtype, if `window_length` is negative, and for
    `pin_memory` on a GPU or without one.
    """
    n, wanted, whole = _samples("bartlett_window", window_length, periodic, dtype, device, layout)
    window = None if n is None else 1 - _torch.abs(n * (2 / whole) - 1)
    return _finished(window, window_length, wanted, device, pin_memory, requires_grad)


def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: DTypeLike | None = None, layout: Any = None,
                  device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """Returns the Kaiser window: I0(`beta` * sqrt(1 - (2 i / n - 1)^2)) / I0(`beta`) for i from 0
    to `window_length` - 1. I0 is the modified Bessel function of order 0.

    Args:
      window_length: Number of samples.
      periodic: Whether n is `window_length`, for a periodic window; otherwise it is one less, for a
        symmetric window.
      beta: Shape parameter; larger values make the window narrower.
      dtype: Dtype of the result; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      pin_memory: Whether the result is in page-locked memory.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`window_length`,).
    Dtypes: floats.
    Errors: RuntimeError if `dtype` is not a float dtype, if `window_length` is negative, and for
    `pin_memory` on a GPU or without one.
    Source: Kaiser, Digital Filters, 1966.
    """
    n, wanted, whole = _samples("kaiser_window", window_length, periodic, dtype, device, layout)
    if n is None:
        return _finished(None, window_length, wanted, device, pin_memory, requires_grad)
    place = n.to(float64) * (2 / whole) - 1
    argument = _torch.sqrt(_torch.clamp(1 - place * place, min=0)) * beta
    window = _torch.i0(argument) / _torch.i0(_torch.tensor(beta, dtype=float64)).item()
    return _finished(window, window_length, wanted, device, pin_memory, requires_grad)
