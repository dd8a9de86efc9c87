"""torch_np.fft: discrete Fourier transforms under PyTorch's names."""
from torch_np._C import _torch_fft

globals().update({name: function for name, function in vars(_torch_fft).items() if not name.startswith("_")})


def fftshift(input, dim=None):
    """Moves frequency zero to the middle of each axis."""
    from torch_np.numpy import fft
    return fft.fftshift(input._np_compat(), dim)._torch()


def ifftshift(input, dim=None):
    """Undoes `fftshift`."""
    from torch_np.numpy import fft
    return fft.ifftshift(input._np_compat(), dim)._torch()
