"""numpy.lib.npyio: the class of opened .npz files, and NumPy's DataSource."""
from numpy.lib.npyio import DataSource

from torch_np.numpy._npyio_impl import NpzFile

__all__ = ["DataSource", "NpzFile"]
