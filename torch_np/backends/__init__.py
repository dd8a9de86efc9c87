"""torch_np.backends: settings of the libraries that run computations."""
from torch_np.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
