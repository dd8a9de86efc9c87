"""torch_np.quasirandom: the names of PyTorch's quasi-random numbers, which are not implemented."""
from torch_np._absent import absent_names

__all__ = absent_names(globals(), "Sobol sequences are not implemented; use scipy.stats.qmc.Sobol", classes="SobolEngine")
