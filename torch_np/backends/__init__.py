"""torch_np.backends: settings of the libraries that compute."""
from torch_np.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
