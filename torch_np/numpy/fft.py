"""torch_np.numpy.fft: discrete Fourier transforms and their frequencies."""
from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING

from torch_np._C import _numpy_fft as _native
from torch_np._C._numpy_fft import fft, hfft, ifft, ihfft, irfft, rfft
from torch_np.numpy import _declare, _dtypes, _native as nx, _numeric
from torch_np.numpy._arguments import device_of as _device_of, shape_of as _shape_of

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike, Axes, DeviceLike, NumPyDTypeLike


def _several(native, a, s, axes, norm, out):
    if s is not None:
        s = list(s)
        if axes is None:
            warnings.warn("`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a future version of NumPy, "
                          "this will raise an error and `s[i]` will correspond to the size along the transformed axis specified by "
                          "`axes[i]`. To retain current behaviour, pass a sequence [0, ..., k-1] to `axes` for an array of "
                          "dimension k.", DeprecationWarning, stacklevel=3)
        if None in s:
            warnings.warn("Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will raise an error in a "
                          "future version of NumPy. To use the default behaviour of the corresponding 1-D transform, pass the value "
                          "matching the default for its `n` parameter. To use the default behaviour for every axis, the `s` "
                          "argument can be omitted.", DeprecationWarning, stacklevel=3)
            s = [-1 if n is None else n for n in s]
    return native(a, s, axes, norm, out)


@_declare.base_class
def fftn(a: ArrayLike, s: Axes | None = None, axes: Axes | None = None, norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Discrete Fourier transform over several axes.

    Args:
      a: Input array.
      s: Number of points along each axis of `axes`; longer input is cut, shorter input is padded
        with zeros. None is the size of the input.
      axes: Axes of the transform; None is all of them, or the last ones if `s` is given.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes` if it is given.
    Dtypes: complex.
    """
    return _several(_native.fftn, a, s, axes, norm, out)


@_declare.base_class
def ifftn(a: ArrayLike, s: Axes | None = None, axes: Axes | None = None, norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Inverse discrete Fourier transform over several axes.

    Args:
      a: Input array.
      s: Number of points along each axis of `axes`; longer input is cut, shorter input is padded
        with zeros. None is the size of the input.
      axes: Axes of the transform; None is all of them, or the last ones if `s` is given.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes` if it is given.
    Dtypes: complex.
    """
    return _several(_native.ifftn, a, s, axes, norm, out)


@_declare.base_class
def rfftn(a: ArrayLike, s: Axes | None = None, axes: Axes | None = None, norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Discrete Fourier transform of real numbers over several axes. Only the non-negative
    frequencies of the last axis are computed.

    Args:
      a: Input array.
      s: Number of points along each axis of `axes`; longer input is cut, shorter input is padded
        with zeros. None is the size of the input.
      axes: Axes of the transform; None is all of them, or the last ones if `s` is given.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes` if it is given, and n // 2 + 1 of n along the last of them.
    Dtypes: real to complex.
    """
    return _several(_native.rfftn, a, s, axes, norm, out)


@_declare.base_class
def irfftn(a: ArrayLike, s: Axes | None = None, axes: Axes | None = None, norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Inverse discrete Fourier transform over several axes, with a real result. It is the inverse
    of `rfftn`.

    Args:
      a: Input array.
      s: Number of points of the result along each axis of `axes`. None is the size of the input,
        and 2 (n - 1) for n along the last axis.
      axes: Axes of the transform; None is all of them, or the last ones if `s` is given.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes`; without it, 2 (n - 1) for n along the last of them.
    Dtypes: complex to real.
    """
    return _several(_native.irfftn, a, s, axes, norm, out)


@_declare.base_class
def fft2(a: ArrayLike, s: Axes | None = None, axes: Axes = (-2, -1), norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Discrete Fourier transform over two axes.

    Args:
      a: Input array.
      s: Number of points along each axis of `axes`; longer input is cut, shorter input is padded
        with zeros. None is the size of the input.
      axes: Axes of the transform.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes` if it is given.
    Dtypes: complex.
    """
    return _several(_native.fftn, a, s, axes, norm, out)


@_declare.base_class
def ifft2(a: ArrayLike, s: Axes | None = None, axes: Axes = (-2, -1), norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Inverse discrete Fourier transform over two axes.

    Args:
      a: Input array.
      s: Number of points along each axis of `axes`; longer input is cut, shorter input is padded
        with zeros. None is the size of the input.
      axes: Axes of the transform.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes` if it is given.
    Dtypes: complex.
    """
    return _several(_native.ifftn, a, s, axes, norm, out)


@_declare.base_class
def rfft2(a: ArrayLike, s: Axes | None = None, axes: Axes = (-2, -1), norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Discrete Fourier transform of real numbers over two axes. Only the non-negative frequencies
    of the last axis are computed.

    Args:
      a: Input array.
      s: Number of points along each axis of `axes`; longer input is cut, shorter input is padded
        with zeros. None is the size of the input.
      axes: Axes of the transform.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes` if it is given, and n // 2 + 1 of n along the last of them.
    Dtypes: real to complex.
    """
    return _several(_native.rfftn, a, s, axes, norm, out)


@_declare.base_class
def irfft2(a: ArrayLike, s: Axes | None = None, axes: Axes = (-2, -1), norm: str | None = None, out: ndarray | None = None) -> ndarray:
    """Inverse discrete Fourier transform over two axes, with a real result. It is the inverse of
    `rfft2`.

    Args:
      a: Input array.
      s: Number of points of the result along each axis of `axes`. None is the size of the input,
        and 2 (n - 1) for n along the last axis.
      axes: Axes of the transform.
      norm: Normalization: 'backward' (the default) scales the inverse transform by 1/n, 'forward'
        the forward transform by 1/n, and 'ortho' both by 1/sqrt(n).
      out: Array that receives the result.

    Shapes: as `a`, but `s` along `axes`; without it, 2 (n - 1) for n along the last of them.
    Dtypes: complex to real.
    """
    return _several(_native.irfftn, a, s, axes, norm, out)


def _count(n):
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise ValueError("n should be an integer")
    return operator.index(n)


def _frequencies(function, places, spacing, dtype):
    frequencies = places * (1.0 / spacing)
    if dtype is None:
        return frequencies
    if _dtypes.kind_of(_dtypes.as_numpy_dtype(dtype)) != "f":
        raise TypeError(f"{function}: dtype must be a real floating-point dtype, got {dtype!r}")
    return frequencies.astype(dtype, copy=False)


def fftfreq(n: int, d: float = 1.0, device: DeviceLike | None = None, *, dtype: NumPyDTypeLike | None = None,
            _device: DeviceLike | None = None) -> ndarray:
    """Returns the frequencies of the elements of a transform of `n` samples: 0, 1, ..., -2, -1
    divided by n * d.

    Args:
      n: Number of samples.
      d: Distance of the samples.
      device: Device of the result; None is the default device.
      dtype: Floating dtype of the result; None is the default dtype.
      _device: Another name of `device`.

    Shapes: (n,).
    Errors: ValueError unless `n` is an integer, TypeError if `dtype` is not a float dtype.
    """
    n, device = _count(n), _device_of("fftfreq", device, _device)
    positive = nx.arange(0, (n - 1) // 2 + 1, device=device)
    negative = nx.arange(-(n // 2), 0, device=device)
    return _frequencies("fftfreq", nx.concatenate([positive, negative]), n * d, dtype)


def rfftfreq(n: int, d: float = 1.0, device: DeviceLike | None = None, *, dtype: NumPyDTypeLike | None = None,
             _device: DeviceLike | None = None) -> ndarray:
    """Returns the frequencies of the elements of a transform of `n` real samples: 0, 1, ..., n // 2
    divided by n * d.

    Args:
      n: Number of samples.
      d: Distance of the samples.
      device: Device of the result; None is the default device.
      dtype: Floating dtype of the result; None is the default dtype.
      _device: Another name of `device`.

    Shapes: (n // 2 + 1,).
    Errors: ValueError unless `n` is an integer, TypeError if `dtype` is not a float dtype.
    """
    n, device = _count(n), _device_of("rfftfreq", device, _device)
    return _frequencies("rfftfreq", nx.arange(0, n // 2 + 1, device=device), n * d, dtype)


def _shifts(x, axes, sign):
    axes = tuple(range(x.ndim)) if axes is None else _shape_of(axes)
    return [x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes], axes


@_declare.base_class
def fftshift(x: ArrayLike, axes: Axes | None = None) -> ndarray:
    """Moves frequency zero from the start to the middle of each axis.

    Args:
      x: A spectrum, or its frequencies.
      axes: Axis or axes; None is all of them.

    Shapes: as `x`.
    """
    x = nx.asarray(x)
    shifts, axes = _shifts(x, axes, 1)
    return _numeric.roll(x, shifts, axes) if axes else nx.array(x)


@_declare.base_class
def ifftshift(x: ArrayLike, axes: Axes | None = None) -> ndarray:
    """Moves frequency zero from the middle to the start of each axis; inverse of `fftshift`.

    Args:
      x: A shifted spectrum, or its frequencies.
      axes: Axis or axes; None is all of them.

    Shapes: as `x`.
    """
    x = nx.asarray(x)
    shifts, axes = _shifts(x, axes, -1)
    return _numeric.roll(x, shifts, axes) if axes else nx.array(x)


__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]
