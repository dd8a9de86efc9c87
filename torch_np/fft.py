"""torch_np.fft: discrete Fourier transforms under PyTorch's names."""
from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

from torch_np._C import Tensor as Tensor, _torch
from torch_np._C._torch_fft import *  # noqa: F401,F403
from torch_np._torch.arguments import as_array as _as_array, as_tensor as _as_tensor
from torch_np._torch.windows import check_layout as _check_layout, floating_dtype as _floating_dtype
from torch_np.numpy import fft as _numpy_fft

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft",
    "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn", "Tensor",
]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch_np._typing import DeviceLike, DTypeLike, TensorLike


def fftshift(input: TensorLike, dim: int | Sequence[int] | None = None) -> Tensor:
    """Moves frequency zero from the start to the middle of each axis.

    Args:
      input: A spectrum, or its frequencies.
      dim: Axis or axes; None is all of them.

    Shapes: as `input`.
    """
    return _as_tensor(_numpy_fft.fftshift(_as_array("fftshift", "input", input), dim))


def ifftshift(input: TensorLike, dim: int | Sequence[int] | None = None) -> Tensor:
    """Moves frequency zero from the middle to the start of each axis; inverse of `fftshift`.

    Args:
      input: A shifted spectrum, or its frequencies.
      dim: Axis or axes; None is all of them.

    Shapes: as `input`.
    """
    return _as_tensor(_numpy_fft.ifftshift(_as_array("ifftshift", "input", input), dim))


def _frequencies(function: str, places: Tensor, n: int, d: float, out: Tensor | None, dtype: DTypeLike | None, layout: Any,
                 requires_grad: bool) -> Tensor:
    _check_layout(function, layout)
    result = places.to(_floating_dtype(function, dtype)) * (1.0 / (n * d))
    if out is not None:
        if out.numel() != result.numel():
            if out.numel():
                warnings.warn(f"{function}(): the out tensor of shape {list(out.shape)} has {out.numel()} elements, not {result.numel()}. "
                              f"The out tensor will be resized to a tensor of shape ({result.numel()},).", stacklevel=3)
            out.resize_(result.shape)
        result = result.reshape(out.shape)
        return out.copy_(result)
    result.requires_grad = requires_grad
    return result


def fftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: Any = None,
            device: DeviceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Returns the frequencies of the elements of `fft`: 0, 1, ..., -2, -1 times 1 / (`n` * `d`).

    Args:
      n: Number of samples.
      d: Distance of the samples.
      out: Tensor that receives the result.
      dtype: Dtype of the result; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`n`,).
    Dtypes: floats.
    Errors: RuntimeError if `dtype` is not a float dtype or `n` is negative, ZeroDivisionError for
    `d` 0.
    """
    n = operator.index(n)
    if n < 0:
        raise RuntimeError(f"fftfreq(): n must not be negative, got {n}")
    if n == 0:
        return _frequencies("fftfreq", _torch.zeros((0,), device=device), 1, d, out, dtype, layout, requires_grad)
    positive = (n + 1) // 2
    places = _torch.cat([_torch.arange(0, positive, device=device), _torch.arange(-(n // 2), 0, device=device)], 0)
    return _frequencies("fftfreq", places, n, d, out, dtype, layout, requires_grad)


def rfftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: DTypeLike | None = None, layout: Any = None,
             device: DeviceLike | None = None, requires_grad: bool = False) -> Tensor:
    """Returns the frequencies of the elements of `rfft`: 0, 1, ..., `n` // 2 times 1 / (`n` * `d`).

    Args:
      n: Number of samples.
      d: Distance of the samples.
      out: Tensor that receives the result.
      dtype: Dtype of the result; None is the default dtype.
      layout: None or strided.
      device: Device of the result; None is the default device.
      requires_grad: Whether the result requires a gradient.

    Shapes: (`n` // 2 + 1,).
    Dtypes: floats.
    Errors: RuntimeError if `dtype` is not a float dtype or `n` is negative, ZeroDivisionError for
    `d` 0.
    """
    n = operator.index(n)
    if n < 0:
        raise RuntimeError(f"rfftfreq(): n must not be negative, got {n}")
    return _frequencies("rfftfreq", _torch.arange(0, n // 2 + 1, device=device), max(n, 1), d, out, dtype, layout, requires_grad)
