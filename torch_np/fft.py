"""torch_np.fft: discrete Fourier transforms under PyTorch's names."""
from __future__ import annotations

from typing import TYPE_CHECKING

from torch_np._C._torch_fft import *  # noqa: F401,F403
from torch_np._arguments import as_array as _as_array, as_tensor as _as_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch_np._C import Tensor
    from torch_np._typing import TensorLike


def fftshift(input: TensorLike, dim: int | Sequence[int] | None = None) -> Tensor:
    """Moves frequency zero to the middle of each axis."""
    from torch_np.numpy import fft
    return _as_tensor(fft.fftshift(_as_array("fftshift", "input", input), dim))


def ifftshift(input: TensorLike, dim: int | Sequence[int] | None = None) -> Tensor:
    """Undoes `fftshift`."""
    from torch_np.numpy import fft
    return _as_tensor(fft.ifftshift(_as_array("ifftshift", "input", input), dim))
