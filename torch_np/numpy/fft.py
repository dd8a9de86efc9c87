"""torch_np.numpy.fft: discrete Fourier transforms, and the arrangement of their frequencies."""
import operator

from torch_np._C import _numpy_fft as _native
from torch_np.numpy import _native as nx

fft, ifft, rfft, irfft, hfft, ihfft = (
    _native.fft, _native.ifft, _native.rfft, _native.irfft, _native.hfft, _native.ihfft)
fft2, ifft2, rfft2, irfft2 = _native.fft2, _native.ifft2, _native.rfft2, _native.irfft2
fftn, ifftn, rfftn, irfftn = _native.fftn, _native.ifftn, _native.rfftn, _native.irfftn


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


def fftshift(x, axes=None):
    """Moves frequency zero to the middle of each axis."""
    x = nx.asarray(x)
    shifts, axes = _shifts(x, axes, 1)
    return nx.roll(x, shifts, axes) if axes else nx.array(x)


def ifftshift(x, axes=None):
    """Undoes `fftshift`."""
    x = nx.asarray(x)
    shifts, axes = _shifts(x, axes, -1)
    return nx.roll(x, shifts, axes) if axes else nx.array(x)


__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]
