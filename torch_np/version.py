"""torch_np.version: the version of this package, and of the libraries that it was built with."""
from __future__ import annotations

from torch_np import __version__ as __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

cuda = None  # builds do not record the version of CUDA; torch_np.cuda.is_available() tells of GPUs
debug = False
git_version = "unknown"  # builds do not record it
hip = None
rocm = None
xpu = None
