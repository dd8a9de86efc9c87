"""torch_np.version: the version of this package, and of the libraries that it was built for.

Under the launcher, `torch.version.__version__` is the version of the PyTorch whose interface
torch_np has.
"""
from __future__ import annotations

from torch_np import __version__ as __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

debug = False
cuda: str | None = None  # PyTorch's: the CUDA that it was compiled for; torch_np loads the driver at run time
git_version = "unknown"
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
