"""torch_np.numpy.fft: discrete Fourier transforms, and the arrangement of their frequencies."""
import operator
import warnings

from torch_np._C import _numpy_fft as _native
from torch_np.numpy import _declare, _native as nx

fft, ifft, rfft, irfft, hfft, ihfft = (
    _native.fft, _native.ifft, _native.rfft, _native.irfft, _native.hfft, _native.ihfft)


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
def fftn(a, s=None, axes=None, norm=None, out=None):
    """Discrete Fourier transform over several axes."""
    return _several(_native.fftn, a, s, axes, norm, out)


@_declare.base_class
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse discrete Fourier transform over several axes."""
    return _several(_native.ifftn, a, s, axes, norm, out)


@_declare.base_class
def rfftn(a, s=None, axes=None, norm=None, out=None):
    """Transform of real numbers over several axes: `rfft` over the last of them, `fft` over the others."""
    return _several(_native.rfftn, a, s, axes, norm, out)


@_declare.base_class
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse of `rfftn`."""
    return _several(_native.irfftn, a, s, axes, norm, out)


@_declare.base_class
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Discrete Fourier transform over two axes."""
    return _several(_native.fftn, a, s, axes, norm, out)


@_declare.base_class
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Inverse discrete Fourier transform over two axes."""
    return _several(_native.ifftn, a, s, axes, norm, out)


@_declare.base_class
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Transform of real numbers over two axes."""
    return _several(_native.rfftn, a, s, axes, norm, out)


@_declare.base_class
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Inverse of `rfft2`."""
    return _several(_native.irfftn, a, s, axes, norm, out)


def _count(n):
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise ValueError("n should be an integer")
    return operator.index(n)


def fftfreq(n, d=1.0, device=None):
    """The frequencies of the `n` values of a transform, of samples at distance `d`."""
    n = _count(n)
    positive = nx.arange(0, (n - 1) // 2 + 1, device=device)
    negative = nx.arange(-(n // 2), 0, device=device)
    return nx.concatenate([positive, negative]) * (1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None):
    """The frequencies of the n / 2 + 1 values of a transform of `n` real samples at distance `d`."""
    n = _count(n)
    return nx.arange(0, n // 2 + 1, device=device) * (1.0 / (n * d))


def _shifts(x, axes, sign):
    if axes is None:
        axes = tuple(range(x.ndim))
    elif hasattr(axes, "__index__"):
        axes = (operator.index(axes),)
    else:
        axes = tuple(axes)
    return [x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes], axes


@_declare.base_class
def fftshift(x, axes=None):
    """Moves frequency zero to the middle of each axis."""
    x = nx.asarray(x)
    shifts, axes = _shifts(x, axes, 1)
    return nx.roll(x, shifts, axes) if axes else nx.array(x)


@_declare.base_class
def ifftshift(x, axes=None):
    """Undoes `fftshift`."""
    x = nx.asarray(x)
    shifts, axes = _shifts(x, axes, -1)
    return nx.roll(x, shifts, axes) if axes else nx.array(x)


__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]
