"""torch_np.backends: settings of the libraries that compute."""
from torch_np.backends import cuda

__all__ = ["cuda"]
