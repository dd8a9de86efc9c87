"""numpy.lib.npyio: what `load` gives for an .npz file, and files by address."""
from numpy.lib.npyio import DataSource

from torch_np.numpy._npyio_impl import NpzFile

__all__ = ["DataSource", "NpzFile"]
