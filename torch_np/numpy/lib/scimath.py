"""numpy.lib.scimath: another name of `emath`."""
from torch_np.numpy.emath import arccos, arcsin, arctanh, log, log2, log10, logn, power, sqrt

__all__ = ["sqrt", "log", "log2", "logn", "log10", "power", "arccos", "arcsin", "arctanh"]
